import { type Fence, ownerColumns, type Table, type TableColumn } from "./table.ts";

/** Column types and clauses of a home, for the statements that make a table. */
export type ColumnTypes = Readonly<Record<TableColumn["type"], string>> & {
  readonly home: "sqlite" | "postgres";
  /** Clause for a table whose rows are stored in the order of its key. */
  readonly byKey: string;
};

/** Statements that lead from one schema to the next, for a home. A step that was published is never edited. */
type SchemaStep = (types: ColumnTypes) => readonly string[];

/**
 * Contents of a home: the tables as they are declared, and the migration steps that led to them.
 *
 * @opaque
 */
export type Schema = { readonly tables: readonly Table[]; readonly steps: readonly SchemaStep[] };

/** Kinds of change that a statement makes to a row. */
export type RowChange = "insert" | "update" | "delete";

/** Returns the statements that make a table, its indexes, and what only this home has for it. */
export function tableStatements(made: Table, types: ColumnTypes): string[] {
  const { name, all, key, isByKey, unique = {}, indexes = {}, besides = {} } = made;
  const columns = all.map((column) => columnWords(column, types));
  const isCounted = all.some(({ type }) => type === "counted");
  const index =
    (kind: string) =>
    ([called, words]: [string, string]) =>
      `create ${kind} ${called} on ${name} ${words}`;
  return [
    `create table ${name} (${[...columns, ...(isCounted ? [] : [`primary key (${key.join(", ")})`])].join(", ")})${isByKey ? types.byKey : ""}`,
    ...Object.entries(unique).map(index("unique index")),
    ...Object.entries(indexes).map(index("index")),
    ...(besides[types.home] ?? []),
  ];
}

function columnWords({ column, type, isNullable, isUnique, usual }: TableColumn, types: ColumnTypes): string {
  if (type === "counted") return `${column} ${types.counted}`;
  const value = typeof usual === "string" ? `'${usual}'` : usual;
  const rules = [
    isNullable ? "" : " not null",
    isUnique ? " unique" : "",
    usual === undefined ? "" : ` default ${value}`,
  ];
  return `${column} ${types[type]}${rules.join("")}`;
}

const none = "false";
const ownAgent = "agent = {agent}";
const ownRow = `${ownAgent} and user_id = {user}`;

const usualFences: Readonly<Record<Table["of"], Fence>> = {
  // Rows of an agent's own may be read in a user's scope; only the scope's own rows may be written.
  user: { see: `${ownAgent} and (user_id = {user} or user_id = '')`, add: ownRow, change: ownRow, remove: ownRow },
  // Rows of an agent may be read in its scopes, and written in none.
  agent: { see: ownAgent, add: none, change: none, remove: none },
  // Rows of the store are for the operator's reach alone.
  store: { see: none, add: none, change: none, remove: none },
};

/** Returns the conditions of a scope for a table. `agent` and `user` are the expressions for those of the scope. */
export function fenceOf({ of, fence }: Table, agent: string, user: string): Fence {
  const inScope = (words: string) =>
    words.replaceAll("{own}", `${ownAgent} and {user} = ''`).replaceAll("{agent}", agent).replaceAll("{user}", user);
  const { see, add, change, remove } = { ...usualFences[of], ...fence };
  return { see: inScope(see), add: inScope(add), change: inScope(change), remove: inScope(remove) };
}

/** Returns the columns with people's text. */
export function saidColumns({ all }: Table): string[] {
  return all.filter(({ isSaid }) => isSaid).map(({ column }) => column);
}

/** Tells whether the rows of a table are under a seal. */
export function isSealed({ proof }: Table): boolean {
  return proof === undefined;
}

/**
 * Returns the columns that a seal covers: not those that say who holds a row and until when, when it was last used, and what it
 * is found by.
 */
export function sealedColumns({ all }: Table): string[] {
  return all.filter(({ isUnsealed }) => !isUnsealed).map(({ column }) => column);
}

/** Returns a row's owner, as two expressions; `row` is the prefix of its columns, as in `new.`. */
export function ownerWords(made: Table, row = ""): readonly [agent: string, user: string] {
  const { agent, user } = ownerColumns(made);
  const expression = (column: string | undefined) => (column === undefined ? "''" : `coalesce(${row}${column}, '')`);
  return [expression(agent), expression(user)];
}
