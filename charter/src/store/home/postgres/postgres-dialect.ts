import type { SqlDialect } from "../database.ts";
import { checkSoundText } from "../sound-text.ts";
import { type Query, raw, sql } from "../sql.ts";
import { rowSealOf } from "./postgres-seals.ts";

export const postgresDialect: SqlDialect = {
  name: "postgres",
  lock: (name, how) => {
    const take = raw(how === "shared" ? "pg_advisory_xact_lock_shared" : "pg_advisory_xact_lock");
    return sql`select ${take}(hashtextextended(${name}, 0))`;
  },
  skipLocked: raw(" for update skip locked"),
  announced: (insert) => sql`with written as (${insert} returning id)
    select id, pg_notify('charter', cast(id as text)) from written`,
  // As one value: the server takes as long for each that is one of its own as for writing the row.
  insert: (table, { text, number }, rows) => {
    for (const row of rows)
      for (const value of Object.values(row)) if (typeof value === "string") checkSoundText(value);
    const names = raw([...text, ...number].join(", "));
    const types = raw([...text.map((name) => `${name} text`), ...number.map((name) => `${name} bigint`)].join(", "));
    return sql`insert into ${raw(table)} (${names})
      select * from json_to_recordset(cast(${JSON.stringify(rows)} as json)) as rows (${types})`;
  },
  bytewise: raw(' collate "C"'),
  lockTable: (table) => raw(`lock table ${table} in access exclusive mode`),
  lockTableShared: (table) => raw(`lock table ${table} in access share mode`),
  secureDelete: undefined,
  contains: (column, words) => sql`strpos(${raw(column)}, ${words}) > 0`,
  listed: (column) => sql`cast(json_agg(${raw(column)}) as text)`,
  joinedBytes: (column) => sql`string_agg(${raw(column)}, '')`,
  rowSeal: (columns) => raw(`cast(${rowSealOf(columns)} as text)`),
  hasStem: (_scope, stems) => sql`search && string_to_array(${stems.join(" ")}, ' ')`,
  keepWords: ({ id, scope: { agent, user = "" }, words }) => [
    sql`insert into turn_words (turn, agent, user_id, words) values (${id}, ${agent}, ${user},
        ${vectorOf(agent, words)})
      on conflict (turn) do update set words = excluded.words`,
  ],
  turnsWithWords: ({ agent, user }, words) => {
    const owner = agent === undefined ? [] : [`'${agentWord(agent)}'`];
    const match = [...owner, ...words.map((word) => `'${word}':*`)].join(" & ");
    // Of an agent nothing but words is asked: with its column the server would rather go through all its rows.
    const scope = user === undefined ? raw("") : sql`and user_id = ${user}`;
    const whose = agent === undefined || user === undefined ? scope : sql`${scope} and agent = ${agent}`;
    return sql`select turn from turn_words where words @@ cast(${match} as tsquery) ${whose}`;
  },
  millisSince: (column, until) => sql`cast(round(extract(epoch from
    (cast(${until} as timestamptz) - cast(${raw(column)} as timestamptz))) * 1000) as bigint)`,
};

/** Whose a turn is, as a word that stands among its words and can be none of them: those are letters and digits. */
function agentWord(agent: string): string {
  return `@${Buffer.from(agent).toString("hex")}`;
}

/** The words as they are kept, just as they are given. */
function vectorOf(agent: string, words: readonly string[]): Query {
  return sql`array_to_tsvector(array_remove(string_to_array(${[agentWord(agent), ...words].join(" ")}, ' '), ''))`;
}
