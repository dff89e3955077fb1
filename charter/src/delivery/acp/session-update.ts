import type { Finish, OwnToolUse } from "../model.ts";
import { objectOf } from "./peer.ts";

/** An agent's report on a session while it works, in both versions of the protocol. Reports of no use to us are dropped. */
type SessionUpdate =
  /** A piece of its answer; `message` distinguishes messages, where the agent identifies them. */
  | { readonly kind: "text"; readonly message: string | null; readonly text: string }
  /** A message's whole text, which replaces all earlier text of it. */
  | { readonly kind: "message"; readonly message: string; readonly text: string }
  | { readonly kind: "tool"; readonly id: string; readonly told: ToolReport }
  /** Dollars for the whole session so far. */
  | { readonly kind: "cost"; readonly dollars: number }
  | { readonly kind: "running" }
  | { readonly kind: "idle"; readonly stop: StopReason | null; readonly usage: unknown; readonly error: string | null };

/** Reported facts about a tool call; missing ones are unchanged. */
type ToolReport = Partial<Pick<OwnToolUse, "title" | "kind" | "status" | "paths">> & {
  readonly name?: string;
  readonly input?: unknown;
};

/** Reads an update. Anything is accepted, and unknown updates are ignored. */
export function readUpdate(update: unknown): SessionUpdate | undefined {
  const fields = objectOf(update);
  const message = typeof fields.messageId === "string" ? fields.messageId : null;
  switch (fields.sessionUpdate) {
    case "agent_message_chunk": {
      const text = textOf([fields.content]);
      return text === "" ? undefined : { kind: "text", message, text };
    }
    case "agent_message":
      return message === null ? undefined : { kind: "message", message, text: textOf(fields.content) };
    case "tool_call":
    case "tool_call_update": {
      const id = fields.toolCallId;
      return typeof id === "string" ? { kind: "tool", id, told: readToolCall(fields) } : undefined;
    }
    case "usage_update": {
      const { amount, currency } = objectOf(fields.cost);
      const isDollars = typeof amount === "number" && Number.isFinite(amount) && currency === "USD";
      return isDollars && amount >= 0 ? { kind: "cost", dollars: amount } : undefined;
    }
    case "state_update":
      return stateOf(fields);
    default:
      return undefined;
  }
}

function stateOf(fields: Readonly<Record<string, unknown>>): SessionUpdate | undefined {
  if (fields.state === "idle") {
    const stop = typeof fields.stopReason === "string" ? stopReasonOf(fields.stopReason) : null;
    const error = objectOf(fields.error).message;
    return { kind: "idle", stop, usage: fields.usage, error: typeof error === "string" ? error : null };
  }
  return typeof fields.state === "string" ? { kind: "running" } : undefined;
}

/** Reads the facts in a tool call, or in a part of one. */
export function readToolCall(call: unknown): ToolReport {
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

/** Joins the text of content blocks; images and links are left out. */
function textOf(content: unknown): string {
  if (!Array.isArray(content)) return "";
  return content
    .map(objectOf)
    .map(({ type, text }) => (type === "text" && typeof text === "string" ? text : ""))
    .join("");
}

type ToolState = Omit<OwnToolUse, "id" | "foreign"> & { readonly name: string | null; readonly input: unknown };

/** Collects the tool calls of a turn from an agent's reports on each. */
type ToolUses = {
  /** Adds a report, and returns the use if that is news of a tool of the agent's own. */
  readonly tell: (id: string, told: ToolReport) => OwnToolUse | undefined;
  /** Combines the known facts about a call with those in a request for permission. */
  readonly look: (id: string, told: ToolReport) => ToolState & { readonly isOurs: boolean };
};

/** Makes a collection of tool calls. `offered` are the names of our tools, which agents report as well: those are left out. */
export function createToolUses(offered: ReadonlySet<string>, foreign: boolean): ToolUses {
  const states = new Map<string, ToolState>();
  const merge = (id: string, report: ToolReport): ToolState => ({ ...(states.get(id) ?? unknownTool), ...report });
  return {
    tell: (id, report) => {
      const before = states.get(id);
      const state = merge(id, report);
      states.set(id, state);
      if (isOurs(state, offered) || (before !== undefined && sameUse(before, state))) return undefined;
      const { title, kind, status, paths } = state;
      return { id, title, kind, status, paths, foreign };
    },
    look: (id, report) => {
      const state = merge(id, report);
      return { ...state, isOurs: isOurs(state, offered) };
    },
  };
}

const unknownTool: ToolState = {
  title: "",
  kind: "other",
  status: "pending",
  paths: [],
  name: null,
  input: undefined,
};

function sameUse(one: ToolState, other: ToolState): boolean {
  return one.status === other.status && one.title === other.title && one.kind === other.kind;
}

/**
 * Returns true for one of our tools, called through our server. Agents put the server into the name in ways of their own. Only a
 * whole name counts, and no kind but “other”: the title of a command or a fetch may be anyone's text.
 */
function isOurs({ name, title, kind }: ToolState, offered: ReadonlySet<string>): boolean {
  if (kind !== "other") return false;
  const ourToolIn = (called: string) => {
    const match = ourName.exec(called);
    return [match?.[1] ?? match?.[2]].find((tool) => tool !== undefined && offered.has(tool));
  };
  if (name !== null && ourToolIn(name) !== undefined) return true;
  // A title may be anyone's text: it does not overrule the tool's name.
  const titled = ourToolIn(title);
  return titled !== undefined && (name === null || name === titled);
}

const ourName = /^(?:mcp__)?charter(?:__|[./: ])([\w.-]+)$|^([\w.-]+) \(charter MCP Server\)$/;

/** The reason why an agent ended a turn. An unknown reason is "unknown". */
export type StopReason =
  | "end_turn"
  | "max_tokens"
  | "max_turn_requests"
  | "refusal"
  | "cancelled"
  | "error"
  | "unknown";

/** An event that ends a prompt in an agent's session. */
export type SessionEvent =
  | { readonly kind: "stopped"; readonly reason: StopReason; readonly turns: number }
  /** The prompt was answered with an error. */
  | { readonly kind: "failed" }
  /** A limit of ours was reached, and the agent did not stop when it was told to. */
  | { readonly kind: "timed-out" }
  | { readonly kind: "exited" }
  | { readonly kind: "protocol-error" };

/** The session and the process after an event: kept or not. */
type Survival = { readonly session: "kept" | "invalid"; readonly process: "kept" | "ended" };

/**
 * Decides what is kept. An identity is valid only in a session of which we know everything that was said: unless the turn came to
 * its proper end, the next prompt goes to a new session.
 */
export function survivalOf(event: SessionEvent, turnsPerSession = Number.POSITIVE_INFINITY): Survival {
  if (event.kind === "stopped") {
    const isWhole = event.reason === "end_turn" && event.turns < turnsPerSession;
    return { session: isWhole ? "kept" : "invalid", process: "kept" };
  }
  return { session: "invalid", process: event.kind === "failed" ? "kept" : "ended" };
}

/** Returns how an answer finished. Undefined where a stop is no answer. */
export function finishOf(reason: StopReason): Finish | undefined {
  if (reason === "end_turn") return "stop";
  if (reason === "max_tokens") return "length";
  if (reason === "max_turn_requests" || reason === "unknown") return "other";
  return undefined;
}

export function stopReasonOf(value: unknown): StopReason {
  return stopReasons.find((reason) => reason === value) ?? "unknown";
}

const stopReasons: readonly StopReason[] = [
  "end_turn",
  "max_tokens",
  "max_turn_requests",
  "refusal",
  "cancelled",
  "error",
];
