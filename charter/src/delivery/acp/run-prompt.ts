import type { AskOptions, ToolCall, ToolResult } from "../model.ts";
import { withinLimit } from "./agent-process.ts";
import type { Conversation } from "./conversation.ts";
import type { AcpEntry } from "./entry.ts";
import { chooseOption, objectOf, type PermissionOutcome, policyFor } from "./peer.ts";
import type { TextBlock } from "./prompt.ts";
import {
  createToolUses,
  readToolCall,
  readUpdate,
  type SessionEvent,
  type StopReason,
  stopReasonOf,
} from "./session-update.ts";

/** The end of a prompt: the agent stopped, or it did not. */
export type PromptEnd = {
  readonly event:
    | Exclude<SessionEvent, { kind: "stopped" }>
    | { readonly kind: "stopped"; readonly reason: StopReason };
  /** The reason for the end, in the agent's words or ours. */
  readonly why: string;
  /** Shows that we cancelled it. */
  readonly aborted: boolean;
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly results: readonly ToolResult[];
  readonly usage: unknown;
  /** Dollars for the whole session so far; null where the agent does not report them. */
  readonly dollars: number | null;
};

type RunPromptOptions = {
  readonly conversation: Conversation;
  readonly blocks: readonly TextBlock[];
  readonly entry: AcpEntry;
  readonly operator: boolean;
  readonly offered: ReadonlySet<string>;
  readonly asking: AskOptions;
  /** Milliseconds an agent has to stop after it was told to. */
  readonly graceMs: number;
  /** Rewrites a result of our tools for the agent to read. */
  readonly plain: (output: string) => string;
};

/**
 * Maximum characters of an answer, more than any real one has, because all of it is kept in memory until the turn is over. An
 * agent that writes more is ended.
 */
const maxAnswerChars = 8 * 1024 * 1024;

/** Sends a prompt and follows it to its end. From the first byte on, it is never sent again. */
export async function runPrompt(options: RunPromptOptions): Promise<PromptEnd> {
  const { conversation, blocks, entry, operator, offered, asking, graceMs, plain } = options;
  const { peer, session, desk } = conversation;
  const answer = createAnswerText();
  const uses = createToolUses(offered, entry.trusted !== true);
  const calls: ToolCall[] = [];
  const results: (ToolResult | undefined)[] = [];
  const running = new Set<Promise<unknown>>();
  const { promise: settled, resolve: settle } = Promise.withResolvers<{
    reason: StopReason;
    usage: unknown;
    why: string;
  }>();
  let dollars: number | null = null;
  let isUnderWay = false;
  let isRunning = false;

  const sendDelta = (delta: string) => {
    if (answer.length() > maxAnswerChars) void peer.end({ kind: "protocol-error", why: "wrote without end" });
    else if (delta !== "") asking.onText?.(delta);
  };
  const detach = peer.attach(session, {
    onUpdate: (raw) => {
      if (peer.isOver()) return;
      const update = readUpdate(raw);
      if (update === undefined) return;
      if (update.kind === "cost") dollars = update.dollars;
      else if (update.kind === "text") sendDelta(answer.add(update.message, update.text));
      else if (update.kind === "message") sendDelta(answer.put(update.message, update.text));
      else if (update.kind === "tool") {
        answer.pause();
        const use = uses.tell(update.id, update.told);
        if (use) asking.onOwnTool?.(use);
      } else if (update.kind === "running") isRunning = true;
      // Ends a running turn when the agent becomes idle, with or without a reason; before that, an idle state is only a
      // repetition.
      else if (update.kind === "idle" && (isRunning || (isUnderWay && update.stop !== null)))
        settle({ reason: update.stop ?? "end_turn", usage: update.usage, why: update.error ?? "" });
      if (update.kind !== "idle" && update.kind !== "cost") isUnderWay = true;
    },
    onPermission: async (request, called) => await decide(request, called),
  });

  async function decide(request: unknown, called: AbortSignal): Promise<PermissionOutcome> {
    const { toolCall, subject, title, options: choices } = objectOf(request);
    const of = objectOf(toolCall ?? objectOf(subject).toolCall ?? subject);
    const id = typeof of.toolCallId === "string" ? of.toolCallId : "";
    const { command } = of;
    const given = typeof command === "string" ? { kind: "execute", input: { command } } : {};
    const facts = { ...given, ...readToolCall(of) };
    const use = uses.look(id, facts);
    // Allows our own tools: they are judged when they are called, as in any turn.
    if (use.isOurs) return chooseOption(choices, "allow");
    const asked = {
      id,
      title: use.title || (typeof title === "string" ? title : ""),
      kind: use.kind,
      paths: use.paths,
      input: use.input,
      policy: policyFor(entry.permissions, use.kind, operator),
    };
    const deciding = asking.onPermission?.(asked) ?? Promise.resolve("deny" as const);
    const waited = await withinLimit(deciding, { signal: AbortSignal.any([asking.signal, called]) });
    if (waited.kind === "aborted") return { outcome: "cancelled" };
    const decision = waited.kind === "done" ? waited.value : "deny";
    const outcome = chooseOption(choices, decision);
    // Reports the use now, because the agent may say no more about it.
    const used = decision === "allow" && outcome.outcome === "selected" ? uses.tell(id, facts) : undefined;
    if (used) asking.onOwnTool?.(used);
    return outcome;
  }

  desk.call = async (call) => {
    const index = calls.push(call) - 1;
    const work = (async () => {
      const result = (await asking.onCall?.(call)) ?? { call: call.id, name: call.name, output: "", failed: true };
      results[index] = result;
      return { ...result, output: plain(result.output) };
    })();
    running.add(work);
    return await work.finally(() => running.delete(work));
  };

  const ended = peer.ended.then(({ kind, why }) => {
    const event = { kind: kind === "protocol-error" ? ("protocol-error" as const) : ("exited" as const) };
    return { event, why };
  });
  const answered = peer.call("session/prompt", { sessionId: session, prompt: blocks }).then(
    async (response) => {
      const { stopReason, usage } = response;
      const isOver = peer.advertised.version === 1;
      const end = isOver ? { reason: stopReasonOf(stopReason), usage, why: "" } : await settled;
      return { event: { kind: "stopped" as const, reason: end.reason }, why: end.why, usage: end.usage };
    },
    async (error: unknown) => {
      const failed = { event: { kind: "failed" as const }, why: messageOf(error) };
      // Waits for the reason why the process ended, which may be known a moment later: a failed write is only its consequence.
      if (!isSystemError(error) && !peer.isOver()) return failed;
      const lost = await withinLimit(ended, { milliseconds: 2000, signal: neverAborted });
      return lost.kind === "done" ? lost.value : failed;
    },
  );
  const end: Promise<{ event: PromptEnd["event"]; why: string; usage?: unknown }> = Promise.race([answered, ended]);
  try {
    let waited = await withinLimit(end, { signal: asking.signal });
    const aborted = waited.kind === "aborted";
    if (aborted) {
      peer.notify("session/cancel", { sessionId: session });
      waited = await withinLimit(end, { milliseconds: graceMs, signal: neverAborted });
      if (waited.kind === "late") await peer.end({ kind: "ended", why: "did not stop when it was told to" });
    }
    await Promise.all(running);
    const timedOut = { event: { kind: "timed-out" as const }, why: "did not stop when it was told to" };
    const { event, why, usage } =
      waited.kind === "done" ? { usage: undefined, ...waited.value } : { usage: undefined, ...timedOut };
    const finished = calls.map(
      (call, index) => results[index] ?? { call: call.id, name: call.name, output: "", failed: true as const },
    );
    return { event, why, aborted, text: answer.text(), calls, results: finished, usage, dollars };
  } finally {
    desk.call = undefined;
    detach();
  }
}

const neverAborted = new AbortController().signal;

function isSystemError(error: unknown): boolean {
  return typeof (error as { readonly code?: unknown } | null)?.code === "string";
}

function messageOf(error: unknown): string {
  const { message, data } = Object(error) as { readonly message?: unknown; readonly data?: unknown };
  const details = objectOf(data).details ?? objectOf(data).message;
  return (
    [message, details].filter((text) => typeof text === "string" && text !== "").join(": ") || "it did not say why"
  );
}

/** Collects the text of an answer as it arrives: pieces, whole messages, and tools used in between. */
type AnswerText = {
  /** Adds a piece and returns what it adds to the draft. */
  readonly add: (message: string | null, text: string) => string;
  /** Replaces a message with its current text and returns what that adds to the draft. */
  readonly put: (message: string, text: string) => string;
  /** Starts a new paragraph, because a tool was used. */
  readonly pause: () => void;
  readonly text: () => string;
  /** Returns the number of characters so far. */
  readonly length: () => number;
};

/** Collects an answer whose messages, and pieces with a tool between them, become paragraphs. */
export function createAnswerText(): AnswerText {
  const pieces: { message: string | null; text: string }[] = [];
  let paused = false;
  let length = 0;
  const last = () => pieces.at(-1);
  const start = (message: string | null, text: string): string => {
    const gap = gapBefore(last()?.text, text);
    pieces.push({ message, text: gap + text });
    length += gap.length + text.length;
    paused = false;
    return gap + text;
  };
  return {
    add: (message, text) => {
      const piece = last();
      if (piece === undefined || paused || piece.message !== message) return start(message, text);
      piece.text += text;
      length += text.length;
      return text;
    },
    put: (message, text) => {
      const index = pieces.findIndex((piece) => piece.message === message);
      const piece = pieces[index];
      if (piece === undefined) return text === "" ? "" : start(message, text);
      const before = piece.text;
      piece.text = gapBefore(pieces[index - 1]?.text, text) + text;
      length += piece.text.length - before.length;
      // Extends the draft where the message only grew; any other change appears with the answer.
      return index === pieces.length - 1 && piece.text.startsWith(before) ? piece.text.slice(before.length) : "";
    },
    pause: () => {
      paused = true;
    },
    text: () => pieces.map(({ text }) => text).join(""),
    length: () => length,
  };
}

function gapBefore(previous: string | undefined, next: string): string {
  if (previous === undefined || previous === "" || next === "") return "";
  return /\s$/.test(previous) || /^\s/.test(next) ? "" : "\n\n";
}
