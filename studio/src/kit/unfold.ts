import type { UiChunk } from "charter/answers";
import type { Refusal } from "../app/page.tsx";
import { isOver, type OwnTool, wishOf } from "./own-tool.tsx";

const thinking = "Thinking…";

/** A turn as it goes on: what is known of it so far. */
export type Unfolding = {
  readonly turn?: string;
  readonly session?: string;
  readonly text: string;
  /** What it is at, while there is nothing to read. */
  readonly busy?: string;
  readonly happened: readonly Happening[];
  readonly ended?: "answered" | "stopped" | { readonly because: string };
  /** So much had happened when the step began. */
  readonly before: number;
  /** Calls that are under way, by their ids: where each stands in `happened`. */
  readonly calls: Readonly<Record<string, number>>;
};

export const begun: Unfolding = { text: "", busy: thinking, happened: [], before: 0, calls: {} };

/** What is said of what it is at: by each page in its own words. */
type BusyWords = {
  readonly tool: (name: string) => string;
  readonly ownTool: (tool: OwnTool) => string;
  readonly retry: (told: { readonly waitMs: number; readonly because?: string }) => string;
};

/**
 * Tells what is known of a turn after one more piece of the stream. The text is what is left of it: what is taken back goes.
 */
export function createUnfold(words: BusyWords): (so: Unfolding, chunk: UiChunk) => Unfolding {
  return (so, chunk) => (chunk.type.startsWith("data-") ? told(so, chunk as DataChunk, words) : next(so, chunk, words));
}

function next(so: Unfolding, chunk: UiChunk, words: BusyWords): Unfolding {
  switch (chunk.type) {
    case "start":
      return { ...so, turn: chunk.messageId, session: chunk.messageMetadata.session };
    case "start-step":
      return { ...so, busy: thinking, text: "", before: so.happened.length };
    case "text-delta":
      return { ...still(so), text: so.text + chunk.delta };
    case "reset-step":
      return { ...so, busy: thinking, text: "", happened: so.happened.slice(0, so.before) };
    case "tool-input-available": {
      const { toolCallId, toolName, input } = chunk;
      const tool: ToolHappening = { kind: "tool", name: toolName, input, state: "running" };
      const calls = { ...so.calls, [toolCallId]: so.happened.length };
      return happened({ ...so, busy: words.tool(toolName), calls }, tool);
    }
    case "tool-output-available":
      return came(so, chunk.toolCallId, { output: chunk.output, state: "done" }, words);
    case "tool-output-error":
      return came(so, chunk.toolCallId, { output: chunk.errorText, state: "failed" }, words);
    case "finish":
      return so.ended ? so : { ...still(so), ended: "answered" };
    case "abort":
      return { ...still(so), text: "", ended: "stopped" };
    case "error":
      return { ...still(so), text: "", ended: { because: chunk.errorText } };
    default:
      return so;
  }
}

type DataChunk = Extract<UiChunk, { readonly data: unknown }>;

/** What the parts of our own say, each some of it: see charter/src/server/turns/ui-stream.ts. */
type Data = {
  readonly section: string;
  readonly tool: string;
  readonly held: string;
  readonly what: "proposal" | "call";
  readonly text: string;
  readonly code: string;
  readonly message: string;
  readonly revision: number;
  readonly diff?: string;
  readonly refusals: unknown;
  readonly quote: unknown;
  readonly waitMs: number;
  readonly because?: string;
  readonly asks?: string;
  readonly answer: "allow" | "deny";
};

function told(so: Unfolding, { type, id = "", data }: DataChunk, words: BusyWords): Unfolding {
  const { section, tool, held, text, code, message, revision, diff, refusals, quote, what, asks, answer } =
    data as Data;
  switch (type) {
    case "data-aside":
      return happened(so, { kind: "aside", text });
    case "data-notice":
      return happened(so, { kind: "notice", code, message });
    case "data-amendment":
      return happened(so, { kind: "amendment", section, revision, ...(diff ? { diff } : {}), ...saysOf(quote) });
    case "data-refusal":
      return happened(unmade(so, "refused"), { kind: "refusal", section, refusals: refusalsIn(refusals) });
    case "data-own-tool":
      return usedTool(so, id, data as OwnTool, words);
    case "data-permission":
      // One that is held has a card of its own.
      if (asks === undefined || (answer === "deny" && held !== undefined)) return so;
      return happened(so, { kind: "permission", asks, answer });
    case "data-held":
      if (asks !== undefined) return happened(so, { kind: "held", held, what, name: wishOf(asks) });
      return happened(unmade(so, "waits"), { kind: "held", held, what, name: what === "call" ? tool : section });
    case "data-retry":
      return { ...so, busy: words.retry(data as Data) };
    default:
      return so;
  }
}

/** The same tool again takes the place of what was told of it before. */
function usedTool(so: Unfolding, id: string, tool: OwnTool, words: BusyWords): Unfolding {
  const one: Happening = { kind: "own-tool", id, tool };
  const next = so.busy === undefined ? so : { ...so, busy: isOver(tool) ? thinking : words.ownTool(tool) };
  const at = so.happened.findIndex((other) => other.kind === "own-tool" && other.id === id);
  if (at === -1) return happened(next, one);
  return { ...next, happened: so.happened.map((other, index) => (index === at ? one : other)) };
}

function happened(so: Unfolding, one: Happening): Unfolding {
  return { ...so, happened: [...so.happened, one] };
}

function still({ busy: _, ...so }: Unfolding): Unfolding {
  return so;
}

/** The call that is under way was not made: whatever it answers, it did not fail. */
function unmade(so: Unfolding, state: "refused" | "waits"): Unfolding {
  const at = so.happened.findLastIndex((one) => one.kind === "tool" && one.state === "running");
  return at === -1 ? so : changed(so, at, { state });
}

type Came = Pick<ToolHappening, "output" | "state">;

/** A tool has answered; another may still be under way. */
function came(so: Unfolding, id: string, { output, state }: Came, words: BusyWords): Unfolding {
  const at = so.calls[id];
  const tool = at === undefined ? undefined : (so.happened[at] as ToolHappening | undefined);
  if (at === undefined || tool?.kind !== "tool") return so;
  const after = changed(so, at, { output, state: tool.state === "running" ? state : tool.state });
  const running = after.happened.findLast((one) => one.kind === "tool" && one.state === "running");
  if (after.busy === undefined) return after;
  return { ...after, busy: running?.kind === "tool" ? words.tool(running.name) : thinking };
}

function changed(so: Unfolding, at: number, change: Partial<ToolHappening>): Unfolding {
  const happened = so.happened.map((one, index) => (index === at ? ({ ...one, ...change } as ToolHappening) : one));
  return { ...so, happened };
}

/** Something of a turn besides its answer, in the order it came. */
export type Happening =
  | ToolHappening
  /** Words that came before a tool was called, and were no answer. */
  | { readonly kind: "aside"; readonly text: string }
  | { readonly kind: "notice"; readonly code: string; readonly message: string }
  | AmendmentHappening
  | { readonly kind: "refusal"; readonly section: string; readonly refusals: readonly Refusal[] }
  | HeldHappening
  /** A tool of its own that the agent behind the model used. */
  | OwnToolHappening
  /** What that agent asked leave for, and was told at once. */
  | { readonly kind: "permission"; readonly asks: string; readonly answer: "allow" | "deny" };

type OwnToolHappening = { readonly kind: "own-tool"; readonly id: string; readonly tool: OwnTool };

export type ToolHappening = {
  readonly kind: "tool";
  readonly name: string;
  readonly input: unknown;
  readonly output?: unknown;
  /** A call that was refused, or waits for a person, came to no result; it did not fail. */
  readonly state: "running" | "done" | "failed" | "refused" | "waits";
};

/** `diff` is a unified one; `says` is the quote. What is not known is left out. */
export type AmendmentHappening = {
  readonly kind: "amendment";
  readonly section: string;
  readonly revision?: number;
  readonly diff?: string;
  readonly says?: string;
};

/** A proposal or a call that a person has to approve. */
type HeldHappening = {
  readonly kind: "held";
  readonly held: string;
  readonly what: "proposal" | "call";
  /** The section, the tool, or what is asked leave for. */
  readonly name: string;
};

export function refusalsIn(value: unknown): readonly Refusal[] {
  return Array.isArray(value) ? (value as Refusal[]).filter((one) => typeof one?.guard === "string") : [];
}

export function saysOf(quote: unknown): { readonly says?: string } {
  const says = (quote as { readonly says?: unknown } | null | undefined)?.says;
  return typeof says === "string" ? { says } : {};
}
