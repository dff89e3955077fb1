import type { Inbox, InboxAnswer, InboxMessage, OutboxReply } from "../../src/store/index.ts";

/** A turn answers one message, and nothing else comes of it. */
export async function answerMessage(
  inbox: Inbox,
  { agent, turn, message, reply: body }: InboxAnswer,
  limits?: Parameters<Inbox["finish"]>[1],
): Promise<OutboxReply> {
  const { replies } = await inbox.finish({ agent, turn, replies: [{ message, body }], failures: [] }, limits);
  if (replies[0]) return replies[0];
  throw new Error(`The turn “${turn}” does not hold the message “${message}”.`);
}

/** The turn that holds a message, or this one, gives it up. */
export async function failMessage(
  inbox: Inbox,
  agent: string,
  message: string,
  because: string,
  turn?: string,
): Promise<InboxMessage> {
  const holder = turn ?? (await inbox.get(agent, message)).turn ?? "";
  await inbox.finish({ agent, turn: holder, replies: [], failures: [{ message, because }] });
  return inbox.get(agent, message);
}

/** The replies that were not sent yet, oldest first. */
export async function unsentReplies(inbox: Inbox, agent: string): Promise<OutboxReply[]> {
  return (await inbox.listReplies(agent)).filter(({ sentAt }) => sentAt === null).reverse();
}
