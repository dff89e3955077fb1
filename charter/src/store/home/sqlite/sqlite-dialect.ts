import type { SqlDialect } from "../database.ts";
import { joinQueries, listOf, raw, sql } from "../sql.ts";

export const sqliteDialect: SqlDialect = {
  name: "sqlite",
  lock: () => undefined,
  skipLocked: raw(""),
  announced: (insert) => sql`${insert} returning id`,
  insert: (table, { text, number }, rows) => {
    const names = [...text, ...number];
    const each = rows.map((row) => listOf(names.map((name) => row[name] ?? null)));
    return sql`insert into ${raw(table)} (${raw(names.join(", "))}) values ${joinQueries(each, ", ")}`;
  },
  bytewise: raw(""),
  lockTable: () => undefined,
  lockTableShared: () => undefined,
  secureDelete: raw("pragma secure_delete = on"),
  contains: (column, words) => sql`instr(${raw(column)}, ${words}) > 0`,
  listed: (column) => sql`json_group_array(${raw(column)})`,
  // To join bytes there is only the function that joins texts; it takes them as they are.
  joinedBytes: (column) => sql`cast(group_concat(${raw(column)}, '') as blob)`,
  rowSeal: (columns) => raw(`row_seal(${columns.join(", ")})`),
  hasStem: ({ agent, user = "" }, stems) => {
    const whose = Buffer.from(`${agent}\u001f${user}`).toString("hex");
    const either = stems.map((stem) => `"${stem}"`).join(" OR ");
    return sql`number in (select rowid from memories_search
      where memories_search match ${`scope:"${whose}" AND stems:(${either})`})`;
  },
  keepWords: ({ id, scope: { agent, user = "" }, words, isNew }) => {
    const all = [ownerWord(agent), ownerWord(agent, user), ...words].join(" ");
    const added = sql`insert into turn_words (turn, agent, user_id) values (${id}, ${agent}, ${user})
      on conflict (turn) do nothing`;
    return [
      ...(isNew ? [added] : []),
      sql`replace into turns_search (rowid, words) select number, ${all} from turn_words where turn = ${id}`,
    ];
  },
  turnsWithWords: ({ agent, user }, words) => {
    const owner = agent === undefined ? [] : [`"${ownerWord(agent, user)}"`];
    const match = [...owner, ...words.map((word) => `"${word}" *`)].join(" AND ");
    return sql`select turn from turn_words where number in (select rowid from turns_search
      where turns_search match ${match})`;
  },
  millisSince: (column, until) =>
    sql`cast(round((julianday(${until}) - julianday(${raw(column)})) * 86400000) as integer)`,
};

/** Whose a turn is, as a word that stands among its words and can be none of them: no text holds its first letter. */
function ownerWord(agent: string, user?: string): string {
  return `\ue000${Buffer.from(user === undefined ? agent : `${agent}\u001f${user}`).toString("hex")}`;
}
