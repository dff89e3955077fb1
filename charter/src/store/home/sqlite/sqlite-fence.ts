import type { DatabaseSync } from "node:sqlite";
import type { Scope } from "../../../amend/amendment.ts";
import type { Table } from "../table.ts";
import { fenceOf, type RowChange } from "../table-statements.ts";

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
  for (const one of tables.filter(isClosed)) throw new Error(`No scope reaches the table ${one.name}.`);
  const replaced = /\breplace\s+into\W+(\w+)/.exec(statement.toLowerCase())?.[1];
  if (around.test(statement) || tables.some(({ name }) => name === replaced))
    throw new Error(`In a scope no statement goes around its fence: ${statement}`);
  const views = tables.map((made) => {
    // As a list: of what the statement itself says to be equal, it is then asked once, not again for each row.
    const see = fenceOf(made, agent, user).see.replaceAll(`= ${agent}`, `in (null, ${agent})`);
    return `${made.name} as not materialized (select * from main.${made.name} where ${see})`;
  });
  if (views.length === 0) return statement;
  const [before = "", own] = /^\s*(?:explain query plan )?(with(?: recursive)?\b)?/i.exec(statement) ?? [];
  const rest = statement.slice(before.length);
  return `${before}${own ? "" : "with"} ${views.join(", ")}${own ? "," : " "}${rest}`;
}

/** What names a table where its rows are, the tables SQLite keeps itself, and what removes rows without their triggers. */
const around = /\b(?:main|temp)\b\W*\.|\bsqlite_|_search_(?:data|idx|content|docsize|config)\b|\bor\s+replace\b/i;

/** The operator's alone. Seals are among them: what keeps them up to date in a scope has no fence to pass. */
function isClosed(made: Table): boolean {
  return Object.values(fenceOf(made, agent, user)).every((rule) => rule === "false");
}

/** Of another's rows none is changed or removed, as if it were not there; and none is made. */
export function fenceTriggers(made: Table): Readonly<Record<RowChange, string>> {
  if (isClosed(made)) return { insert: "", update: "", delete: "" };
  const { name } = made;
  const { add, change, remove } = fenceOf(made, agent, user);
  const columns = new RegExp(`\\b(?:${made.all.map(({ column }) => column).join("|")})\\b`, "g");
  const of = (row: string, rule: string) => `(${rule.replace(columns, `${row}.$&`)})`;
  const trigger = (what: string, event: string, rule: string, does: string) =>
    `create temp trigger if not exists fenced_${name}_${what} before ${event} on main.${name}
      when ${agent} is not null and ${rule} begin select raise(${does}); end;`;
  const outside = `abort, 'a row of ${name} is outside the scope it is written in'`;
  // A row that may be changed is moved out of its scope by these alone: most that is changed is nothing of them.
  const moving = [...new Set(change.match(columns))].join(", ");
  // Which of two triggers comes first is not said: a row that is not seen is not moved, either.
  const isMoved = `${of("old", change)} and ${of("new", change)} is not true`;
  const moved = moving === "" ? "" : trigger("moved", `update of ${moving}`, isMoved, outside);
  return {
    insert: trigger("added", "insert", `${of("new", add)} is not true`, outside),
    update: `${trigger("unseen", "update", `${of("old", change)} is not true`, "ignore")}${moved}`,
    delete: trigger("removed", "delete", `${of("old", remove)} is not true`, "ignore"),
  };
}
