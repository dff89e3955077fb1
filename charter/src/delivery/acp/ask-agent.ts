import { hash } from "node:crypto";
import { stepMessages } from "../history.ts";
import type { Answer, AskOptions, Fault, ModelResult, Request, RequestSession } from "../model.ts";
import { abortedFault } from "../models/fault.ts";
import { type FaultSource, promptFault, rejected, sessionFault, sizeFault, unreachable } from "./ask-fault.ts";
import { type AcpEntry, usualSizeLimit } from "./entry.ts";
import { withoutForgedSystem } from "./forged-system.ts";
import { historyIn, identityOf, seenOf, syncHistory } from "./history-sync.ts";
import { finishOf, survivalOf } from "./invalidation.ts";
import { promptBlocks } from "./prompt-blocks.ts";
import { recapOf } from "./recap.ts";
import { type Conversation, closeConversation, openConversation } from "./session/conversation.ts";
import { type PromptEnd, runPrompt } from "./session/run-prompt.ts";
import { identityMessage } from "./session-fields.ts";
import { usageOf } from "./usage.ts";
import type { Peer } from "./wire/peer.ts";

export const sha256 = (text: string): string => hash("sha256", text, "hex");

/** The conversations of one agent, by our session's id. */
export type Conversations = Map<string, Conversation>;

type AskAgentOptions = {
  readonly entry: AcpEntry;
  readonly source: FaultSource;
  readonly peer: Peer;
  readonly directory: string;
  readonly conversations: Conversations;
  readonly request: Request;
  readonly session: Omit<RequestSession, "history">;
  readonly asking: AskOptions;
  readonly limits: { readonly sessionMs: number; readonly graceMs: number };
};

/** Sends what is new in a request to the agent's session of that conversation, or to a new one, and takes the answer. */
export async function askAgent(options: AskAgentOptions): Promise<ModelResult> {
  const { entry, source, peer, conversations, request, session, asking, limits } = options;
  const limit = entry.sizeLimit ?? usualSizeLimit;
  const identity = identityOf(request);
  const before = validAt(conversations.get(session.id), peer);
  const withTools = entry.tools !== false && asking.onCall !== undefined && request.tools.length > 0;
  const known = before !== undefined && withTools && before.tools === undefined ? undefined : before;
  const sync = syncHistory(request, known, sha256);
  const { slot } = peer.advertised;
  const opensWithSystem = slot === "first-message" && identity !== "";
  const sent = sizeOf(promptBlocks({ send: sync.send, opensWithSystem }));
  const recap = sync.kind === "rotated" ? recapOf(sync.recap, Math.min(limit - sent, limit / 4)) : undefined;
  const message = { recap, send: sync.send, opensWithSystem };
  const size = sizeOf(promptBlocks(message));
  if (Buffer.byteLength(identity) > limit)
    return { fault: sizeFault("The system prompt", Buffer.byteLength(identity), limit, source) };
  if (size > limit) return { fault: sizeFault("The message", size, limit, source) };

  let conversation = known;
  if (sync.kind === "rotated" || conversation === undefined) {
    await forget(conversations, session.id);
    const opened = await open(options, identity, withTools);
    if ("fault" in opened) return opened;
    conversation = opened.conversation;
    conversations.set(session.id, conversation);
  }
  const opening = sync.kind === "rotated" ? identityMessage(slot, identity) : undefined;
  conversation.desk.offers = request.tools;
  const end = await runPrompt({
    conversation,
    blocks: promptBlocks({ ...message, opening }),
    entry,
    operator: session.operator,
    offered: new Set(request.tools.map(({ name }) => name)),
    asking,
    graceMs: limits.graceMs,
    plain: opensWithSystem ? withoutForgedSystem : (output) => output,
  });
  return await takeAnswer(options, conversation, end);
}

async function takeAnswer(
  { entry, source, peer, conversations, request, session }: AskAgentOptions,
  conversation: Conversation,
  end: PromptEnd,
): Promise<ModelResult> {
  const turns = conversation.turns + 1;
  const event = end.event.kind === "stopped" ? { ...end.event, turns } : end.event;
  const survival = survivalOf(event, entry.turnsPerSession);
  const finish = end.event.kind === "stopped" && !end.aborted ? finishOf(end.event.reason) : undefined;
  const fault = finish === undefined ? promptFault(end, peer.errorTail(), source) : undefined;
  if (fault || survival.session === "invalid") await forget(conversations, session.id);
  if (survival.process === "ended") await peer.end();
  if (fault || finish === undefined) return { fault: fault as Fault };
  const { text, calls, results } = end;
  const messages = [...historyIn(request), ...stepMessages({ answer: { text, calls }, results })];
  const seen = seenOf(messages, sha256);
  const cost = end.dollars === null ? null : Math.max(0, end.dollars - conversation.dollars);
  conversation.seen = seen;
  conversation.turns = turns;
  conversation.dollars = end.dollars ?? conversation.dollars;
  const { session: id, slot, identity } = conversation;
  const answer: Answer = {
    text,
    calls,
    finish,
    usage: usageOf(end.usage),
    native: { acp: { name: source.name, session: id, slot, identity, seen } },
    results,
    ...(cost === null ? {} : { cost }),
  };
  return { answer };
}

async function open(
  { entry, source, peer, directory, asking, limits }: AskAgentOptions,
  identity: string,
  withTools: boolean,
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
    limitMs: limits.sessionMs,
    signal: asking.signal,
  });
  if (waited.kind === "done") return { conversation: waited.value };
  // It may still open one that nobody knows of.
  if (waited.kind !== "failed") await peer.end();
  if (waited.kind === "aborted") return { fault: abortedFault(source.name) };
  if (waited.kind === "failed" && !peer.isOver())
    return { fault: sessionFault(waited.error, peer.advertised.signIns, source) };
  const why = waited.kind === "late" ? `opened no session within ${limits.sessionMs / 1000} seconds` : undefined;
  return { fault: unreachable(why ?? (await peer.ended).why, peer.errorTail(), source) };
}

/** A conversation is of use only as long as the process that has it. */
export function validAt(conversation: Conversation | undefined, peer: Peer): Conversation | undefined {
  return conversation?.peer === peer && !peer.isOver() ? conversation : undefined;
}

export async function forget(conversations: Conversations, id: string): Promise<void> {
  const conversation = conversations.get(id);
  conversations.delete(id);
  if (conversation) await closeConversation(conversation);
}

function sizeOf(blocks: readonly { readonly text: string }[]): number {
  return blocks.reduce((bytes, { text }) => bytes + Buffer.byteLength(text), 0);
}
