import { hash } from "node:crypto";
import { grouped } from "../../prompt/problem.ts";
import { stepMessages } from "../history.ts";
import type { Answer, AskOptions, Fault, ModelRequest, ModelResult, RequestSession, Usage } from "../model.ts";
import { abortedFault, redact } from "../models/fault.ts";
import {
  type Conversation,
  closeConversation,
  nativeOf,
  openConversation,
  type PreviousSession,
  previousIn,
  type SeenFiles,
} from "./conversation.ts";
import { type AcpEntry, usualSizeLimit } from "./entry.ts";
import { objectOf, type Peer } from "./peer.ts";
import type { PoolResult } from "./process-pool.ts";
import {
  historyIn,
  identityMessage,
  identityOf,
  promptBlocks,
  recapOf,
  seenOf,
  syncHistory,
  withoutForgedSystem,
} from "./prompt.ts";
import { type PromptEnd, runPrompt } from "./run-prompt.ts";
import { finishOf, survivalOf } from "./session-update.ts";

export const sha256 = (text: string): string => hash("sha256", text, "hex");

/** The conversations of one agent, by our session's id. */
export type Conversations = Map<string, Conversation>;

type AskAgentOptions = {
  readonly entry: AcpEntry;
  readonly source: FaultSource;
  readonly peer: Peer;
  readonly directory: string;
  readonly conversations: Conversations;
  readonly request: ModelRequest;
  readonly session: Omit<RequestSession, "history">;
  readonly asking: AskOptions;
  readonly seenFiles: SeenFiles;
  readonly limits: { readonly sessionMs: number; readonly graceMs: number };
};

/** Sends the new part of a request to the agent's session of that conversation, or to a new one, and takes the answer. */
export async function askAgent(options: AskAgentOptions): Promise<ModelResult> {
  const { entry, source, peer, conversations, request, session, asking, limits, seenFiles } = options;
  const maxBytes = entry.sizeLimit ?? usualSizeLimit;
  const identity = identityOf(request);
  const before = validAt(conversations.get(session.id), peer);
  const withTools = entry.tools !== false && asking.onCall !== undefined && request.tools.length > 0;
  const { slot } = peer.advertised;
  const usable = before !== undefined && withTools && before.tools === undefined ? undefined : before;
  const known = usable ?? (before === undefined ? await reopen(options, identity, withTools) : undefined);
  const sync = syncHistory(request, known, sha256);
  const opensWithSystem = slot === "first-message" && identity !== "";
  const isNew = sync.kind === "rotated";
  const sent = promptBlocks({ send: sync.send, opensWithSystem });
  const recap = isNew ? recapOf(sync.recap, Math.min(maxBytes - sizeOf(sent), maxBytes / 4)) : undefined;
  const message = { recap, send: sync.send, opensWithSystem };
  const blocks = recap === undefined ? sent : promptBlocks(message);
  const size = sizeOf(blocks);
  if (Buffer.byteLength(identity) > maxBytes)
    return { fault: sizeFault("The system prompt", Buffer.byteLength(identity), maxBytes, source) };
  if (size > maxBytes) return { fault: sizeFault("The message", size, maxBytes, source) };

  let conversation = known;
  if (isNew || conversation === undefined) {
    await forget(options, session.id);
    const opened = await open(options, identity, withTools);
    if ("fault" in opened) return opened;
    conversation = opened.conversation;
    remember(options, conversation);
  }
  if (peer.advertised.reopen !== null) seenFiles.drop(conversation.session);
  const opening = isNew ? identityMessage(slot, identity) : undefined;
  conversation.desk.offers = request.tools;
  const end = await runPrompt({
    conversation,
    blocks: opening === undefined ? blocks : promptBlocks({ ...message, opening }),
    entry,
    operator: session.operator,
    offered: new Set(request.tools.map(({ name }) => name)),
    asking,
    graceMs: limits.graceMs,
    plain: opensWithSystem ? withoutForgedSystem : (output) => output,
  });
  return await takeAnswer(options, conversation, end);
}

async function takeAnswer(options: AskAgentOptions, conversation: Conversation, end: PromptEnd): Promise<ModelResult> {
  const { entry, source, peer, request, session, seenFiles } = options;
  const turns = conversation.turns + 1;
  const event = end.event.kind === "stopped" ? { ...end.event, turns } : end.event;
  const survival = survivalOf(event, entry.turnsPerSession);
  const finish = end.event.kind === "stopped" && !end.aborted ? finishOf(end.event.reason) : undefined;
  const fault = finish === undefined ? promptFault(end, peer.errorTail(), source) : undefined;
  const isKept = !fault && survival.session === "kept";
  if (!isKept) await forget(options, session.id);
  if (survival.process === "ended") await peer.end();
  if (fault || finish === undefined) return { fault: fault as Fault };
  const { text, calls, results } = end;
  const messages = [...historyIn(request), ...stepMessages({ answer: { text, calls }, results })];
  const seen = seenOf(messages, sha256);
  const cost = end.dollars === null ? null : Math.max(0, end.dollars - conversation.dollars);
  conversation.seen = seen;
  conversation.turns = turns;
  conversation.dollars = end.dollars ?? conversation.dollars;
  if (isKept && peer.advertised.reopen !== null) seenFiles.keep(conversation.session, seen);
  const { session: id, slot, identity, dollars } = conversation;
  const answer: Answer = {
    text,
    calls,
    finish,
    usage: usageOf(end.usage),
    native: nativeOf({ name: source.name, session: id, slot, identity, seen, turns, dollars }),
    results,
    ...(cost === null ? {} : { cost }),
  };
  return { answer };
}

/** Opens the previous session again, if the agent can, and nothing was said in it that we do not know of. */
async function reopen(
  options: AskAgentOptions,
  identity: string,
  withTools: boolean,
): Promise<Conversation | undefined> {
  const { source, peer, request, seenFiles } = options;
  const previous = peer.advertised.reopen === null ? undefined : previousIn(historyIn(request));
  if (previous?.name !== source.name || previous.slot !== peer.advertised.slot) return undefined;
  const digest = sha256(identity);
  // Requires the same identity where the first message contains it; every other slot is given the current one.
  if (previous.slot === "first-message" && previous.identity !== digest) return undefined;
  const { kind } = syncHistory(request, { identity: digest, seen: previous.seen }, sha256);
  if (kind !== "continued" || !seenFiles.has(previous.session, previous.seen)) return undefined;
  const opened = await open(options, identity, withTools, previous);
  if ("fault" in opened) return undefined;
  remember(options, opened.conversation);
  return opened.conversation;
}

/** Maximum number of conversations a process has open: each costs it memory, and a server of our tools. */
const maxOpenConversations = 20;

/** Keeps a conversation as long as its process lives; beyond `maxOpenConversations`, the one that was opened first is closed. */
function remember(options: AskAgentOptions, conversation: Conversation): void {
  const { conversations, session, peer } = options;
  conversations.set(session.id, conversation);
  const open = [...conversations].filter(([, one]) => one.peer === peer);
  const [oldest] = open.find(([, one]) => one.desk.call === undefined && one !== conversation) ?? [];
  if (open.length > maxOpenConversations && oldest !== undefined) void forget(options, oldest);
  void peer.ended.then(() => {
    if (conversations.get(session.id) !== conversation) return;
    conversations.delete(session.id);
    void closeConversation(conversation);
  });
}

async function open(
  { entry, source, peer, directory, request, asking, limits }: AskAgentOptions,
  identity: string,
  withTools: boolean,
  previous?: PreviousSession,
): Promise<{ readonly conversation: Conversation } | { readonly fault: Fault }> {
  if (withTools && !peer.advertised.startsServers) {
    const why = `“${source.name}” starts no MCP servers, so it cannot be given our tools. Set \`tools: false\`.`;
    return { fault: rejected(why, source) };
  }
  const waited = await openConversation({
    peer,
    entry,
    directory,
    identity,
    digest: sha256(identity),
    withTools,
    offers: request.tools,
    previous,
    limitMs: limits.sessionMs,
    signal: asking.signal,
  });
  if (waited.kind === "done") return { conversation: waited.value };
  // The agent may still open a session that nobody knows of.
  if (waited.kind !== "failed") await peer.end();
  if (waited.kind === "aborted") return { fault: abortedFault(source.name) };
  if (waited.kind === "failed" && !peer.isOver())
    return { fault: sessionFault(waited.error, peer.advertised.signIns, source) };
  const why = waited.kind === "late" ? `opened no session within ${limits.sessionMs / 1000} seconds` : undefined;
  return { fault: unreachable(why ?? (await peer.ended).why, peer.errorTail(), source) };
}

/** Returns a conversation if its process is still running. */
export function validAt(conversation: Conversation | undefined, peer: Peer): Conversation | undefined {
  return conversation?.peer === peer && !peer.isOver() ? conversation : undefined;
}

/** Closes a conversation for good: it is never opened again. */
export async function forget(
  { conversations, seenFiles }: Pick<AskAgentOptions, "conversations" | "seenFiles">,
  id: string,
): Promise<void> {
  const conversation = conversations.get(id);
  if (!conversation) return;
  conversations.delete(id);
  seenFiles.drop(conversation.session);
  await closeConversation(conversation);
}

function sizeOf(blocks: readonly { readonly text: string }[]): number {
  return blocks.reduce((bytes, { text }) => bytes + Buffer.byteLength(text), 0);
}

/** The agent that faults name, and the secrets of its configuration that they never repeat. */
type FaultSource = { readonly name: string; readonly secrets: readonly string[] };

/** Makes the fault of an agent that could not be started, or ended before anything was sent to it: a retry loses nothing. */
export function startFault(result: Exclude<PoolResult<never>, { kind: "worked" }>, source: FaultSource): Fault {
  if (result.kind === "aborted") return abortedFault(source.name);
  if (result.kind === "full")
    return {
      code: "model-busy",
      message: `“${source.name}” was not started: as many agents as are allowed are at work.`,
      retry: true,
    };
  return { ...unreachable(result.why, result.tail, source), retry: result.lasting !== true };
}

function unreachable(why: string, tail: string, { name, secrets }: FaultSource): Fault {
  const printed = tail === "" ? "" : ` It printed: ${tail}`;
  return { code: "model-unreachable", message: redact(`“${name}” ${why}.${printed}`, secrets), retry: true };
}

/**
 * Makes the fault of an agent that opened no session. A request that it calls wrong will be wrong again, so that is not retried.
 */
function sessionFault(error: unknown, signIns: readonly string[], source: FaultSource): Fault {
  const { code, message } = Object(error) as { readonly code?: unknown; readonly message?: unknown };
  const text = typeof message === "string" ? message : "it did not say why";
  if (code === -32000) {
    const ways = signIns.length === 0 ? "" : ` It knows these ways: ${signIns.join(", ")}.`;
    return rejected(`“${source.name}” wants to be signed in to: ${text}.${ways} Name one as \`authenticate\`.`, source);
  }
  const details = objectOf((error as { readonly data?: unknown } | null)?.data).details;
  const whole = typeof details === "string" ? `${text}: ${details}` : text;
  if (code === -32602 || code === -32601 || code === -32600)
    return rejected(`“${source.name}” opened no session: ${whole}`, source);
  return unreachable(`opened no session: ${whole}`, "", source);
}

/** Makes the fault of a text that is too large to be sent. */
function sizeFault(what: string, bytes: number, limit: number, source: FaultSource): Fault {
  const message = `${what} for “${source.name}” has ${grouped(bytes)} bytes, and its sizeLimit is ${grouped(limit)}.`;
  return rejected(message, source);
}

function rejected(message: string, { secrets }: FaultSource): Fault {
  return { code: "model-rejected", message: redact(message, secrets), retry: false };
}

/** Makes the fault of a prompt that brought no answer. It is never sent again: the agent's tools may have run. */
function promptFault({ event, why, aborted }: PromptEnd, tail: string, source: FaultSource): Fault {
  if (aborted) return abortedFault(source.name);
  const printed = tail === "" || event.kind === "stopped" ? "" : ` It printed: ${tail}`;
  const fault = (code: Fault["code"], message: string): Fault => ({
    code,
    message: redact(`${message}${printed}`, source.secrets),
    retry: false,
  });
  const { name } = source;
  if (event.kind === "exited") return fault("model-cut", `“${name}” ${why} before it had answered.`);
  if (event.kind === "protocol-error") return fault("model-failed", `“${name}” ${why}, and was ended.`);
  if (event.kind === "timed-out") return abortedFault(name);
  if (event.kind === "failed") return fault("model-failed", `“${name}” failed: ${why}`);
  if (event.reason === "refusal") return fault("model-rejected", `“${name}” refused to answer.`);
  if (event.reason === "cancelled") return fault("model-cut", `“${name}” called its answer off.`);
  return fault("model-failed", `“${name}” failed: ${why || "it did not say why"}`);
}

/** Reads the tokens of a turn as an agent reported them; null where it did not. */
export function usageOf(reported: unknown): Usage {
  const fields = objectOf(reported);
  const [input, output, total] = [count(fields.inputTokens), count(fields.outputTokens), count(fields.totalTokens)];
  const [read, written] = [count(fields.cachedReadTokens), count(fields.cachedWriteTokens)];
  if (input === null) return { input: null, read, written, output };
  const cached = (read ?? 0) + (written ?? 0);
  // Some count cached tokens as input, some beside it: the total tells which.
  const isBeside = total !== null && total >= input + (output ?? 0) + cached;
  return { input: isBeside ? input + cached : input, read, written, output };
}

function count(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
