import { unknownAgent } from "../agents.ts";
import type { Database } from "../home/database.ts";
import { joinQueries, type Query, raw, sql, type Value } from "../home/sql.ts";
import { ownerColumns, type Table, type TableColumn } from "../home/table.ts";
import { checkScope } from "../scope.ts";

/** One user, or counterpart by its key, with every agent or with one. */
export type UserSelector = { readonly user: string; readonly agent?: string | undefined };

/** One agent's rows, everyone's, or those of everyone `but` one. */
type UserRowSelector = UserSelector & { readonly but?: string };

function withAgent({ agent, but }: UserRowSelector, column = "agent"): Query {
  if (agent !== undefined) return sql` and ${raw(column)} = ${agent}`;
  return but === undefined ? raw("") : sql` and ${raw(column)} <> ${but}`;
}

export const ofUser = (who: UserRowSelector): Query => sql`user_id = ${who.user}${withAgent(who)}`;

/** Their own turns, and those in which an agent worked on what they had written: their words were in its prompt. */
export function ofTurns(column: "id" | "turn", who: UserRowSelector): Query {
  const worked = ["inbox", "outbox", "exchanges", "events"].map(
    (table) => sql`select turn from ${raw(table)} where turn is not null and ${ofUser(who)}`,
  );
  return sql`(${ofUser(who)} or (user_id = ''${withAgent(who)} and ${raw(column)} in (${joinQueries(worked, " union ")})))`;
}

/** Tables of which a user's rows are erased. */
export function erasedTables(tables: readonly Table[]): Table[] {
  return tables.filter((made) => ownerColumns(made).user !== undefined && made.erase?.blank !== "keep");
}

/** A user's rows of a table: their own, and what an agent did for them. What is no agent's goes with all that is theirs. */
export function userRows(made: Table, who: UserRowSelector): Query {
  const { agent, user } = ownerColumns(made);
  if (made.erase?.through !== undefined) return ofTurns(made.erase.through, who);
  if (agent === undefined && who.agent !== undefined) return raw("1 = 0");
  return sql`${raw(user as string)} = ${who.user}${agent === undefined ? raw("") : withAgent(who, agent)}`;
}

/** Where something of a user's stands that can still be read. */
export function rowsOfUser(
  tables: readonly Table[],
  who: UserRowSelector,
): readonly (readonly [made: Table, where: Query])[] {
  const readable = erasedTables(tables).filter(({ proof }) => proof !== "cache");
  return readable.map((made) => [made, stillThere(made, userRows(made, who))]);
}

function stillThere({ erase }: Table, where: Query): Query {
  const blank = erase?.blank;
  return typeof blank === "object" ? sql`not (${raw(blank.unless)}) and ${where}` : where;
}

/** Erases rows of a table, and says how many: they are deleted, or stay with none of what was said in them. */
export function eraseRows(db: Database, made: Table, where: Query, at: string): Promise<number> {
  const blank = made.erase?.blank;
  if (typeof blank !== "object") return db.run(sql`delete from ${raw(made.name)} where ${where}`);
  const emptied = made.all
    .filter(({ isSaid, column }) => isSaid && blank.set?.[column] === undefined)
    .map((column) => sql`${raw(column.column)} = ${emptyOf(column)}`);
  const set = Object.entries(blank.set ?? {}).map(([column, value]) =>
    value === "{at}" ? sql`${raw(column)} = ${at}` : raw(`${column} = ${value}`),
  );
  return db.run(sql`update ${raw(made.name)} set ${joinQueries([...emptied, ...set], ", ")}
    where ${stillThere(made, where)}`);
}

function emptyOf({ type, isNullable, reads }: TableColumn): Value {
  if (isNullable) return null;
  return type === "bytes" ? new Uint8Array() : reads === "json" ? "{}" : "";
}

/** A name that can be a user's, and an agent that is there. */
export async function checkWho(db: Database, { user, agent }: UserSelector): Promise<void> {
  checkScope({ agent: agent ?? "any", user });
  if (agent === undefined) return;
  const names = (await db.all<{ name: string }>(sql`select name from agents order by name`)).map(({ name }) => name);
  if (!names.includes(agent)) throw unknownAgent(agent, names);
}
