import { joinQueries, type Query, raw, sql } from "../home/sql.ts";
import { ownerColumns } from "../home/table.ts";
import { chainName, type StoreFault } from "./faults.ts";
import type { Walk } from "./walk.ts";

/** Rows that other rows tell of. Each `query` gives those that are told of and not there. */
type MentionRule = {
  readonly table: StoreFault["table"];
  readonly reason: string;
  readonly query: Query;
  /** Others may give such rows any name, and keep none: only what the store named itself was there for sure. */
  readonly anyName?: true;
};
type Row = { agent: string; user_id: string | null; name: string | null };

const max = 1000;

/** How the store names what it names itself (`id.ts`). */
const ownName = /^[0-9a-z]{17}$/;

/** What is gone as a whole, and is still told of: no row here is ever deleted without those that tell of it. */
export async function walkMentions(walk: Walk): Promise<void> {
  const { db, faults, reached } = walk;
  for (const { table, reason: because, query, anyName } of [...agentRules(walk), ...rowRules(walk)])
    for (const { agent, user_id, name } of await db.all<Row>(sql`${query} limit ${max}`)) {
      const whose = chainName({ agent, ...(user_id === null ? {} : { user_id }) });
      const row = name === null ? whose : `${whose}, ${name}`;
      if (!anyName || ownName.test(name ?? "")) faults.add({ table, row, what: "missing", reason: because });
    }
  const approved = await db.all<{ id: string; agent: string; user_id: string; section: string; revision: number }>(
    sql`select h.id, h.agent, h.user_id, h.section, h.revision from held h where h.status = 'approved'
      and h.revision is not null ${ofAgent(walk, "h")} and not exists (select 1 from amendments a where a.agent = h.agent
        and a.user_id = h.user_id and a.section = h.section and a.revision = h.revision) limit ${max}`,
  );
  await reached.compare(approved.map(({ id, ...row }) => ({ ...row, by: `the proposal ${id} was approved as it` })));
  await countErased(walk);
  await eventsGone(walk);
}

const ofAgent = ({ agent }: Pick<Walk, "agent">, table: string) =>
  agent === undefined ? raw("") : sql`and ${raw(table)}.agent = ${agent}`;

function agentRules(walk: Walk): MentionRule[] {
  // Words that stand are told of by their amendments, and anyone may record an event.
  const but = ["events", "standings", "seals", "agents"];
  const tables = walk.tables
    .filter((made) => ownerColumns(made).agent !== undefined && !but.includes(made.name))
    .map(({ name }) => name);
  const gone = (
    table: string,
    where = raw(""),
  ) => sql`select t.agent, null as user_id, null as name from ${raw(table)} t
    where t.agent is not null ${where} ${ofAgent(walk, "t")}
      and not exists (select 1 from agents a where a.name = t.agent) group by t.agent`;
  const rule = (table: string, query: Query): MentionRule => ({
    table: "agents",
    reason: `${table} tell of it`,
    query,
  });
  return [
    ...tables.map((table) => rule(table, gone(table))),
    rule("events", gone("events", raw("and t.kind = 'agent-set'"))),
  ];
}

function rowRules(walk: Walk): MentionRule[] {
  const from = (table: string, name: string, where: Query) => sql`select t.agent, t.user_id, ${raw(name)} as name
    from ${raw(table)} t where ${where} ${ofAgent(walk, "t")}`;
  const lacking = (table: string, on: string) => sql`not exists (select 1 from ${raw(table)} o where ${raw(on)})`;
  const same = "o.agent = t.agent and o.user_id = t.user_id";
  const rules: MentionRule[] = [
    {
      table: "turns",
      reason: "steps were taken in it",
      query: sql`${from("steps", "t.turn", lacking("turns", "o.id = t.turn"))} group by t.agent, t.user_id, t.turn`,
    },
    {
      table: "turns",
      reason: "a call was held in it",
      query: from("held_calls", "t.turn", lacking("turns", "o.id = t.turn")),
    },
    ...(["amendments", "memories"] as const).map((table): MentionRule => {
      const gone = sql`t.turn is not null and length(t.turn) = 17 and ${lacking("turns", "o.id = t.turn")}`;
      const query = sql`${from(table, "t.turn", gone)} group by t.agent, t.user_id, t.turn`;
      return { table: "turns", reason: `${table} were made in it`, query, anyName: true };
    }),
    {
      table: "sessions",
      reason: "turns were taken in it",
      anyName: true,
      query: sql`${from(
        "turns",
        "t.session",
        sql`t.session is not null and t.state <> 'erased' and length(t.session) = 17
        and ${lacking("sessions", "o.id = t.session")}`,
      )} group by t.agent, t.user_id, t.session`,
    },
    {
      table: "schedules",
      reason: "it was run",
      query: sql`${from("runs", "t.schedule", lacking("schedules", "o.id = t.schedule"))}
        group by t.agent, t.user_id, t.schedule`,
    },
    {
      table: "conversations",
      reason: "exchanges of it are there",
      query: sql`${from("exchanges", "null", lacking("conversations", same))} group by t.agent, t.user_id`,
    },
    {
      table: "exchanges",
      reason: "their conversation is there",
      query: from("conversations", "null", lacking("exchanges", same)),
    },
    {
      table: "inbox",
      reason: "it was answered",
      query: from(
        "outbox",
        "t.message",
        sql`t.message is not null and ${lacking("inbox", "o.agent = t.agent and o.id = t.message")}`,
      ),
    },
    {
      table: "outbox",
      reason: "the message it answers is there",
      query: from(
        "inbox",
        "t.id",
        sql`t.status = 'answered' and ${lacking("outbox", "o.agent = t.agent and o.message = t.id")}`,
      ),
    },
  ];
  for (const [table, row, name] of [
    ["inbox", "chain_messages", "message"],
    ["outbox", "chain_replies", "reply"],
  ] as const) {
    const query = from(
      row,
      `t.${name}`,
      sql`t.state <> 'erased' and ${lacking(table, `o.agent = t.agent and o.id = t.${name}`)}`,
    );
    rules.push({ table, reason: "its place on the chain is there", query });
  }
  return rules;
}

/** An erased user's events say no more than that there was something; so many rows there are at least. */
async function countErased(walk: Walk): Promise<void> {
  const { db, faults } = walk;
  const rows = await db.all<{ agent: string; user_id: string; told: number; kept: number }>(sql`
    select e.agent, e.user_id, e.told, (select count(*) from amendments a
        where a.agent = e.agent and a.user_id = e.user_id) as kept
    from (select t.agent, t.user_id, count(*) as told from events t
      where t.kind = 'amended' ${ofAgent(walk, "t")} group by t.agent, t.user_id having min(t.detail) = '{}') e`);
  const isNamed = (chain: string) => faults.list.some(({ row, what }) => what === "missing" && row.startsWith(chain));
  for (const { told, kept, ...chain } of rows)
    if (told > kept && !isNamed(chainName(chain))) {
      const because = `events tell of ${told}, and ${kept} are there`;
      faults.add({ table: "amendments", row: chainName(chain), what: "missing", reason: because });
    }
}

/** Whoever adds an agent leaves an event, and whoever lets go of events says so in one. */
async function eventsGone({ db, agent, faults }: Walk): Promise<void> {
  const there = await db.one(sql`select 1 as there from events limit 1`);
  if (there || agent !== undefined) return;
  const tellers = [raw("select 1 from agents"), raw("select 1 from turns"), raw("select 1 from amendments")];
  const told = await db.one(
    sql`select 1 as there where ${joinQueries(
      tellers.map((one) => sql`exists (${one})`),
      " or ",
    )}`,
  );
  if (!told) return;
  const because = "there are agents, turns or amendments, and not one event";
  faults.add({ table: "events", row: "all of them", what: "missing", reason: because });
}
