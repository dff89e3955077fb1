import { type Query, raw, sql } from "../../charter/src/store/home/sql.ts";
import type { Store } from "../../charter/src/store/store.ts";

/** How many of each there are; half of the turns are `agent-0`'s, the rest is shared out evenly. */
export type ListedSizes = { readonly agents: number; readonly users: number; readonly turns: number };

/** The last turn begins then, each a minute after the one before it. */
export const listedUntil = "2026-02-18T12:00:00.000Z";

/** A row for each number, from 0: in every home a column `n`. */
const numbers = (count: number) =>
  sql`with recursive count_up(n) as (select 0 union all select n + 1 from count_up where n + 1 < ${raw(String(count))})`;

/** Every turn has words all have, some that some have, and one of its own. */
const words = (n: string) =>
  `'hello there is a refund for order about' || (${n} % 97) || ' and number' || ${n} || ' which came on day' || (${n} % 365)`;

const reply = `'It was sent in parcel' || (n % 1009) || ' to street' || (n % 313) || ' where it lies with ticket' || n || '. '
  || 'We are sorry that it took so long; nothing else is owed, and you need not do anything. Tell us if it is not there by day'
  || (n % 365) || ', and a person of team' || (n % 23) || ' will look after it.'`;

/**
 * Fills a store with what lists show, by SQL and not turn by turn: turns with steps, words, a session for each user and agent, events,
 * messages, users and what was spent. The agents are made by the store, which also knows them then.
 */
export async function fillLists(store: Store, { agents, users, turns }: ListedSizes): Promise<void> {
  for (let index = 0; index < agents; index++) await store.agents.add({ name: `agent-${index}`, charter: "assistant" });
  const { dialect } = await store.home.read("everything", async (db) => db);
  const postgres = dialect.name === "postgres";
  const number = `case when n % 2 = 0 then 0 else (n / 2) % ${agents} end`;
  const agent = `'agent-' || (${number})`;
  const user = `'user-' || (n % ${users})`;
  const session = `'session-' || (${number}) || '-' || (n % ${users})`;
  const at = (n: string) =>
    postgres
      ? `to_char(timestamp '${listedUntil.slice(0, -1)}' - (${turns - 1} - (${n})) * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
      : `strftime('%Y-%m-%dT%H:%M:%fZ', '${listedUntil}', '-' || (${turns - 1} - (${n})) || ' minutes')`;
  // About its number among its agent's.
  const own = `(n / ${2 * agents})`;
  const state = `case when ${own} % 50 = 10 then 'failed' else 'answered' end`;
  const read = `case when ${own} % 60 = 2 then 0 else 600 end`;
  const fill = (count: number, query: string): Query =>
    sql`${raw(query.split(" select ")[0] as string)} ${numbers(count)} select ${raw(query.slice(query.indexOf(" select ") + 8))}`;
  await store.home.write("everything", async (db) => {
    await db.run(
      fill(
        turns,
        `insert into turns (id, agent, user_id, session, channel, input, reply, state, tainted, started_at, ended_at, micros,
          input_tokens, read_tokens, written_tokens, output_tokens, model, duration_ms, tools, missed, worded)
        select 'turn-' || n, ${agent}, ${user}, ${session}, case ${own} % 40 when 3 then 'telegram' else 'web' end,
          ${words("n")}, ${reply}, ${state}, 0, ${at("n")}, ${at("n")},
          case when n % 7 = 0 then null else (n * 7919) % 100000 end, 1000, ${read}, 100, 20,
          case ${own} % 40 when 5 then 'openai/gpt-5' else 'anthropic/claude' end, (n * 31) % 9000,
          case when ${own} % 60 = 1 then 1 else 0 end, case when ${own} % 60 = 2 then 1 else 0 end, 1 from count_up`,
      ),
    );
    await db.run(
      fill(
        turns,
        `insert into steps (agent, number, user_id, turn, step, at, receipt, previous, digest, result, result_digest,
          input_tokens, read_tokens, written_tokens, output_tokens)
        select ${agent}, 1 + n, ${user}, 'turn-' || n, 1, ${at("n")}, 'none', '', 'digest-' || n, null, null,
          1000, ${read}, 100, 20 from count_up`,
      ),
    );
    await db.run(
      fill(
        turns,
        `insert into sessions (id, agent, user_id, receiver, baseline, started_at, last_at, ended_at, channel)
        select ${session}, ${agent}, min(${user}), 'anthropic/claude', '{}', min(${at("n")}), max(${at("n")}), null, 'web'
          from count_up group by 1, 2`,
      ),
    );
    await db.run(
      fill(
        turns,
        `insert into events (agent, user_id, at, kind, turn, detail)
        select ${agent}, '', ${at("n")}, case ${own} / 20 % 4 when 0 then 'amended' when 1 then 'amendment-refused'
          when 2 then 'amendment-held' else 'tool-held' end, 'turn-' || n, '{}' from count_up where ${own} % 20 = 4`,
      ),
    );
    await db.run(
      fill(
        users,
        `insert into conversations (agent, user_id, last_at, active, exchanges)
        select ${agent}, 'counterpart:sender-' || n, ${at("n")}, 1, 3 from count_up`,
      ),
    );
    const day = "substr(started_at, 1, 10)";
    await db.run(
      raw(`insert into spending (agent, user_id, day, receiver, micros, input, read, written, output)
        select agent, user_id, ${day}, model, coalesce(sum(micros), 0), sum(input_tokens), sum(read_tokens),
          sum(written_tokens), sum(output_tokens) from turns group by agent, user_id, ${day}, model`),
    );
    await db.run(raw(`insert into users (id, created_at) select user_id, min(started_at) from turns group by user_id`));
    for (const query of postgres ? postgresWords : sqliteWords) await db.run(raw(query));
  });
}

/** As the store itself keeps them, by each home's own way. */
const said = "turns.input || ' ' || turns.reply";
const postgresWords = [
  `insert into turn_words (turn, agent, user_id, words) select id, agent, user_id,
    array_to_tsvector(array_remove(regexp_split_to_array(lower(${said}), '[^a-z0-9]+')
      || ('@' || encode(convert_to(agent, 'UTF8'), 'hex')), '')) from turns`,
];
const sqliteWords = [
  "insert into turn_words (turn, agent, user_id) select id, agent, user_id from turns order by started_at",
  `insert into turns_search (rowid, words) select number, char(57344) || lower(hex(turns.agent)) || ' ' || char(57344)
    || lower(hex(turns.agent || char(31) || turns.user_id)) || ' ' || lower(${said})
    from turn_words join turns on turns.id = turn_words.turn`,
];
