import { readFileSync } from "node:fs";
import type { InboxMessage, OutboxReply, Store } from "../../src/store/index.ts";
import { pages } from "../pages.ts";

/** What became of every message. */
export type MessageCounts = { readonly answered: number; readonly withdrawn: number; readonly dead: number };

type Found = MessageCounts & {
  readonly turns: number;
  readonly stateFaults: number;
  readonly faults: readonly string[];
};

/** Of every message: was it answered once, by its own reply; withdrawn; or is it dead with all reasons? And what is kept? */
export async function findMessageFaults(
  store: Store,
  { agent, posted, paid }: { readonly agent: string; readonly posted: readonly string[]; readonly paid: string },
): Promise<Found> {
  const replies = Map.groupBy(await pages((page) => store.inbox.listReplies(agent, page)), ({ message }) => message);
  const messages: InboxMessage[] = [];
  for (const status of ["waiting", "taken", "answered", "dead", "withdrawn"] as const)
    messages.push(...(await pages((page) => store.inbox.list(agent, status, page))));
  const known = new Set(messages.map(({ id }) => id));
  const faults = [
    ...posted.filter((id) => !known.has(id)).map((id) => `the message ${id} is gone`),
    ...messages.flatMap((one) =>
      messageFaults(one, replies.get(one.id) ?? []).map((fault) => `the message ${one.id} ${fault}`),
    ),
    ...(await conversationFaults(store, agent)),
    ...repeated(readFileSync(paid, "utf8").split("\n").filter(Boolean)).map((id) => `${id} was paid twice`),
  ];
  const count = (status: InboxMessage["status"]) => messages.filter((one) => one.status === status).length;
  const events = await pages((page) => store.events.list({ agent, kind: "automaton-fault", ...page }));
  return {
    answered: count("answered"),
    withdrawn: count("withdrawn"),
    dead: count("dead"),
    turns: (await store.automata.find(agent))?.turns ?? 0,
    stateFaults: events.length,
    faults,
  };
}

/** What is wrong with a message, and the replies there are to it. */
export function messageFaults(
  { id, sender, status, tries, failures }: Pick<InboxMessage, "id" | "sender" | "status" | "tries" | "failures">,
  replies: readonly Pick<OutboxReply, "to" | "body">[],
): string[] {
  if (status === "waiting" || status === "taken") return [`is ${status} for ever`];
  const found = { replies: replies.length, reasons: failures.filter(({ because }) => because !== "").length };
  // A failure in an outage has its reason, and was no try.
  const expected = {
    answered: { replies: 1, reasons: Math.max(found.reasons, tries - 1) },
    withdrawn: { replies: 0, reasons: Math.max(found.reasons, tries) },
    dead: { replies: 0, reasons: Math.max(found.reasons, 3) },
  }[status];
  const wrong = replies.filter(({ to, body }) => to !== sender || body !== `Reply to ${id}.`);
  return [
    ...(JSON.stringify(found) === JSON.stringify(expected)
      ? []
      : [`is ${status} after ${tries} tries with ${JSON.stringify(found)}`]),
    ...wrong.map(({ to, body }) => `got the reply “${body}” to ${to}`),
  ];
}

async function conversationFaults(store: Store, agent: string): Promise<string[]> {
  const conversations = await pages((page) => store.conversations.list(agent, page));
  const faults = conversations.length > 200 ? [`${conversations.length} conversations are kept`] : [];
  const ids: string[] = [];
  for (const { counterpart } of conversations) {
    const { exchanges = [] } = (await store.conversations.read(agent, counterpart)) ?? {};
    ids.push(...exchanges.map(({ inbox_message_id: id }) => id));
    if (exchanges.length > 20) faults.push(`${exchanges.length} exchanges with ${counterpart} are kept`);
    if (exchanges.some(({ sender_body, agent_reply }) => Math.max(sender_body.length, agent_reply.length) > 500))
      faults.push(`an exchange with ${counterpart} is longer than 500 characters`);
  }
  return [...faults, ...repeated(ids).map((id) => `the exchange ${id} is kept twice`)];
}

function repeated(names: readonly string[]): string[] {
  return [...Map.groupBy(names, (name) => name)].filter(([, all]) => all.length > 1).map(([name]) => name);
}
