import { type Fence, ownerColumns, type Table, type TableColumn } from "./table.ts";

/** The words in which the two homes differ when a table is made. */
export type ColumnTypes = Readonly<Record<TableColumn["type"], string>> & {
  readonly home: "sqlite" | "postgres";
  /** Ends the definition of a table whose rows are kept in the order of its key. */
  readonly byKey: string;
};

/** What leads from one schema to the next: statements, in the words of a home. A step that was published is never edited. */
type SchemaStep = (types: ColumnTypes) => readonly string[];

/**
 * What is kept in a home: the tables as they are declared, and the steps that led to them.
 *
 * @opaque
 */
export type Schema = { readonly tables: readonly Table[]; readonly steps: readonly SchemaStep[] };

/** What a statement does to a row. */
export type RowChange = "insert" | "update" | "delete";

/** What makes a table, its indexes, and what only this home has for it. */
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
  // An agent's common rows may be read in a user's scope; only the scope's own rows may be written.
  user: { see: `${ownAgent} and user_id in ('', {user})`, add: ownRow, change: ownRow, remove: ownRow },
  // Read in its agent's scopes, and written in none.
  agent: { see: ownAgent, add: none, change: none, remove: none },
  // The operator's reach alone.
  store: { see: none, add: none, change: none, remove: none },
};

/** What a scope may see and do of a table. `agent` and `user` stand for those of the scope. */
export function fenceOf({ of, fence }: Table, agent: string, user: string): Fence {
  const named = (words: string) =>
    words.replaceAll("{own}", `${ownAgent} and {user} = ''`).replaceAll("{agent}", agent).replaceAll("{user}", user);
  const { see, add, change, remove } = { ...usualFences[of], ...fence };
  return { see: named(see), add: named(add), change: named(change), remove: named(remove) };
}

/** The columns that hold someone's words. */
export function saidColumns({ all }: Table): string[] {
  return all.filter(({ isSaid }) => isSaid).map(({ column }) => column);
}

/** Whether the rows of a table are under a seal. */
export function isSealed({ proof }: Table): boolean {
  return proof === undefined;
}

/** What a seal covers. Left out: who holds a row and until when, when it was last used, what it is found by. */
export function sealedColumns({ all }: Table): string[] {
  return all.filter(({ isUnsealed }) => !isUnsealed).map(({ column }) => column);
}

/** Whose a row is, as two expressions; `row` is what its columns are called by, as in `new.`. */
export function ownerWords(made: Table, row = ""): readonly [agent: string, user: string] {
  const { agent, user } = ownerColumns(made);
  const named = (column: string | undefined) => (column === undefined ? "''" : `coalesce(${row}${column}, '')`);
  return [named(agent), named(user)];
}
