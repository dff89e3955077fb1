import type { UiChunk } from "charter/answers";
import { type OwnTool, wishOf } from "../../kit/own-tool.tsx";
import { type Happening, refusalsIn, saysOf, type ToolHappening } from "./happening.ts";

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

export const begun: Unfolding = { text: "", busy: "…", happened: [], before: 0, calls: {} };

/** What is known after one more piece of the stream. The text is what is left of it: what is taken back goes. */
export function unfold(so: Unfolding, chunk: UiChunk): Unfolding {
  switch (chunk.type) {
    case "start":
      return { ...so, turn: chunk.messageId, session: chunk.messageMetadata.session };
    case "start-step":
      return { ...so, busy: "Thinking…", text: "", before: so.happened.length };
    case "text-delta":
      return { ...still(so), text: so.text + chunk.delta };
    case "reset-step":
      return { ...so, text: "", happened: so.happened.slice(0, so.before) };
    case "tool-input-available": {
      const { toolCallId, toolName, input } = chunk;
      const tool: ToolHappening = { kind: "tool", name: toolName, input, state: "running" };
      const next = happened({ ...so, busy: `${toolName}…` }, tool);
      return { ...next, calls: { ...so.calls, [toolCallId]: so.happened.length } };
    }
    case "tool-output-available":
      return came(so, chunk.toolCallId, { output: chunk.output, state: "done" });
    case "tool-output-error":
      return came(so, chunk.toolCallId, { output: chunk.errorText, state: "failed" });
    case "finish":
      return so.ended ? so : { ...still(so), ended: "answered" };
    case "abort":
      return { ...still(so), text: "", ended: "stopped" };
    case "error":
      return { ...still(so), text: "", ended: { because: chunk.errorText } };
    default:
      return chunk.type.startsWith("data-") ? told(so, chunk as DataChunk) : so;
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

function told(so: Unfolding, { type, id = "", data }: DataChunk): Unfolding {
  const { section, tool, held, text, code, message, revision, diff, refusals, quote, what, waitMs, because, asks } =
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
      return usedTool(so, id, data as OwnTool);
    case "data-permission": {
      const { answer } = data as Data;
      // One that is held has a card of its own.
      if (asks === undefined || (answer === "deny" && held !== undefined)) return so;
      return happened(so, { kind: "permission", asks, answer });
    }
    case "data-held":
      if (asks !== undefined) return happened(so, { kind: "held", held, what, name: wishOf(asks) });
      return happened(unmade(so, "waits"), { kind: "held", held, what, name: what === "call" ? tool : section });
    case "data-retry":
      return { ...so, busy: `Asked again in ${(waitMs / 1000).toFixed(1)} s. ${because ?? ""}`.trim() };
    default:
      return so;
  }
}

/** The same tool again takes the place of what was told of it before. */
function usedTool(so: Unfolding, id: string, tool: OwnTool): Unfolding {
  const one: Happening = { kind: "own-tool", id, tool };
  const over = tool.status === "done" || tool.status === "failed";
  const next = so.busy === undefined ? so : { ...so, busy: over ? "Thinking…" : `${tool.title}…` };
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

function came(so: Unfolding, id: string, { output, state }: Pick<ToolHappening, "output" | "state">): Unfolding {
  const at = so.calls[id];
  const tool = at === undefined ? undefined : (so.happened[at] as ToolHappening | undefined);
  if (at === undefined || tool?.kind !== "tool") return so;
  return changed(so, at, { output, state: tool.state === "running" ? state : tool.state });
}

function changed(so: Unfolding, at: number, change: Partial<ToolHappening>): Unfolding {
  const happened = so.happened.map((one, index) => (index === at ? ({ ...one, ...change } as ToolHappening) : one));
  return { ...so, happened };
}
