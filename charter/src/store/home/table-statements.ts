import type { Value } from "./sql.ts";
import { type Fence, ownerColumns, type Table, type TableColumn, table } from "./table.ts";

/** Column types and clauses of a home, for the statements that make a table. */
export type ColumnTypes = Readonly<Record<TableColumn["type"], string>> & {
  readonly home: "sqlite" | "postgres";
  /** Clause for a table whose rows are stored in the order of its key. */
  readonly byKey: string;
};

/**
 * What a step changes, by table. What it adds and creates stands in the declarations, too; what it drops stands nowhere else. Once
 * published it is never edited.
 */
type StepChanges = {
  /** Fields that are new: each may be null, or has a default, so that older processes can go on writing. */
  readonly add?: Readonly<Record<string, readonly string[]>>;
  readonly create?: readonly string[];
  /** Columns and tables that go, as they were declared. */
  readonly drop?: Readonly<Record<string, Table["columns"]>>;
  readonly dropTables?: readonly Table[];
  /** Returns the columns of a row that change; pure, because rows of older checkpoints pass through it as well. */
  readonly rewrite?: Readonly<
    Record<string, (row: Readonly<Record<string, Value>>) => Readonly<Record<string, Value>>>
  >;
  /** The seals of all rows take this form; before, they were of values by position. */
  readonly seals?: "by name";
};

/** A step from one version to the next. */
export type SchemaStep = StepChanges & { readonly to: number };

/** Declares a step to a version: what it adds and creates, drops and rewrites. */
export function step(to: number, changes: StepChanges): SchemaStep {
  return { ...changes, to };
}

/** Tables of one owner, and the steps that led to them from its first version. */
export type SchemaPart = {
  /** The store, or who brought the tables. */
  readonly owner: string;
  readonly first: number;
  readonly tables: readonly Table[];
  readonly steps: readonly SchemaStep[];
};

/**
 * Contents of a home: the tables as they are declared, the store's own part first.
 *
 * @opaque
 */
export type Schema = { readonly tables: readonly Table[]; readonly parts: readonly SchemaPart[] };

export function schemaOf(parts: readonly SchemaPart[]): Schema {
  for (const { owner, first, steps } of parts)
    steps.forEach(({ to }, at) => {
      if (to !== first + at + 1)
        throw new Error(`Step ${at + 1} of ${owner} leads to ${first + at + 1}, not to ${to}.`);
    });
  return { tables: parts.flatMap(({ tables }) => tables), parts };
}

export function partVersion({ first, steps }: SchemaPart): number {
  return first + steps.length;
}

/** Returns the tables as a version had them. */
export function tablesAt({ tables, steps }: SchemaPart, version: number): readonly Table[] {
  return steps.filter(({ to }) => to > version).reduceRight(tablesBefore, tables);
}

function tablesBefore(
  tables: readonly Table[],
  { to, add = {}, create = [], drop = {}, dropTables = [] }: SchemaStep,
): readonly Table[] {
  const kept = tables.filter(({ name }) => !create.includes(name));
  const named = new Set(kept.map(({ name }) => name));
  const unknown = [...Object.keys(add), ...Object.keys(drop)].find((name) => !named.has(name));
  if (unknown !== undefined) throw new Error(`Step ${to} changes ${unknown}, which is not declared.`);
  const before = kept.map((made) => {
    const { [made.name]: added = [] } = add;
    const undeclared = added.find((field) => !Object.hasOwn(made.columns, field));
    if (undeclared !== undefined) throw new Error(`Step ${to} adds ${made.name}.${undeclared}, which is not declared.`);
    if (added.length === 0 && drop[made.name] === undefined) return made;
    const rest = Object.entries(made.columns).filter(([field]) => !added.includes(field));
    return table(made.name, made, { ...Object.fromEntries(rest), ...drop[made.name] });
  });
  return [...before, ...dropTables];
}

/** Kinds of change that a statement makes to a row. */
export type RowChange = "insert" | "update" | "delete";

/** Returns the statements that make a table, its indexes, and what only this home has for it. */
export function tableStatements(made: Table, types: ColumnTypes): string[] {
  const { name, all, key, isByKey, besides = {} } = made;
  const columns = all.map((column) => columnWords(column, types));
  const isCounted = all.some(({ type }) => type === "counted");
  return [
    `create table ${name} (${[...columns, ...(isCounted ? [] : [`primary key (${key.join(", ")})`])].join(", ")})${isByKey ? types.byKey : ""}`,
    ...indexStatements(made).values(),
    ...(besides[types.home] ?? []),
  ];
}

/** Returns the statements for a table's indexes, by their names. */
export function indexStatements({ name, unique = {}, indexes = {} }: Table): Map<string, string> {
  const index =
    (kind: string) =>
    ([called, words]: [string, string]): [string, string] => [called, `create ${kind} ${called} on ${name} ${words}`];
  return new Map([
    ...Object.entries(unique).map(index("unique index")),
    ...Object.entries(indexes).map(index("index")),
  ]);
}

export function columnWords({ column, type, isNullable, isUnique, usual }: TableColumn, types: ColumnTypes): string {
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
 * Returns the columns that a seal covers, in order of name: not those that say who holds a row and until when, when it was last
 * used, and what it is found by.
 */
export function sealedColumns({ all }: Table): TableColumn[] {
  return all.filter(({ isUnsealed }) => !isUnsealed).sort((a, b) => (a.column < b.column ? -1 : 1));
}

/**
 * Returns the value that a seal passes over: a row without the column has the same seal as one with its default. So a column that
 * is added leaves every seal as it is. `undefined`: the column has no default.
 */
export function defaultOf({ usual, isNullable }: TableColumn): string | number | null | undefined {
  return usual ?? (isNullable ? null : undefined);
}

/** Returns a row's owner, as two expressions; `row` is the prefix of its columns, as in `new.`. */
export function ownerWords(made: Table, row = ""): readonly [agent: string, user: string] {
  const { agent, user } = ownerColumns(made);
  const expression = (column: string | undefined) => (column === undefined ? "''" : `coalesce(${row}${column}, '')`);
  return [expression(agent), expression(user)];
}
