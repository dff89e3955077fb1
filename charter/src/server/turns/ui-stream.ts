import { askedOf, askedText, knownKind } from "../../agent/turn/permission.ts";
import type { AgentEvent, TurnOutcome } from "../../agent/turn-interface.ts";
import { outcomeFacts } from "../../amend/amend.ts";
import type { ToolCall, ToolResult, Usage } from "../../delivery/model.ts";

/** Reason why a turn has no answer, in words for its reader. */
type TurnFailure = { readonly message: string; readonly stopped?: boolean };

export type UiStreamOptions = {
  readonly send: (chunk: UiChunk) => void;
  /** Shows the agent's own sections, which are no user's, and faults of the host. */
  readonly forOperator: boolean;
  /** `hold` sends no text before it is known to be the answer, for clients that cannot take a draft back. */
  readonly drafts: "stream" | "hold";
  readonly failureOf: (outcome: TurnOutcome) => TurnFailure;
};

type UiStream = {
  readonly on: (event: AgentEvent) => void;
  /** Ends the stream of a turn that threw. */
  readonly fail: (untaken: TurnFailure) => void;
};

/** Tools whose results show the agent's own prompt, which only operators may read. */
const showPrompt: ReadonlySet<string> = new Set(["read_prompt"]);

/**
 * Creates the stream of a turn's events in the AI SDK's UI message format. The text of the finished message is exactly the reply:
 * a draft that came to nothing (the provider failed, the turn was stopped) is taken back with `reset-step`, and text before a
 * tool call becomes a part of its own, `data-aside`.
 */
export function createUiStream({ send, forOperator, drafts, failureOf }: UiStreamOptions): UiStream {
  let [started, inStep, over] = [false, false, false];
  let drafted = "";
  let open: string | undefined;
  let texts = 0;
  let shown = false;
  let inThisStep: UiChunk[] = [];
  let call = { id: "", isShown: true };
  const callIds = new Set<string>();
  const ownTools = new Map<string, string>();

  /** Sends a data part. A part with the same id replaces the earlier one. */
  const sendData = (part: UiData) => {
    send(part);
    if (part.transient) return;
    const isSame = (one: UiChunk) => part.id !== undefined && one.type === part.type && (one as UiData).id === part.id;
    const before = inThisStep.findIndex(isSame);
    if (before === -1) inThisStep.push(part);
    else inThisStep[before] = part;
  };
  /** Sends a tool call's input or result, which is part of its step too. */
  const sendCall = (chunk: UiChunk) => {
    send(chunk);
    inThisStep.push(chunk);
  };
  const closeText = () => {
    if (open !== undefined) send({ type: "text-end", id: open });
    open = undefined;
  };
  /** Numbers an agent's own tools: the agent chooses their ids, which may say as much as their titles. */
  const numbered = (part: UiData): UiData => {
    if (part.type !== "data-own-tool" || part.id === undefined) return part;
    const number = ownTools.get(part.id) ?? `own-${ownTools.size + 1}`;
    ownTools.set(part.id, number);
    return { ...part, id: number };
  };
  const say = (delta: string) => {
    if (open === undefined) {
      open = `text-${++texts}`;
      shown = true;
      send({ type: "text-start", id: open });
    }
    send({ type: "text-delta", id: open, delta });
  };
  const takeBack = (): string => {
    const words = drafted;
    drafted = "";
    if (!shown) return words;
    [open, shown] = [undefined, false];
    send({ type: "reset-step" });
    for (const part of inThisStep) send(part);
    return words;
  };
  const drop = (data: { readonly because?: string }) => {
    const was = shown;
    takeBack();
    if (was) send({ type: "data-dropped", data, transient: true });
  };
  const endStep = () => {
    closeText();
    if (inStep) send({ type: "finish-step" });
    [inStep, shown, drafted, inThisStep] = [false, false, "", []];
  };
  /** Makes a call's id unique: models choose ids, and may repeat one in a later step. */
  const newCall = (id: string): string => {
    let own = id;
    for (let again = 2; callIds.has(own); again++) own = `${id}#${again}`;
    callIds.add(own);
    return own;
  };
  const result = ({ output, failed, name }: ToolResult) => {
    const served = { toolCallId: call.id, providerExecuted: true, dynamic: true } as const;
    const value = forOperator || (call.isShown && !showPrompt.has(name)) ? jsonIn(output) : withoutWords(output);
    if (failed) sendCall({ type: "tool-output-error", ...served, errorText: saidOf(value) });
    else sendCall({ type: "tool-output-available", ...served, output: value });
  };
  const finish = (outcome: TurnOutcome) => {
    const messageMetadata = metadataOf(outcome);
    if (outcome.state === "failed" || outcome.reply === null) return fail(failureOf(outcome), messageMetadata);
    if (drafts === "hold" || drafted !== outcome.reply) {
      takeBack();
      say(outcome.reply);
    }
    endStep();
    over = true;
    const cut = outcome.notices.some(({ code }) => code === "answer-cut");
    send({ type: "finish", finishReason: cut ? "length" : "stop", messageMetadata });
  };
  const fail = ({ message, stopped }: TurnFailure, messageMetadata?: UiMetadata) => {
    if (over) return;
    over = true;
    drop({ because: message });
    endStep();
    if (messageMetadata) send({ type: "message-metadata", messageMetadata });
    if (stopped) send({ type: "abort", reason: message });
    else send({ type: "error", errorText: message });
    if (!stopped) send({ type: "finish", finishReason: "error" });
  };

  const on = (event: AgentEvent) => {
    if (over) return;
    if (event.kind === "turn-start" && !started) {
      started = true;
      const { turn, session } = event;
      send({ type: "start", messageId: turn, messageMetadata: { turn, session } });
    }
    if (event.kind === "step-start") {
      endStep();
      inStep = true;
      send({ type: "start-step" });
    }
    if (event.kind === "draft") {
      drafted += event.text;
      if (drafts === "stream") say(event.text);
    }
    if (event.kind === "draft-dropped") drop(forOperator ? { because: event.reason } : {});
    if (event.kind === "tool-call") {
      // An agent that is still answering continues the same text after the call.
      const text = event.answering ? "" : takeBack();
      closeText();
      if (text.trim() !== "") sendData({ type: "data-aside", data: { text } });
      call = { id: newCall(event.call.id), isShown: true };
      const { name: toolName, input } = event.call;
      const served = { toolCallId: call.id, providerExecuted: true, dynamic: true } as const;
      sendCall({ type: "tool-input-available", toolName, input: jsonIn(input), ...served });
    }
    if (event.kind === "proposed" && event.outcome.verdict !== "refused" && !isOwn(event.outcome)) call.isShown = false;
    const part = uiPartOf(event, forOperator);
    if (part) sendData(numbered(part));
    if (event.kind === "tool-result") result(event.result);
    if (event.kind === "turn-end") finish(event.outcome);
  };
  return { on, fail };
}

function metadataOf({ turn, session, state, steps, tainted, usage, cost }: TurnOutcome): UiMetadata {
  return { turn, session, state, steps, tainted, usage, cost };
}

/** Result of a call without its texts. */
function withoutWords(output: string): unknown {
  const value = jsonIn(output);
  if (typeof value !== "object" || value === null) return { withheld: true };
  const { verdict, section, says } = value as Readonly<Record<string, unknown>>;
  return verdict === undefined ? { withheld: true } : { verdict, section, says };
}

function saidOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

type Proposed = Extract<AgentEvent, { kind: "proposed" }>;

/** Notices for the reader of the answer; all others are about the operator's host. */
export const readerNotices: ReadonlySet<string> = new Set([
  "answer-cut",
  "compacted",
  "session-new",
  "own-words",
  "waits",
]);

/**
 * Message part for what else happened in a turn. Operators see everything; users see that a section changed, and the text only if
 * it is their own.
 */
function uiPartOf(event: AgentEvent, forOperator: boolean): UiData | undefined {
  switch (event.kind) {
    case "proposed":
      return proposalPart(event, forOperator);
    case "tool-held":
      return {
        type: "data-held",
        id: event.held,
        data: { held: event.held, what: "call", ...calledFacts(event.call) },
      };
    case "own-tool": {
      const { id, title, kind, status, paths } = event.use;
      const data = forOperator ? { title, kind, status, paths } : { kind: knownKind(kind), status };
      return { type: "data-own-tool", id, data };
    }
    case "permission": {
      const { kind, title, paths } = event.asked;
      const held = event.held === undefined ? {} : { held: event.held };
      const words = forOperator ? { kind, asks: askedText(event.asked), title, paths } : { kind: knownKind(kind) };
      return { type: "data-permission", data: { answer: event.answer, ...held, ...words } };
    }
    case "tainted":
      return { type: "data-notice", data: { code: "tainted", message: event.reason } };
    case "notice":
      return forOperator || readerNotices.has(event.notice.code)
        ? { type: "data-notice", data: event.notice }
        : undefined;
    case "hook-failed": {
      const message = `The hook “${event.hook}” failed at ${event.moment}: ${event.reason}.`;
      return forOperator ? { type: "data-notice", data: { code: event.kind, message } } : undefined;
    }
    case "retry": {
      const reason = forOperator ? { because: event.fault.message } : {};
      const data = { attempt: event.attempt + 1, waitMs: event.waitMs, ...reason };
      return { type: "data-retry", data, transient: true };
    }
    case "compacted": {
      const { turns, before, after, leftOut } = event;
      const data = { turns, before, after, ...(leftOut ? { leftOut } : {}) };
      return { type: "data-compacted", data, transient: true };
    }
    case "step-start": {
      const { prefixChange, step } = event;
      const untold = !forOperator || prefixChange.how === "kept" || prefixChange.how === "opened";
      return untold ? undefined : { type: "data-prompt", data: { step, ...prefixChange }, transient: true };
    }
    default:
      return undefined;
  }
}

function proposalPart({ section, outcome }: Proposed, everything: boolean): UiData {
  const { diff, refusals, held } = outcomeFacts(outcome, section);
  const words = everything || isOwn(outcome) ? { diff } : {};
  const quote = outcome.quote && everything ? { quote: outcome.quote } : {};
  if (outcome.verdict === "accepted") {
    const { revision } = outcome;
    return { type: "data-amendment", id: `${section}@${revision}`, data: { section, revision, ...words, ...quote } };
  }
  if (outcome.verdict === "unchanged") {
    const message = `“${section}” says exactly this already: nothing was changed.`;
    return { type: "data-notice", data: { code: "unchanged", message } };
  }
  if (outcome.verdict === "refused") return { type: "data-refusal", data: { section, refusals } };
  const data = { held, what: "proposal", section, refusals, ...words, ...quote };
  return { type: "data-held", ...(held === undefined ? {} : { id: held }), data };
}

/** Checks whether a change was to a user's own text. A held proposal has no amendment yet, so it counts as not. */
function isOwn({ amendment }: Proposed["outcome"]): boolean {
  return amendment?.scope.user !== undefined;
}

function calledFacts({ name, input }: ToolCall) {
  const called = { tool: name, input: jsonIn(input) };
  const asks = askedOf(called);
  return asks === undefined ? called : { ...called, asks };
}

/** Parses text of a model or a tool as JSON, if it is JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Metadata of a message: its turn, and the session the next message continues. */
type UiMetadata = {
  readonly turn: string;
  readonly session: string;
  readonly state?: "answered" | "failed";
  readonly steps?: number;
  readonly tainted?: boolean;
  readonly usage?: Usage;
  readonly cost?: number | null;
};

/** A part of our own: `data-amendment`, `data-held` and the like. A transient one is sent, but not kept in the message. */
type UiData = {
  readonly type: `data-${string}`;
  readonly id?: string;
  readonly data: unknown;
  readonly transient?: true;
};

/** Marks a tool as run by the server, never the client, and unknown to the client beforehand. */
type Served = { readonly toolCallId: string; readonly providerExecuted: true; readonly dynamic: true };

/** Chunk of a turn's stream for chat clients, in the AI SDK's UI message format. */
export type UiChunk =
  | { readonly type: "start"; readonly messageId: string; readonly messageMetadata: UiMetadata }
  | { readonly type: "start-step" | "finish-step" }
  /** Takes back everything the message got in this step. */
  | { readonly type: "reset-step" }
  | { readonly type: "text-start" | "text-end"; readonly id: string }
  | { readonly type: "text-delta"; readonly id: string; readonly delta: string }
  | ({ readonly type: "tool-input-available"; readonly toolName: string; readonly input: unknown } & Served)
  | ({ readonly type: "tool-output-available"; readonly output: unknown } & Served)
  | ({ readonly type: "tool-output-error"; readonly errorText: string } & Served)
  | UiData
  | { readonly type: "error"; readonly errorText: string }
  | { readonly type: "abort"; readonly reason: string }
  | { readonly type: "message-metadata"; readonly messageMetadata: UiMetadata }
  | {
      readonly type: "finish";
      readonly finishReason: "stop" | "length" | "error";
      readonly messageMetadata?: UiMetadata;
    };

export const sseHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  // A proxy must not collect the answer before it passes it on.
  "x-accel-buffering": "no",
};

export const uiHeaders: Readonly<Record<string, string>> = { ...sseHeaders, "x-vercel-ai-ui-message-stream": "v1" };
