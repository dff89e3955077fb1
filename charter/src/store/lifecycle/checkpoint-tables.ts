import type { Database } from "../home/database.ts";
import { joinQueries, type Query, raw, sql } from "../home/sql.ts";
import { ownerColumns, type Table } from "../home/table.ts";

/**
 * The columns of a table that a checkpoint has. Numbers the database counts itself are left out: the order of the rows
 * says what they said, and a checkpoint fits into a store that has counted on.
 */
export function carriedColumns({ all }: Table): string[] {
  return all.filter(({ type, isDerived }) => type !== "counted" && !isDerived).map(({ column }) => column);
}

/** The tables that checkpoints have, in their order; of the store's own, one of an agent has that agent and its users. */
export function carriedTables(tables: readonly Table[], agent?: string): Table[] {
  const carried = tables.filter(({ isLeftOut }) => !isLeftOut);
  return agent === undefined ? carried : carried.filter((made) => !isShared(made) || made.name === "users");
}

/** Whether a table's rows are of no one agent: those that are there stay when another checkpoint is restored. */
export function isShared({ of, name }: Table): boolean {
  return of === "store" && name !== "agents";
}

/** The rows of a table: everyone's, or one agent's and the users it knows. */
export function carriedRows({ dialect }: Database, tables: readonly Table[], made: Table, agent?: string): Query {
  const by = made.key.map((column) =>
    made.all.some((one) => one.column === column && one.type === "text")
      ? sql`${raw(column)}${dialect.bytewise}`
      : raw(column),
  );
  const whose = agent === undefined ? raw("") : sql`where ${ofAgent(tables, made, agent)}`;
  return sql`select ${raw(carriedColumns(made).join(", "))} from ${raw(made.name)} ${whose} order by ${joinQueries(by, ", ")}`;
}

function ofAgent(tables: readonly Table[], made: Table, agent: string): Query {
  const { agent: column, user } = ownerColumns(made);
  if (column !== undefined) return sql`${raw(column)} = ${agent}`;
  const known = tables
    .filter(({ of }) => of === "user")
    .map(({ name }) => sql`select user_id from ${raw(name)} where agent = ${agent}`);
  return sql`${raw(user as string)} in (${joinQueries(known, " union ")})`;
}
