import type { OwnToolUse } from "../model.ts";
import { type StopReason, stopReasonOf } from "./invalidation.ts";
import { objectOf } from "./slot.ts";

/** What an agent tells of a session while it works, in both versions of the protocol. What is of no use to us is nothing. */
type SessionUpdate =
  /** A piece of its answer; `message` tells one message from another, where the agent says so. */
  | { readonly kind: "text"; readonly message: string | null; readonly text: string }
  /** A message as it stands now, in place of what was said of it before. */
  | { readonly kind: "message"; readonly message: string; readonly text: string }
  | { readonly kind: "tool"; readonly id: string; readonly told: ToolTold }
  /** Dollars for the whole session so far. */
  | { readonly kind: "cost"; readonly dollars: number }
  | { readonly kind: "running" }
  | { readonly kind: "idle"; readonly stop: StopReason | null; readonly usage: unknown; readonly error: string | null };

/** What was told of a tool call; what is left out is as it was. */
export type ToolTold = Partial<Pick<OwnToolUse, "title" | "kind" | "status" | "paths">> & {
  readonly name?: string;
  readonly input?: unknown;
};

/** Reads an update. It takes anything, and makes nothing of what it does not know. */
export function readUpdate(update: unknown): SessionUpdate | undefined {
  const said = objectOf(update);
  const message = typeof said.messageId === "string" ? said.messageId : null;
  switch (said.sessionUpdate) {
    case "agent_message_chunk": {
      const text = textOf([said.content]);
      return text === "" ? undefined : { kind: "text", message, text };
    }
    case "agent_message":
      return message === null ? undefined : { kind: "message", message, text: textOf(said.content) };
    case "tool_call":
    case "tool_call_update": {
      const id = said.toolCallId;
      return typeof id === "string" ? { kind: "tool", id, told: readToolCall(said) } : undefined;
    }
    case "usage_update": {
      const { amount, currency } = objectOf(said.cost);
      const isDollars = typeof amount === "number" && Number.isFinite(amount) && currency === "USD";
      return isDollars && amount >= 0 ? { kind: "cost", dollars: amount } : undefined;
    }
    case "state_update":
      return stateOf(said);
    default:
      return undefined;
  }
}

function stateOf(said: Readonly<Record<string, unknown>>): SessionUpdate | undefined {
  if (said.state === "idle") {
    const stop = typeof said.stopReason === "string" ? stopReasonOf(said.stopReason) : null;
    const error = objectOf(said.error).message;
    return { kind: "idle", stop, usage: said.usage, error: typeof error === "string" ? error : null };
  }
  return typeof said.state === "string" ? { kind: "running" } : undefined;
}

/** What a tool call, or a part of one, says. */
export function readToolCall(call: unknown): ToolTold {
  const { title, kind, status, locations, name, rawInput } = objectOf(call);
  const paths = Array.isArray(locations)
    ? locations.map((location) => objectOf(location).path).filter((path) => typeof path === "string")
    : undefined;
  const known = statuses[String(status)];
  return {
    ...(typeof title === "string" ? { title } : {}),
    ...(typeof kind === "string" ? { kind } : {}),
    ...(known === undefined ? {} : { status: known }),
    ...(paths === undefined ? {} : { paths }),
    ...(typeof name === "string" ? { name } : {}),
    ...(rawInput === undefined || rawInput === null ? {} : { input: rawInput }),
  };
}

const statuses: Readonly<Record<string, OwnToolUse["status"] | undefined>> = {
  __proto__: null as unknown as undefined,
  pending: "pending",
  in_progress: "running",
  paused: "running",
  completed: "done",
  failed: "failed",
  cancelled: "failed",
};

/** The text of content blocks. Others (images, links) are not words. */
function textOf(content: unknown): string {
  if (!Array.isArray(content)) return "";
  return content
    .map(objectOf)
    .map(({ type, text }) => (type === "text" && typeof text === "string" ? text : ""))
    .join("");
}
