import { type LookRow, lookOf } from "../../schema.ts";
import type { Look, SqlDialect } from "../database.ts";
import { checkSoundText, type Query, raw, sql } from "../sql.ts";
import type { Table, TableColumn } from "../table.ts";
import { defaultOf, fenceOf, type Schema, sealedColumns } from "../table-statements.ts";

/** Role that row-level security holds for: it owns nothing and bypasses nothing. */
export const role = "charter_user";

/** Writes a value as a literal in a statement: it means the same whatever the server makes of a plain '\\'. */
export function literal(value: string): string {
  checkSoundText(value);
  return ` E'${value.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}

/** Query for what is there, in one row: versions, the columns of every table, the number of its policies, and who we may be. */
export const lookWords = `select (select cast(json_agg(to_json(v)) as text) from charter.schema_version v) as versions,
    cast(json_object_agg(name, columns) as text) as tables, cast(json_object_agg(name, policies) as text) as policies,
    coalesce((select pg_has_role(oid, 'member') from pg_roles where rolname = '${role}'), false) as member
  from (select c.relname as name, case when relrowsecurity
        then (select count(*) from pg_policy where polrelid = c.oid) else -1 end as policies,
      (select string_agg(attname, ' ' order by attnum) from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped) as columns
    from pg_class c where relnamespace = to_regnamespace('charter') and relkind in ('r', 'p')) tables`;

export type PostgresRow = LookRow & { readonly policies: string; readonly member: boolean };

export function lookFrom(row: PostgresRow, { tables }: Schema): Look {
  const policies = JSON.parse(row.policies) as Record<string, number>;
  // A table without its policies shows nothing in a scope, and one without row-level security everything.
  const open = tables.filter((made) => {
    const there = policies[made.name];
    return there !== undefined && there !== policiesOf(made).length;
  });
  return {
    ...lookOf(row),
    lacks: [
      ...(row.member ? [] : [`the role ${role}`]),
      ...open.map(({ name }) => `the row-level security of ${name}`),
    ],
  };
}

/** Returns the policies of a table: the server itself enforces the fence of a scope, whatever a statement asks for. */
export function policiesOf(made: Table) {
  const { see, add, change, remove } = fenceOf(
    made,
    "current_setting('charter.agent', true)",
    "coalesce(current_setting('charter.user', true), '')",
  );
  const policies = [
    { what: "select", rule: see, using: see, check: undefined },
    { what: "insert", rule: add, using: undefined, check: add },
    { what: "update", rule: change, using: change, check: change },
    { what: "delete", rule: remove, using: remove, check: undefined },
  ] as const;
  // Tables that may be written in a scope treat forbidden rows as if they were not there; for all others the operation is refused
  // outright.
  const isWritten = [add, change, remove].some((rule) => rule !== "false");
  return policies.filter(({ rule }) => isWritten || rule !== "false");
}

/** Returns the query for the marks of these tables, in one row. */
export function marksOf(tables: readonly string[]): string {
  return `select string_agg(what || by, ' ' order by what) as mark from charter.marks
    where what in (${tables.map((name) => literal(name)).join(", ")})`;
}

/** Setting of a transaction in which the seals follow what is written. */
export const sealWrites = "set local charter.sealed = 'on';";

/** Returns a row's seal as an expression: of its values that are not the default, each with its name, its type and its length. */
export const rowSealOf = (made: Table) => `row_seal(concat(${sealedColumns(made).map(sealWords).join(", ")}))`;

function sealWords(one: TableColumn): string {
  const { column, type } = one;
  const value = type === "bytes" ? `encode(${column}, 'hex')` : type === "text" ? column : `cast(${column} as text)`;
  // Without a value it is null, which adds nothing.
  const words = `'${column} ${type} ' || octet_length(${value}) || ':' || ${value}`;
  const usual = defaultOf(one);
  if (usual === undefined || usual === null) return words;
  return `case when ${column} = ${typeof usual === "string" ? `'${usual}'` : usual} then '' else coalesce(${words}, '${column} -') end`;
}

export const postgresDialect: SqlDialect = {
  name: "postgres",
  lock: (name, how) => {
    const take = raw(how === "shared" ? "pg_advisory_xact_lock_shared" : "pg_advisory_xact_lock");
    return sql`select ${take}(hashtextextended(${name}, 0))`;
  },
  hold: (select) => sql`${select} for update`,
  skipLocked: raw(" for update skip locked"),
  announced: (insert) => sql`with written as (${insert} returning id)
    select id, pg_notify('charter', cast(id as text)) from written`,
  // Rows are one JSON value: a separate value each would take the server as long as writing the row.
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
  rowSeal: (made) => raw(`cast(${rowSealOf(made)} as text)`),
  look: raw(lookWords),
  hasStem: (_scope, stems) => sql`search && string_to_array(${stems.join(" ")}, ' ')`,
  keepWords: ({ id, scope: { agent, user = "" }, words }) => [
    sql`insert into turn_words (turn, agent, user_id, words) values (${id}, ${agent}, ${user},
        ${vectorOf(agent, words)})
      on conflict (turn) do update set words = excluded.words`,
  ],
  turnsWithWords: ({ agent, user }, words) => {
    const owner = agent === undefined ? [] : [`'${agentWord(agent)}'`];
    const match = [...owner, ...words.map((word) => `'${word}':*`)].join(" & ");
    // An agent's word is enough here: with the agent's column in the query, the server would rather scan all its rows.
    const scope = user === undefined ? raw("") : sql`and user_id = ${user}`;
    const ofOwner = agent === undefined || user === undefined ? scope : sql`${scope} and agent = ${agent}`;
    return sql`select turn from turn_words where words @@ cast(${match} as tsquery) ${ofOwner}`;
  },
  millisSince: (column, until) => sql`cast(round(extract(epoch from
    (cast(${until} as timestamptz) - cast(${raw(column)} as timestamptz))) * 1000) as bigint)`,
};

/**
 * Returns a word for a turn's agent, which stands among the turn's words: those are letters and digits, so it cannot be one of
 * them.
 */
function agentWord(agent: string): string {
  return `@${Buffer.from(agent).toString("hex")}`;
}

/** Returns the words as an index entry, just as they are. */
function vectorOf(agent: string, words: readonly string[]): Query {
  return sql`array_to_tsvector(array_remove(string_to_array(${[agentWord(agent), ...words].join(" ")}, ' '), ''))`;
}
