import type { Scope } from "../../amend/amendment.ts";
import type { Column, ColumnFacts } from "./column.ts";
import { checkSoundText } from "./sound-text.ts";
import type { Query, Row, Value } from "./sql.ts";

/** Whose rows a table has: of a user with an agent, of an agent, or of the store itself. */
export type Owner = "user" | "agent" | "store";

/** Columns by the names that records have for them. */
type Columns = Readonly<Record<string, Column<Value, unknown>>>;

/**
 * Which rows may be seen in a scope, and which added, changed and removed: conditions, in which `{agent}` and `{user}` are
 * the scope's. `false`: none.
 */
export type Fence = { readonly see: string; readonly add: string; readonly change: string; readonly remove: string };

/** What becomes of rows that stay when the one they are of is erased. What was said in them is emptied in any case. */
export type Blanking = {
  /** What is set besides; `{at}` is the time. */
  readonly set?: Readonly<Record<string, string>>;
  /** Rows of which nothing is left to erase. */
  readonly unless: string;
};

/** How long rows are kept that are done with. */
export type Keeping = {
  /** Rows that may go, once `{until}` is after what was done with them. */
  readonly when: string;
  /** So many days they are kept at least. */
  readonly days?: number;
  /** The column that most of their room is taken by. */
  readonly size: string;
};

type TableOptions<Of extends Owner> = {
  readonly of: Of;
  readonly key: readonly string[];
  /** The columns that name the owner, where they have other names, or a table of the store has such. */
  readonly owner?: { readonly agent?: string; readonly user?: string };
  /** Rows are kept in the order of the key: for short ones. */
  readonly isByKey?: true;
  /** Of which they are unique, and by which they are found: the words after the table's name. */
  readonly unique?: Readonly<Record<string, string>>;
  readonly indexes?: Readonly<Record<string, string>>;
  readonly fence?: Partial<Fence>;
  /**
   * How it is known that nobody changed them behind our back: by a seal, unless said otherwise; by a chain of digests; or
   * they are a cache, made anew from others. Words: why not at all.
   */
  readonly proof?: "hashChain" | "cache" | { readonly none: string };
  /**
   * What becomes of rows when the user, or the agent, they are of is erased: they are deleted, unless said otherwise.
   * `through`: the column that names a turn; what an agent did for someone goes with them as well.
   */
  readonly erase?: { readonly blank?: Blanking | "keep"; readonly through?: "id" | "turn" };
  readonly keep?: Keeping;
  /** Checkpoints leave it out. */
  readonly isLeftOut?: true;
  /** What it is called in what users are given of theirs; false: it is not. */
  readonly exported?: string | false;
  /** What only one home has for it: search, indexes of its own. */
  readonly besides?: { readonly sqlite?: readonly string[]; readonly postgres?: readonly string[] };
};

/** A table as it is declared: all that is made for it and done with it follows from this. */
export type Table<Of extends Owner = Owner, Some extends Columns = Columns> = TableOptions<Of> & {
  readonly name: string;
  readonly columns: Some;
  /** The columns as they are called in the database, in their order, those of the owner first. */
  readonly all: readonly TableColumn[];
};

/** A column of a table: its name there, and in records. */
export type TableColumn = ColumnFacts & { readonly column: string; readonly field: string };

type Scoped<Of extends Owner> = Of extends "user"
  ? { readonly scope: Scope }
  : Of extends "agent"
    ? { readonly agent: string }
    : unknown;

type Simple<Made> = { [Key in keyof Made]: Made[Key] } & {};

/** A row of the table as records have it. */
export type Stored<Made extends Table> = Simple<
  Scoped<Made["of"]> & {
    readonly [Field in keyof Made["columns"] as [Made["columns"][Field]["read"]] extends [never]
      ? never
      : undefined extends Made["columns"][Field]["read"]
        ? never
        : Field]: Made["columns"][Field]["read"];
  } & {
    readonly [Field in keyof Made["columns"] as [Made["columns"][Field]["read"]] extends [never]
      ? never
      : undefined extends Made["columns"][Field]["read"]
        ? Field
        : never]?: Exclude<Made["columns"][Field]["read"], undefined>;
  }
>;

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : Name;

type OwnerRow<Of extends Owner> = Of extends "user"
  ? { agent: string; user_id: string }
  : Of extends "agent"
    ? { agent: string }
    : unknown;

/** A row of the table as the database has it. */
export type RowOf<Made extends Table> = Simple<
  OwnerRow<Made["of"]> & {
    [Field in keyof Made["columns"] as Snake<Field & string>]: Made["columns"][Field]["kept"];
  }
>;

/** What a row is made of: by the names of a record, hidden columns among them. What is left out is what is usual. */
export type NewRowOf<Made extends Table> = Scoped<Made["of"]> & {
  readonly [Field in keyof Made["columns"]]?: Given<Made["columns"][Field]>;
};

type Given<Made extends Column<Value, unknown>> =
  | ([Made["read"]] extends [never] ? Made["kept"] : Made["read"])
  | undefined
  | (null extends Made["kept"] ? null : never);

export function table<const Of extends Owner, const Some extends Columns>(
  name: string,
  options: TableOptions<Of>,
  columns: Some,
): Table<Of, Some> {
  const own = ownColumns[options.of].map((column) => ({
    type: "text" as const,
    column,
    field: column,
    isInner: true as const,
  }));
  const rest = Object.entries(columns).map(([field, { facts }]) => ({ ...facts, field, column: columnOf(field) }));
  const first = rest.filter(({ type }) => type === "counted");
  return { ...options, name, columns, all: [...first, ...own, ...rest.filter(({ type }) => type !== "counted")] };
}

const ownColumns = { user: ["agent", "user_id"], agent: ["agent"], store: [] } as const;

function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The columns that name a row's owner. */
export function ownerColumns({ of, owner }: Table): { readonly agent?: string; readonly user?: string } {
  return owner ?? (of === "user" ? { agent: "agent", user: "user_id" } : of === "agent" ? { agent: "agent" } : {});
}

/** Whose a row is: a user's with an agent, or the agent's own. */
export function scopeOf({ agent, user_id }: { readonly agent: string; readonly user_id: string }): Scope {
  return user_id === "" ? { agent } : { agent, user: user_id };
}

/** A row as a record. */
export function recordOf<Made extends Table>(made: Made, row: object): Stored<Made> {
  const from = row as Row;
  const record: Record<string, unknown> = {};
  if (made.of === "user") record.scope = scopeOf(row as { agent: string; user_id: string });
  for (const { column, field, isHidden, isOptional, reads } of made.all) {
    if (isHidden || column === "user_id" || (column === "agent" && made.of === "user")) continue;
    const value = from[column];
    if (value === null || value === undefined) {
      if (!isOptional) record[field] = null;
    } else record[field] = reads === "json" ? JSON.parse(value as string) : reads === "truth" ? value === 1 : value;
  }
  return record as Stored<Made>;
}

/** What inserts a row. What is not given is what is usual there, or null. */
export function insertInto<Made extends Table>(made: Made, given: NewRowOf<Made>): Query {
  const { scope, ...fields } = given as { readonly scope?: Scope } & Readonly<Record<string, unknown>>;
  const values: Value[] = [];
  const columns: string[] = [];
  for (const { column, field, reads } of made.all) {
    const value =
      scope && column === "agent" ? scope.agent : scope && column === "user_id" ? (scope.user ?? "") : fields[field];
    if (value === undefined) continue;
    columns.push(column);
    values.push(keptOf(value, reads));
  }
  return { texts: insertTexts(made.name, columns), values };
}

function keptOf(value: unknown, reads: ColumnFacts["reads"]): Value {
  if (value === null) return null;
  if (reads === "truth") return value ? 1 : 0;
  const kept = (reads === "json" ? JSON.stringify(value) : value) as Value;
  if (typeof kept === "string") checkSoundText(kept);
  return kept;
}

const known = new Map<string, readonly string[]>();

/** The same array for the same columns: by it a home knows the query again. */
function insertTexts(table: string, columns: readonly string[]): readonly string[] {
  const names = `insert into ${table} (${columns.join(", ")}) values (`;
  const texts = known.get(names) ?? [names, ...columns.slice(1).map(() => ", "), ")"];
  known.set(names, texts);
  return texts;
}
