import { useQuery } from "@tanstack/react-query";
import type { ApprovalListAnswer, TurnAnswer, TurnParts } from "charter/answers";
import { useApi } from "../../api/query-client.ts";
import { type ApiProblem, encodeName, getJson, withQuery } from "../../api/request.ts";
import { useListedAgent } from "../../app/agents.tsx";
import { heldName, wishOf } from "../../kit/own-tool.tsx";
import { plainJson } from "../../kit/text/plain-json.ts";
import { type Happening, refusalsIn } from "../../kit/unfold.ts";
import { verdictIn } from "./happening.ts";
import type { Said } from "./talk.ts";

/** What is on record of a turn, besides its answer. */
type Recorded = {
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

/** What stands in the conversation, from the top. A turn that was taken here brings what is known of it since. */
export type Entry =
  | { readonly kind: "turn"; readonly key: string; readonly turn: TurnAnswer; readonly said?: Said }
  | { readonly kind: "said"; readonly key: string; readonly said: Said }
  /** From here on the model is not told what stands above; or, when it goes `back`, it is again told what was said before. */
  | { readonly kind: "anew"; readonly key: string; readonly back: boolean };

/**
 * `turns` newest first, as they are on record. Runs that had nothing to report are left out. What was said here and is
 * not on record (yet) stands at the end.
 */
export function flow(
  turns: readonly TurnAnswer[],
  quiet: ReadonlySet<string>,
  said: readonly Said[],
): readonly Entry[] {
  const entries: Entry[] = [];
  const here = new Map(said.flatMap((one) => (one.so.turn === undefined ? [] : [[one.so.turn, one] as const])));
  const sessions: string[] = [];
  for (const turn of turns.toReversed()) {
    const own = here.get(turn.id);
    here.delete(turn.id);
    if (quiet.has(turn.id)) continue;
    if (turn.channel === "web" && turn.session !== null) {
      const back = sessions.includes(turn.session);
      if (sessions.length > 0 && sessions.at(-1) !== turn.session)
        entries.push({ kind: "anew", key: `anew-${turn.id}`, back });
      sessions.push(turn.session);
    }
    const shown = own && turn.state !== "erased" ? { said: own, key: own.key } : { key: turn.id };
    entries.push({ kind: "turn", turn, ...shown });
  }
  const unlisted = said.filter(({ so }) => so.turn === undefined || here.has(so.turn));
  return [...entries, ...unlisted.map((one): Entry => ({ kind: "said", key: one.key, said: one }))];
}

/** What was said here in one session; without one, all of it. */
export function saidIn(said: readonly Said[], session: string | undefined): readonly Said[] {
  return session === undefined ? said : said.filter(({ so, to }) => (so.session ?? to) === session);
}

/** Something that waits for a person. */
export type Waiting = { readonly held: string; readonly what: "proposal" | "call"; readonly name: string };

/** What waits and stands in no turn that is shown: it came by itself, or long ago. Of other users, nothing. */
export function waitingElsewhere(
  { proposals, calls }: Pick<ApprovalListAnswer, "proposals" | "calls">,
  user: string,
  shown: ReadonlySet<string>,
): readonly Waiting[] {
  const here = ({ scope }: { readonly scope: { readonly user?: string | undefined } }, turn: string | undefined) =>
    (scope.user === undefined || scope.user === user) && (turn === undefined || !shown.has(turn));
  return [
    ...proposals
      .filter((one) => here(one, one.proposal.turn))
      .map(({ id, section }) => ({ held: id, what: "proposal" as const, name: section })),
    ...calls
      .filter((one) => here(one, one.turn))
      .map(({ id, tool, asks }) => ({
        held: id,
        what: "call" as const,
        name: asks === undefined ? tool : wishOf(asks),
      })),
  ];
}

/**
 * What happened in a turn that is over, read once it is looked at. It does not change any more; and where the one step
 * was the answer, there is nothing to read: unless the model is an agent that acts while it answers.
 */
export function useRecorded(turn: TurnAnswer, seen: boolean) {
  const { id, state, steps, reply } = turn;
  const acts = useActing(turn);
  const over = state !== "running" && state !== "erased";
  return useQuery<Recorded, ApiProblem>({
    queryKey: ["recorded", id, state],
    enabled: seen && over && (steps > 1 || (steps > 0 && (state !== "answered" || acts))),
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const path = withQuery(`/turns/${encodeName(id)}`, { parts: "receipts,sample" });
      const { receipts, sample } = await getJson<TurnAnswer<"receipts" | "sample">>(path, signal);
      return recorded(receipts, sample.events, reply);
    },
  });
}

/** Whether more may have come of one step than its answer. Both lists are on this page anyway. */
function useActing({ id, tainted, scope: { agent } }: TurnAnswer): boolean {
  const waiting = useApi<ApprovalListAnswer>(withQuery("/approvals", { agent, limit: 100 })).data?.calls;
  const model = useListedAgent(agent).listed?.model;
  return tainted || model?.startsWith("acp/") === true || waiting?.some(({ turn }) => turn === id) === true;
}

/** Whatever a tool was given or gave back, as words. */
export function shown(value: unknown): string {
  return typeof value === "string" ? value : plainJson(value);
}

/** The same on one line, briefly. */
export function glimpse(value: unknown, max = 80): string {
  const words = (typeof value === "string" ? value : bare(value)).replace(/\s+/g, " ").trim();
  const letters = [...words.slice(0, 2 * max)];
  return letters.length > max || words.length > 2 * max ? `${letters.slice(0, max - 1).join("")}…` : words;
}

/** The words in a simple object, without the signs around them. */
function bare(value: unknown): string {
  if (typeof value !== "object" || value === null) return value === undefined ? "" : String(value);
  const values = Object.values(value);
  return values.every((one) => typeof one !== "object" || one === null) ? values.join(" · ") : JSON.stringify(value);
}
