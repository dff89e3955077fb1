import type { DatabaseSync } from "node:sqlite";
import type { Scope } from "../../../amend/amendment.ts";
import type { Table } from "../table.ts";
import { fenceOf } from "../table-statements.ts";

/**
 * The fence of a scope in SQLite, which has no rows that only some may see: what stands for a table in a statement is only
 * what may be seen of it, and triggers of the connection see to it that nothing else is written.
 */
const [agent, user] = ["scope_agent()", "scope_user()"] as const;

/** The scope that a connection works for just now; none: it sees everything. */
export type ScopeSeat = { scope: Scope | undefined };

export function addScopeFunctions(handle: DatabaseSync, seat: ScopeSeat): void {
  handle.function("scope_agent", { deterministic: true }, () => seat.scope?.agent ?? null);
  handle.function("scope_user", { deterministic: true }, () => seat.scope?.user ?? "");
}

/** The statement as a scope may run it: the names of tables in it stand for the rows that may be seen of them. */
export function fenced(statement: string, tables: readonly Table[]): string {
  const views = tables.map(
    (made) =>
      `${made.name} as not materialized (select * from main.${made.name} where ${fenceOf(made, agent, user).see})`,
  );
  if (views.length === 0) return statement;
  const [before = "", own] = /^\s*(?:explain query plan )?(with(?: recursive)?\b)?/i.exec(statement) ?? [];
  const rest = statement.slice(before.length);
  return `${before}${own ? "" : "with"} ${views.join(", ")}${own ? "," : " "}${rest}`;
}

/** Of another's rows none is changed or removed, as if it were not there; and none is made. */
export function fenceTriggers(made: Table): string {
  const { name } = made;
  const { add, change, remove } = fenceOf(made, agent, user);
  const columns = new RegExp(`\\b(?:${made.all.map(({ column }) => column).join("|")})\\b`, "g");
  const of = (row: string, rule: string) => `${agent} is not null and not (${rule.replace(columns, `${row}.$&`)})`;
  const trigger = (what: string, event: string, rule: string, does: string) =>
    `create temp trigger if not exists fenced_${name}_${what} before ${event} on main.${name} when ${rule}
      begin select raise(${does}); end;`;
  const outside = `abort, 'a row of ${name} is outside the scope it is written in'`;
  return [
    trigger("added", "insert", of("new", add), outside),
    trigger("unseen", "update", of("old", change), "ignore"),
    trigger("moved", "update", of("new", change), outside),
    trigger("removed", "delete", of("old", remove), "ignore"),
  ].join("");
}
