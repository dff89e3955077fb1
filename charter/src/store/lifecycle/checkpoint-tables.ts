import type { Database } from "../home/database.ts";
import { joinQueries, type Query, raw, sql, type Value } from "../home/sql.ts";
import { scopedTables } from "../home/tables.ts";

/**
 * A table as a checkpoint keeps it. Numbers the database counts itself are left out: the order of the rows says what
 * they said, and a checkpoint fits into a store that has counted on.
 */
type CheckpointTable = {
  readonly table: string;
  readonly columns: readonly string[];
  /** The columns a later step of the schema brought, and which. A table whose columns all are such came with it. */
  readonly since: Readonly<Record<string, number>>;
  /** What rows from before such a column hold in it, where that is something. */
  readonly usual: Readonly<Record<string, Value>>;
  readonly order: readonly { readonly column: string; readonly counts: boolean }[];
};

/**
 * Its columns, and those its rows are ordered by: `#` marks a number. `2:` stands before what schema 2 brought, and what
 * older rows hold there after a `=`.
 */
function kept(table: string, columns: string, order: string): CheckpointTable {
  const by = order.split(" ").map((name) => ({ column: name.replace("#", ""), counts: name.startsWith("#") }));
  const names: string[] = [];
  const since: Record<string, number> = {};
  const usual: Record<string, Value> = {};
  let schema = 1;
  for (const word of columns.split(/\s+/)) {
    if (word.endsWith(":")) schema = Number.parseInt(word, 10);
    else {
      const [name = "", older] = word.split("=");
      names.push(name);
      if (schema > 1) since[name] = schema;
      if (older !== undefined) usual[name] = /^\d+$/.test(older) ? Number(older) : older;
    }
  }
  return { table, columns: names, since, usual, order: by };
}

/** The columns a checkpoint has that was saved with this schema. */
export function columnsAt({ columns, since }: CheckpointTable, schema: number): string[] {
  return columns.filter((column) => (since[column] ?? 1) <= schema);
}

export const checkpointTables: readonly CheckpointTable[] = [
  kept("agents", "name charter model settings frozen created_at updated_at 7: label removed_at 8: fallbacks", "name"),
  kept("users", "id zone created_at", "id"),
  kept(
    "amendments",
    `agent user_id section revision operation actor turn at reason reason_digest before_digest after_digest previous
      digest key erased_at`,
    "agent user_id section #revision",
  ),
  kept("standings", "agent user_id section revision digest words", "agent user_id section"),
  kept(
    "held",
    `id agent user_id section proposal refusals before_words after_words at key status decided_at decided_by because
      revision`,
    "id",
  ),
  kept("memories", "id agent user_id key words folded tainted turn at", "#number"),
  kept("conversations", "agent user_id last_at active exchanges", "agent user_id"),
  kept("exchanges", "agent user_id number message sender_body agent_reply turn at", "agent user_id #number"),
  kept(
    "inbox",
    `id agent user_id sender body at status tries leased_until turn failure channel
      5: lane= round=0 draft secret secret_until`,
    "agent id",
  ),
  kept("outbox", "id agent user_id body at turn message sent_at", "agent id"),
  kept(
    "sessions",
    "id agent user_id receiver baseline started_at last_at ended_at 3: channel 7: because 8: stands_in_for",
    "id",
  ),
  kept(
    "turns",
    `id agent user_id session channel input reply state tainted started_at ended_at
      2: runner lease_seconds leased_until 5: micros 7: told_as told_in told_at 8: attachments context
      9: input_tokens read_tokens written_tokens output_tokens model because duration_ms tools=0 missed=0`,
    "id",
  ),
  kept(
    "steps",
    `agent number user_id turn step at receipt previous digest erased_at came came_digest
      9: input_tokens read_tokens written_tokens output_tokens missed=0 stable`,
    "agent #number",
  ),
  kept("chains", "agent number digest", "agent"),
  kept("events", "agent user_id at kind turn detail", "#id"),
  kept(
    "schedules",
    `id agent user_id title cron zone input channel next_at last_at ended_at leased_until
      3: missed=once overlap=skip most_tries=3 next_zone`,
    "id",
  ),
  kept("spending", "2: agent user_id day receiver micros input read written output", "agent user_id day receiver"),
  kept(
    "held_calls",
    `2: id agent user_id turn step call call_digest tool input because at status decided_at decided_by decided_because taken_at
      ended_at result 11: place`,
    "id",
  ),
  kept(
    "runs",
    `3: id agent user_id schedule due_at state tries next_try_at runner leased_until turn because started_at ended_at`,
    "id",
  ),
  // Codes to link a chat are left out: a copy would let one in a second time.
  kept("links", "3: agent user_id channel address at", "agent channel address"),
  kept("identities", "11: agent user_id issuer subject at", "agent issuer subject"),
  kept(
    "updates",
    "3: agent user_id channel id address body at state tries leased_until turn failure",
    "agent channel id",
  ),
  kept(
    "dispatches",
    `3: id agent user_id channel address body extra at turn state tries next_try_at leased_until failure sent_at`,
    "id",
  ),
  kept(
    "automata",
    `5: agent state state_at turn tier good_checks granted spent_before asleep_until own_turn_at away_since away_because
      away_turn runner leased_until earned_on earned`,
    "agent",
  ),
  kept("totals", "5: agent micros turns", "agent"),
  kept("lanes", "5: agent lane served", "agent lane"),
  kept("message_ids", "5: agent digest until", "agent digest"),
  kept(
    "publications",
    `6: agent id section revision address created_at body at state tries next_try_at taken missed settled_at`,
    "agent id",
  ),
  kept("heads", "6: agent section address id created_at digest place body at", "agent section address"),
  kept(
    "tool_pins",
    `8: agent server tool id status digest definition next_digest next_definition because at decided_at decided_by
      decided_because`,
    "agent server tool",
  ),
  kept(
    "chain_cursors",
    "10: agent chain contract start_block block hash head unconfirmed read_at problem runner leased_until address",
    "agent #chain contract",
  ),
  kept("chain_blocks", "10: agent chain contract block hash", "agent #chain contract #block"),
  kept(
    "chain_messages",
    "10: agent message user_id chain contract on_chain tx place block block_hash value state withdrawn at cycles",
    "agent message",
  ),
  kept(
    "chain_replies",
    `10: agent reply user_id message chain contract on_chain state raw tx nonce fee at sent_at block block_hash reason`,
    "agent reply",
  ),
  kept("chain_balances", "10: agent chain asset amount decimals symbol block read_at", "agent #chain asset"),
  kept("attachments", "8: agent user_id digest media_type size body at erased_at", "agent user_id digest"),
  kept("tokens", "id digest name agent user_id rights created_at expires_at last_used_at revoked_at", "id"),
];

/** The rows of a table: everyone's, or one agent's and the users it knows. */
export function rowsOf({ dialect }: Database, { table, columns, order }: CheckpointTable, agent?: string): Query {
  const by = order.map(({ column, counts }) => (counts ? raw(column) : sql`${raw(column)}${dialect.bytewise}`));
  const whose = agent === undefined ? raw("") : ofAgent(table, agent);
  return sql`select ${raw(columns.join(", "))} from ${raw(table)} ${whose} order by ${joinQueries(by, ", ")}`;
}

function ofAgent(table: string, agent: string): Query {
  if (table === "agents") return sql`where name = ${agent}`;
  if (table !== "users") return sql`where agent = ${agent}`;
  const known = scopedTables.map((one) => sql`select user_id from ${raw(one)} where agent = ${agent}`);
  return sql`where id in (${joinQueries(known, " union ")})`;
}
