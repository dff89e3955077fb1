import { counted, Problem } from "../../prompt/problem.ts";
import type { InboxMessage, OutboxReply } from "../../store/conversations/inbox-row.ts";
import { readPage } from "../../store/home/query.ts";
import type { Store } from "../../store/store.ts";
import { type Caller, checkPoster, notFound } from "../caller.ts";
import { agent, by, flag, list, more, object, page, text, type ValuesOf, whole } from "../field.ts";
import { type OperationContext, operation } from "../operation.ts";
import { colours, columns, oneLine, pairs, timeText } from "../print/columns.ts";
import { hintsHere } from "../print/command-name.ts";
import {
  message,
  messageStates,
  messageStatus,
  posterOf,
  postMessage,
  reply,
  seenBy,
  seenMessage,
  shownId,
  shownMessage,
  signerMessageId,
} from "./messages.ts";

const id = text("The id of a message.");

const listMessages = operation({
  name: "inbox.list",
  says: "List an agent's messages",
  about: "Oldest first, and how many there are of each status.",
  route: "GET /agents/{agent}/inbox",
  command: "inbox [list] <agent?>",
  examples: [
    ["charter inbox ada", "list the messages that wait, oldest first, and count the others"],
    ["charter inbox ada --status dead", "list those that could not be answered"],
    ["charter inbox list retry", "list the messages of an agent called like a verb"],
  ],
  notes: "Messages are answered while charter start or charter work is running: docs/automaton.md",
  who: "operator",
  input: { agent, status: messageStatus.usual("waiting"), ...page },
  answer: object({
    messages: list(message),
    counts: object(
      { waiting: whole(), taken: whole(), answered: whole(), dead: whole(), withdrawn: whole() },
      "Of all its messages.",
    ),
    more,
  }).named("MessageList", "Oldest first."),
  run: async ({ store: { agents, inbox } }, { agent, status, ...asked }) => {
    const { name } = await agents.get(agent);
    const { rows, more } = await readPage((stretch) => inbox.list(name, status, stretch), asked);
    return { messages: rows.map(shownMessage), counts: await inbox.counts(name), more };
  },
  lines: ({ messages, counts }, { agent, status }) => {
    const all = messageStates.filter((one) => counts[one] > 0).map((one) => `${counts[one]} ${one}`);
    if (all.length === 0) return [`Nobody has written to “${agent}” yet.`];
    const none = [`No message to “${agent}” is ${status}.`];
    const table = messages.length === 0 ? none : columns(messageColumns, messages.map(messageCells), process.stdout);
    return [...table, `All messages: ${all.join(", ")}.`];
  },
});

const showMessage = operation({
  name: "inbox.show",
  says: "Get a message and the reply to it",
  about:
    "For an operator, the token that posted it, and whoever has the secret of its reply. A reply counts as sent once its recipient reads it.",
  route: "GET /agents/{agent}/inbox/{id}",
  command: "inbox [show] <agent?> <id>",
  examples: [["charter inbox ada <id>", "one message: its words, every failure, the reply"]],
  who: "inbox",
  input: { agent, id },
  answer: object({ ...seenMessage, reply: reply.nullable() }).named("MessageWithReply"),
  statuses: { 200: "The message; `reply` is null until there is one." },
  run: async (context, { agent, id }) => {
    const { caller, store, isHead } = context;
    const message = await messageFor(context, agent, id);
    const answered = await store.inbox.findReply(agent, message.id);
    const sent = answered && !isHead ? await receive(context, answered) : answered;
    return { ...seenBy(caller, message), reply: sent ? shownReply(caller, sent) : null };
  },
  lines: ({ reply, ...seen }) => aboutMessage(seen, reply),
});

const listReplies = operation({
  name: "inbox.replies",
  says: "List an agent's replies",
  about: "Newest first. All of them for an operator; for a token of kind “inbox” those to what it posted.",
  route: "GET /agents/{agent}/outbox",
  command: "inbox replies <agent?>",
  examples: [["charter inbox replies ada", "list the replies, newest first"]],
  who: "inbox",
  input: { agent, ...page },
  answer: object({ replies: list(reply), more }).named("ReplyList", "Newest first."),
  run: async (context, { agent, ...asked }) => {
    const { caller, store, isHead } = context;
    checkPoster(caller, agent, "seeing replies");
    const isOperator = caller.kind === "operator";
    if (isOperator) await store.agents.get(agent);
    const ownMessages = isOperator ? {} : { prefix: `${posterOf(caller)}/` };
    const { rows, more } = await readPage((part) => store.inbox.listReplies(agent, { ...part, ...ownMessages }), asked);
    const replies = isHead ? rows : await Promise.all(rows.map((row) => receive(context, row)));
    return { replies: replies.map((one) => shownReply(caller, one)), more };
  },
  lines: ({ replies }, { agent }) =>
    replies.length === 0
      ? [`“${agent}” has replied to nobody yet.`]
      : columns(replyColumns, replies.map(replyCells), process.stdout),
});

const retryOne = operation({
  name: "inbox.retry",
  says: "Try a dead message again, or a reply that did not get to its chain",
  route: "POST /agents/{agent}/inbox/{id}/retry",
  command: "inbox retry <agent?> <id>",
  examples: [["charter inbox retry ada <id>", "let a dead message wait again, or send a failed reply again"]],
  who: "operator",
  input: { agent, id, by },
  answer: message,
  statuses: { 200: "It waits again, with three new tries; or its reply is sent again." },
  refuses: [409],
  run: async ({ store, operator }, { agent, id, by = operator }) => {
    const { name } = await store.agents.get(agent);
    return shownMessage(await retryMessage(store, { agent: name, id, by }));
  },
  lines: ({ id, status }) =>
    status === "waiting"
      ? [`“${id}” waits again, with three new tries.`]
      : [`The reply to “${id}” is sent to its chain again.`],
});

const retryAll = operation({
  name: "inbox.retry-all",
  says: "Try all dead messages again",
  route: "POST /agents/{agent}/inbox/retry",
  command: "inbox retry <agent?>",
  examples: [["charter inbox retry ada --all", "let all dead messages wait again"]],
  who: "operator",
  input: { agent, all: flag("All dead messages.").only("command").optional(), by },
  answer: object({ retried: whole("How many wait again.") }).named("RetriedMessages"),
  statuses: { 200: "They wait again, each with three new tries." },
  run: async ({ store, operator, caller }, { agent, all, by = operator }) => {
    if (caller.by === "command" && !all)
      throw new Problem(
        "usage",
        "charter inbox retry needs the id of a message.",
        "List them with charter inbox <agent>. For all that are dead: --all.",
      );
    return { retried: await store.inbox.retryAll((await store.agents.get(agent)).name, by) };
  },
  lines: ({ retried }, { agent }) => {
    if (retried === 0) return [`No message to “${agent}” is dead.`];
    const wait = retried === 1 ? "waits" : "wait";
    return [`${counted(retried, "message")} to “${agent}” ${wait} again, with three new tries.`];
  },
});

const discard = operation({
  name: "inbox.discard",
  says: "Withdraw a message that is dead or waits",
  route: "POST /agents/{agent}/inbox/{id}/discard",
  command: "inbox discard <agent?> <id>",
  examples: [["charter inbox discard ada <id>", "withdraw a message that is dead or waits"]],
  who: "operator",
  input: { agent, id, by },
  answer: message,
  statuses: { 200: "It will not be answered." },
  refuses: [409],
  run: async ({ store: { agents, inbox }, operator }, { agent, id, by = operator }) =>
    shownMessage(await inbox.discard((await agents.get(agent)).name, id, by)),
  lines: ({ id }) => [`“${id}” is withdrawn: it will not be answered.`],
});

/** Finds a message by its id: any for an operator, for others what they posted. Another sender's is answered as not found. */
async function messageFor({ store, caller }: OperationContext, agent: string, id: string): Promise<InboxMessage> {
  const { agents, inbox } = store;
  checkPoster(caller, agent, "seeing messages");
  if (caller.kind === "operator") return inbox.get((await agents.get(agent)).name, id);
  const storedId = caller.kind === "signer" ? signerMessageId(caller.address, id) : `${posterOf(caller)}/${id}`;
  const message = await inbox.find(agent, storedId);
  if (!message) throw notFound(`message “${id}”`);
  return message;
}

/** Marks a reply as received by its recipient. An operator who reads it is not its recipient. */
async function receive({ store, caller, clock }: OperationContext, one: OutboxReply): Promise<OutboxReply> {
  if (caller.kind === "operator" || one.sentAt !== null) return one;
  await store.inbox.markSent(one.agent, one.id);
  return { ...one, sentAt: clock().toISOString() };
}

function shownReply(caller: Caller, { id, to, message: messageId, body, at, sentAt, turn }: OutboxReply) {
  const message = shownId(caller, messageId);
  return { id, to, message, body, at, sentAt, ...(caller.kind === "operator" ? { turn } : {}) };
}

export const operations = [listMessages, showMessage, listReplies, postMessage, retryOne, retryAll, discard];

type Message = (typeof message)["holds"];
type Reply = (typeof reply)["holds"];

const messageColumns = ["id", "time (UTC)", "from", "paid", "tries", "last failure", "words"] as const;

function messageCells({ id, at, sender, paid, tries, failures, body }: Message): string[] {
  return [id, timeText(at), sender, paidText(paid), String(tries), failures.at(-1)?.because ?? "–", body];
}

const replyColumns = ["time (UTC)", "to", "message", "turn", "read", "words"] as const;

function replyCells({ at, to, message, turn = "–", sentAt, body }: Reply): string[] {
  return [timeText(at), to, message ?? "–", turn, sentAt === null ? "not yet" : timeText(sentAt), body];
}

/** Prints a message: who wrote what, each failed try, and the reply. */
function aboutMessage(seen: ValuesOf<typeof seenMessage>, answered: Reply | null): string[] {
  const { dim } = colours(process.stdout);
  const { id, sender, at, status, tries = 0, turn, failures = [], lane = "", agent, paid = null } = seen;
  const rows: [string, string][] = [
    ["message", id],
    ["to", agent],
    ["from", sender],
    ["posted", `${timeText(at)} UTC${lane === "" ? "" : `, lane ${lane}`}`],
    ...(paid === null ? [] : [["paid", paidText(paid)] as [string, string]]),
    ["status", status],
    ["tries", String(tries)],
    ["turn", turn ?? "–"],
    ...failures.map((one): [string, string] => [
      "failed",
      `${timeText(one.at)} UTC, turn ${one.turn ?? "–"}: ${one.because}`,
    ]),
  ];
  const again = hintsHere(
    `Try it again: charter inbox retry ${agent} ${id}; or withdraw it: charter inbox discard ${agent} ${id}`,
  );
  return [
    ...pairs(rows, process.stdout),
    dim("words"),
    ...indented(seen.body),
    ...(answered
      ? [dim(`reply, ${timeText(answered.at)} UTC, turn ${answered.turn}`), ...indented(answered.body)]
      : []),
    ...(status === "dead" ? [again] : []),
  ];
}

function paidText(paid: string | null): string {
  return paid === null ? "–" : `${paid} ETH`;
}

function indented(text: string): string[] {
  return text.split("\n").map((line) => `  ${oneLine(line)}`);
}

/** Puts a dead message back into the queue. For an answered one, sends its reply to the chain again if it has not got there. */
export async function retryMessage(
  { inbox, chain }: Pick<Store, "inbox" | "chain">,
  { agent, id, by }: { readonly agent: string; readonly id: string; readonly by: string },
): Promise<InboxMessage> {
  const reply = await inbox.findReply(agent, id);
  if (reply && (await chain.replies.retry(agent, reply.id, by))) return inbox.get(agent, id);
  return inbox.retry(agent, id, by);
}
