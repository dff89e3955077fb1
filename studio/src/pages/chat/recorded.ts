import type { TurnParts } from "charter/answers";
import { heldName } from "../../kit/own-tool.tsx";
import { type Happening, refusalsIn, verdictIn } from "./happening.ts";

/** What is on record of a turn, besides its answer. */
export type Recorded = {
  readonly happened: readonly Happening[];
  /** Why it has no answer, where that is known. */
  readonly because?: string;
};

type Step = Pick<TurnParts["receipts"][number], "result"> & Partial<Pick<TurnParts["receipts"][number], "ownTools">>;
type Event = Pick<TurnParts["sample"]["events"][number], "kind" | "detail">;

/** What we read of what came of a step. */
type StepResult = {
  readonly answer?: { readonly text: string; readonly calls: readonly Call[] };
  readonly results?: readonly { readonly output: string; readonly failed?: boolean }[];
  readonly because?: { readonly message: string };
  readonly notices?: readonly { readonly code: string; readonly message: string }[];
};
/** What the events we tell of say: `section` and `revision` of an amendment, `held` of what waits, and so on. */
type Detail = {
  readonly section: string;
  readonly revision: number;
  readonly refusals: unknown;
  readonly held: string;
  readonly tool: string;
};
type Call = { readonly id: string; readonly name: string; readonly input: string };

/**
 * The same cards a turn had while it went on, from its steps and its events. What a tool answered says most of it; an
 * event that no answer told of (another tool's change, a call that waits) is told by itself.
 */
export function recorded(steps: readonly Step[], events: readonly Event[], reply: string | null = null): Recorded {
  const heldCalls = events.filter(({ kind }) => kind === "tool-held");
  const happened: Happening[] = [];
  let because: string | undefined;
  for (const { result, ownTools = [] } of steps) {
    const { answer, results = [], notices = [], because: why } = (result ?? {}) as StepResult;
    const calls = answer?.calls ?? [];
    // Who calls tools while it answers says the answer in the same step.
    const isAside = answer && calls.length > 0 && answer.text.trim() !== "" && answer.text.trim() !== reply?.trim();
    if (isAside) happened.push({ kind: "aside", text: answer.text });
    for (const [index, call] of calls.entries()) happened.push(...called(call, results[index], heldCalls));
    for (const { id, ...tool } of ownTools) happened.push({ kind: "own-tool", id, tool });
    for (const { code, message } of notices) happened.push({ kind: "notice", code, message });
    because = why?.message ?? because;
  }
  const untold = events.flatMap(eventCard).filter((card) => !happened.some((one) => isSame(one, card)));
  return { happened: [...happened, ...untold], ...(because === undefined ? {} : { because }) };
}

function called(
  call: Call,
  result: NonNullable<StepResult["results"]>[number] | undefined,
  heldCalls: Event[],
): Happening[] {
  const output = result && jsonIn(result.output);
  const about = { kind: "tool", name: call.name, input: jsonIn(call.input), ...(result ? { output } : {}) } as const;
  const at = heldCalls.findIndex(({ detail }) => detail.call === call.id && detail.tool === call.name);
  const waits = at !== -1 && result?.failed ? heldCalls.splice(at, 1)[0] : undefined;
  if (waits)
    return [
      { ...about, state: "waits" },
      { kind: "held", held: String(waits.detail.held), what: "call", name: call.name },
    ];
  const card = verdictIn(output);
  if (!card) return [{ ...about, state: result === undefined ? "running" : result.failed ? "failed" : "done" }];
  const state = ({ refusal: "refused", held: "waits" } as const)[card.kind as "refusal" | "held"] ?? "done";
  return [{ ...about, state }, card];
}

function eventCard({ kind, detail }: Event): Happening[] {
  const { section, revision, refusals, held, tool } = detail as Detail;
  if (kind === "amended") return [{ kind: "amendment", section, revision }];
  if (kind === "amendment-refused") return [{ kind: "refusal", section, refusals: refusalsIn(refusals) }];
  if (kind === "amendment-held") return [{ kind: "held", held, what: "proposal", name: section }];
  if (kind === "tool-held") return [{ kind: "held", held, what: "call", name: heldName(tool) }];
  return [];
}

function isSame(one: Happening, other: Happening): boolean {
  if (one.kind === "held" && other.kind === "held") return one.held === other.held;
  if (one.kind === "amendment" && other.kind === "amendment")
    return one.section === other.section && one.revision === other.revision;
  return one.kind === "refusal" && other.kind === "refusal" && one.section === other.section;
}

/** What a model or a tool wrote, as JSON where it is some. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
