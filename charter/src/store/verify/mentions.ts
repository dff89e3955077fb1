import { type EventRow, messagesLetGo, turnEnded } from "../event.ts";
import { matching } from "../home/query.ts";
import { listOf, type Query, raw, sql } from "../home/sql.ts";
import { ownerColumns } from "../home/table.ts";
import { ownerWords } from "../home/table-statements.ts";
import { ownerName, type RevisionMention, type StoreFault, type Walk } from "./walk.ts";

/** A rule about rows that other rows mention. `query` finds those that are mentioned and missing. */
type MentionRule = {
  readonly table: string;
  readonly reason: string;
  readonly query: Query;
  /** Limits the rule to ids in the form that the store itself makes (see `Reference`). */
  readonly anyName?: true | undefined;
};
type MissingRow = { agent: string; user_id: string | null; name: string | null };

const maxMissing = 1000;

/** Form of the ids that the store itself makes (`deps.ts`). */
const ownName = /^[0-9a-z]{17}$/;

/** Reports rows that are missing and still mentioned elsewhere: the store never deletes a row without those that mention it. */
export async function walkMentions(walk: Walk): Promise<void> {
  const { db, faults, reached } = walk;
  for (const { table, reason, query, anyName } of [...agentRules(walk), ...referenceRules(walk), ...otherRules(walk)])
    for (const { agent, user_id, name } of await db.all<MissingRow>(sql`${query} limit ${maxMissing}`)) {
      const owner = ownerName({ agent, ...(user_id === null ? {} : { user_id }) });
      const row = name === null ? owner : `${owner}, ${name}`;
      if (!anyName || ownName.test(name ?? "")) faults.add({ table, row, what: "missing", reason });
    }
  const approved = await db.all<{ id: string; agent: string; user_id: string; section: string; revision: number }>(
    sql`select h.id, h.agent, h.user_id, h.section, h.revision from held h where h.status = 'approved'
      and h.revision is not null and ${ofAgent(walk, "h")} and not exists (select 1 from amendments a where a.agent = h.agent
        and a.user_id = h.user_id and a.section = h.section and a.revision = h.revision) limit ${maxMissing}`,
  );
  await reached.compare(approved.map(({ id, ...row }) => ({ ...row, by: `the proposal ${id} was approved as it` })));
  await countErased(walk);
  await eventsGone(walk);
}

const ofAgent = ({ agent }: Pick<Walk, "agent">, table: string) => matching({ [`${table}.agent`]: agent });

/** Returns the rules for agents: every row that names an agent mentions it. */
function agentRules(walk: Walk): MentionRule[] {
  // Exceptions: current texts are covered by their amendments, and anyone may record an event, of which only `agent-set` is the
  // store's own.
  const but = ["standings", "seals", "agents"];
  return walk.tables.flatMap((made): MentionRule[] => {
    const { agent } = ownerColumns(made);
    if (agent === undefined || but.includes(made.name)) return [];
    const query = sql`select ${raw(agent)} as agent, null as user_id, null as name from ${raw(made.name)} t
      where ${raw(agent)} is not null and ${matching({ kind: made.name === "events" ? "agent-set" : undefined })}
        and ${matching({ [agent]: walk.agent })}
        and not exists (select 1 from agents a where a.name = t.${raw(agent)}) group by 1`;
    return [{ table: "agents", reason: `${made.name} tell of it`, query }];
  });
}

const lacking = (table: string, on: string) => sql`not exists (select 1 from ${raw(table)} o where ${raw(on)})`;

/** Returns the rules for columns that are declared to refer to other rows. */
function referenceRules(walk: Walk): MentionRule[] {
  return walk.tables.flatMap((made) =>
    made.all.flatMap(({ column, refers }): MentionRule[] => {
      const { agent: whose } = ownerColumns(made);
      if (!refers || (walk.agent !== undefined && whose === undefined)) return [];
      const { to, because: reason, anyName, unless = "false" } = refers;
      const [agent, user] = ownerWords(made, "t.");
      const other = walk.tables.find(({ name }) => name === to);
      if (!other) return [];
      const of = ownerColumns(other);
      const sameKey = other.key
        .map((one) => `o.${one} = ${one === of.agent ? agent : one === of.user ? user : `t.${column}`}`)
        .join(" and ");
      const query = sql`select ${raw(agent)} as agent, ${raw(user)} as user_id, t.${raw(column)} as name
        from ${raw(made.name)} t where t.${raw(column)} is not null and not (${raw(unless)})
          and ${raw(anyName ? `length(t.${column}) = 17` : "1 = 1")} and ${lacking(to, sameKey)}
          and ${matching({ [`t.${whose}`]: walk.agent })} group by 1, 2, 3`;
      return [{ table: to, reason, query, anyName }];
    }),
  );
}

/** Returns the rules for rows that prove others by being there, not by a column. */
function otherRules(walk: Walk): MentionRule[] {
  const tellers = (table: string, name: string, where: Query) => sql`select t.agent, t.user_id, ${raw(name)} as name
    from ${raw(table)} t where ${where} and ${ofAgent(walk, "t")}`;
  const sameOwner = "o.agent = t.agent and o.user_id = t.user_id";
  const answered = sql`t.status = 'answered' and ${lacking("outbox", "o.agent = t.agent and o.message = t.id")}`;
  return [
    {
      table: "conversations",
      reason: "exchanges of it are there",
      query: sql`${tellers("exchanges", "null", lacking("conversations", sameOwner))} group by t.agent, t.user_id`,
    },
    {
      table: "exchanges",
      reason: "their conversation is there",
      query: tellers("conversations", "null", lacking("exchanges", sameOwner)),
    },
    { table: "outbox", reason: "the message it answers is there", query: tellers("inbox", "t.id", answered) },
  ];
}

/**
 * Compares an erased user's amendments with the events about them, which say no more than that there was one: at least so many
 * must be there.
 */
async function countErased(walk: Walk): Promise<void> {
  const { db, faults } = walk;
  const rows = await db.all<{ agent: string; user_id: string; told: number; kept: number }>(sql`
    select e.agent, e.user_id, e.told, (select count(*) from amendments a
        where a.agent = e.agent and a.user_id = e.user_id) as kept
    from (select t.agent, t.user_id, count(*) as told from events t
      where t.kind = 'amended' and ${ofAgent(walk, "t")} group by t.agent, t.user_id having min(t.detail) = '{}') e`);
  const isNamed = (owner: string) => faults.list.some(({ row, what }) => what === "missing" && row.startsWith(owner));
  for (const { told, kept, ...owner } of rows)
    if (told > kept && !isNamed(ownerName(owner))) {
      const because = `events tell of ${told}, and ${kept} are there`;
      faults.add({ table: "amendments", row: ownerName(owner), what: "missing", reason: because });
    }
}

/** Reports a store without any events: adding an agent leaves an event, and so does deleting events by retention. */
async function eventsGone({ db, agent, faults }: Walk): Promise<void> {
  const anyEvent = await db.one(sql`select 1 as there from events limit 1`);
  if (anyEvent || agent !== undefined) return;
  const anyMention = await db.one(
    raw(`select 1 as there where exists (select 1 from agents)
    or exists (select 1 from turns) or exists (select 1 from amendments)`),
  );
  if (!anyMention) return;
  const because = "there are agents, turns or amendments, and not one event";
  faults.add({ table: "events", row: "all of them", what: "missing", reason: because });
}

/** A row that an event mentions, by its table and id. */
type EventMention = { readonly table: StoreFault["table"]; readonly id: string; readonly event: EventRow };

const eventsPerPage = 500;

/** Kinds of events that the store itself records about its rows. A host may record others, and say in them what it likes. */
const kinds = [
  ...["amended", turnEnded, "amendment-held", "held-approved", "held-rejected", "tool-held", "message-answered"],
  ...["message-dead", "chat-linked", "chat-unlinked", "user-erased", messagesLetGo],
] as const;

/** Checks the rows that events mention: each of them is there, or was erased. Rows outlast their events. */
export async function walkEvents(walk: Walk): Promise<void> {
  const { db, agent, faults, reached, breathe } = walk;
  const missing: EventMention[] = [];
  const linked = new Map<string, EventRow>();
  const erased = new Set<string>();
  const letGo = new Map<string, string>();
  for (let last = -1; ; ) {
    const rows = await db.all<EventRow>(sql`select * from events where id > ${last}
      and kind in ${listOf(kinds)} and ${matching({ agent })} order by id limit ${eventsPerPage}`);
    const read = rows.map((event) => ({ event, detail: detailOf(event) }));
    await reached.compare(read.flatMap(({ event, detail }) => amendmentTold(event, detail)));
    const mentions = read.flatMap(({ event, detail }) => rowsTold(event, detail));
    for (const [table, some] of Map.groupBy(mentions, ({ table }) => table))
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
    if (rows.length < eventsPerPage) break;
  }
  missing.push(...(await unlinked(walk, linked)));
  for (const { table, id, event } of missing) {
    // Erasure of the owner may have come later: it leaves turns and amendments, and deletes all else.
    if (table !== "turns" && erased.has(JSON.stringify([event.agent, event.user_id]))) continue;
    // Retention deletes messages from before that time. An event is never older than its message, but may be younger, so only its
    // own time counts.
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
  const mention = (table: EventMention["table"], id: unknown) => (typeof id === "string" ? [{ table, id, event }] : []);
  if (event.kind === turnEnded) return mention("turns", event.turn);
  if (event.kind === "tool-held") return mention("held_calls", held);
  if (event.kind === "amendment-held" || event.kind.startsWith("held-")) return mention("held", held);
  if (event.kind === "message-dead") return mention("inbox", message);
  if (event.kind === "message-answered") return [...mention("inbox", message), ...mention("outbox", reply)];
  return [];
}

/** Returns the mentioned rows that are not there. A call that was held in an erased turn was deleted with it. */
async function notThere(
  { db }: Walk,
  table: EventMention["table"],
  told: readonly EventMention[],
): Promise<EventMention[]> {
  const ids = listOf([...new Set(told.map(({ id }) => id))]);
  const rows = await db.all<{ id: string }>(sql`select id from ${raw(table)} where id in ${ids}`);
  const present = new Set(rows.map(({ id }) => id));
  const missing = told.filter(({ id }) => !present.has(id));
  if (table !== "held_calls" || missing.length === 0) return missing;
  const turns = listOf([...new Set(missing.map(({ event }) => event.turn ?? ""))]);
  const erased = await db.all<{ id: string }>(sql`select id from turns where state = 'erased' and id in ${turns}`);
  return missing.filter(({ event }) => !erased.some(({ id }) => id === event.turn));
}

/** Returns the chats whose last event says that they are linked, and which have no link. */
async function unlinked({ db, agent }: Walk, linked: Map<string, EventRow>): Promise<EventMention[]> {
  const links = await db.all<{ agent: string; user_id: string; channel: string }>(
    sql`select distinct agent, user_id, channel from links where ${matching({ agent })}`,
  );
  for (const { agent, user_id, channel } of links) linked.delete(JSON.stringify([agent, user_id, channel]));
  return [...linked].map(([key, event]) => ({ table: "links", id: `channel ${JSON.parse(key)[2]}`, event }));
}
