import { type EventRow, messagesLetGo, turnEnded } from "../event.ts";
import { matching } from "../home/query.ts";
import { listOf, raw, sql } from "../home/sql.ts";
import { ownerName, type StoreFault } from "./faults.ts";
import type { RevisionMention } from "./hash-chain-reach.ts";
import type { Walk } from "./walk.ts";

/** A row an event tells of, by its table and id. */
type EventMention = { readonly table: StoreFault["table"]; readonly id: string; readonly event: EventRow };

const page = 500;

/** Events in which the store itself says what it wrote. A host may record others, and say in them what it likes. */
const kinds = [
  ...["amended", turnEnded, "amendment-held", "held-approved", "held-rejected", "tool-held", "message-answered"],
  ...["message-dead", "chat-linked", "chat-unlinked", "user-erased", messagesLetGo],
] as const;

/** Events outlast nothing, but while they are there they tell of rows: each of those is there, or was erased. */
export async function walkEvents(walk: Walk): Promise<void> {
  const { db, agent, faults, reached, breathe } = walk;
  const missing: EventMention[] = [];
  const linked = new Map<string, EventRow>();
  const erased = new Set<string>();
  const letGo = new Map<string, string>();
  for (let last = -1; ; ) {
    const rows = await db.all<EventRow>(sql`select * from events where id > ${last}
      and kind in ${listOf(kinds)} and ${matching({ agent })} order by id limit ${page}`);
    const read = rows.map((event) => ({ event, detail: detailOf(event) }));
    await reached.compare(read.flatMap(({ event, detail }) => amendmentTold(event, detail)));
    const told = read.flatMap(({ event, detail }) => rowsTold(event, detail));
    for (const [table, some] of Map.groupBy(told, ({ table }) => table))
      missing.push(...(await notThere(walk, table, some)));
    for (const { event, detail } of read) {
      const { kind } = event;
      const chat = JSON.stringify([event.agent, event.user_id, detail.channel]);
      if (kind === "user-erased" && typeof detail.user === "string")
        erased.add(JSON.stringify([event.agent, detail.user]));
      else if (kind === messagesLetGo && typeof detail.before === "string") letGo.set(event.agent, detail.before);
      else if (kind === "chat-unlinked") linked.delete(chat);
      else if (kind === "chat-linked" && detail.channel !== undefined) linked.set(chat, event);
    }
    last = rows.at(-1)?.id ?? last;
    await breathe();
    if (rows.length < page) break;
  }
  missing.push(...(await unlinked(walk, linked)));
  for (const { table, id, event } of missing) {
    // Whose rows these were may have been erased later on: that leaves turns and amendments, and takes all else.
    if (table !== "turns" && erased.has(JSON.stringify([event.agent, event.user_id]))) continue;
    // Whatever was there before then may have gone. An event is as old as the message, or younger: by how much nobody knows.
    if ((table === "inbox" || table === "outbox") && event.at < (letGo.get(event.agent) ?? "")) continue;
    const row = `${ownerName(event)}, ${id}`;
    faults.add({ table, row, what: "missing", reason: `event ${event.id} (${event.kind}) tells of it` });
  }
}

type Detail = Readonly<Record<string, unknown>>;

function detailOf({ detail }: EventRow): Detail {
  try {
    return Object(JSON.parse(detail));
  } catch {
    return {};
  }
}

function amendmentTold(event: EventRow, { section, revision }: Detail): RevisionMention[] {
  const amends = event.kind === "amended" || event.kind === "held-approved";
  if (!amends || typeof section !== "string" || !Number.isSafeInteger(revision)) return [];
  const { agent, user_id, id, kind } = event;
  return [{ agent, user_id, section, revision: revision as number, by: `event ${id} (${kind}) tells of it` }];
}

function rowsTold(event: EventRow, { held, message, reply }: Detail): EventMention[] {
  const told = (table: EventMention["table"], id: unknown) => (typeof id === "string" ? [{ table, id, event }] : []);
  if (event.kind === turnEnded) return told("turns", event.turn);
  if (event.kind === "tool-held") return told("held_calls", held);
  if (event.kind === "amendment-held" || event.kind.startsWith("held-")) return told("held", held);
  if (event.kind === "message-dead") return told("inbox", message);
  if (event.kind === "message-answered") return [...told("inbox", message), ...told("outbox", reply)];
  return [];
}

/** Which of them are not there. A call that waited in a turn that was erased went with it. */
async function notThere(
  { db }: Walk,
  table: EventMention["table"],
  told: readonly EventMention[],
): Promise<EventMention[]> {
  const ids = listOf([...new Set(told.map(({ id }) => id))]);
  const rows = await db.all<{ id: string }>(sql`select id from ${raw(table)} where id in ${ids}`);
  const there = new Set(rows.map(({ id }) => id));
  const gone = told.filter(({ id }) => !there.has(id));
  if (table !== "held_calls" || gone.length === 0) return gone;
  const turns = listOf([...new Set(gone.map(({ event }) => event.turn ?? ""))]);
  const erased = await db.all<{ id: string }>(sql`select id from turns where state = 'erased' and id in ${turns}`);
  return gone.filter(({ event }) => !erased.some(({ id }) => id === event.turn));
}

/** Chats of which the last that was heard is that they were linked. */
async function unlinked({ db, agent }: Walk, linked: Map<string, EventRow>): Promise<EventMention[]> {
  const links = await db.all<{ agent: string; user_id: string; channel: string }>(
    sql`select distinct agent, user_id, channel from links where ${matching({ agent })}`,
  );
  for (const { agent, user_id, channel } of links) linked.delete(JSON.stringify([agent, user_id, channel]));
  return [...linked].map(([key, event]) => ({ table: "links", id: `channel ${JSON.parse(key)[2]}`, event }));
}
