import type { Scope } from "../../amend/amendment.ts";
import { badArgument, isRecord, isText, kindOf } from "../../prompt/argument.ts";
import type { Value } from "./sql.ts";

/** Owner of a table's rows: a user with an agent, an agent, or the store itself. */
type Owner = "user" | "agent" | "store";

/** Columns by the names that records have for them. */
type AnyColumn = Column<Value, unknown, "always" | "given" | "never">;
export type Columns = Readonly<Record<string, AnyColumn>>;

/**
 * Conditions for the rows that may be seen, added, changed and removed in a scope; `{agent}` and `{user}` are the scope's.
 * `false`: none.
 */
export type Fence = { readonly see: string; readonly add: string; readonly change: string; readonly remove: string };

/** Rule for rows that stay when their owner is erased. Columns with people's text are emptied in any case. */
type EraseRule = {
  /** Columns to set besides; `{at}` is the time. */
  readonly set?: Readonly<Record<string, string>>;
  /** Condition of rows that contain nothing to erase. */
  readonly unless: string;
};

/** Retention of rows that are finished. */
type KeepRule = {
  /** Condition of rows that may be deleted, once `{until}` is after they were finished. */
  readonly when: string;
  /** Minimum number of days to keep them; with `just`, exactly so many, whatever the operator asks for. */
  readonly days?: number;
  readonly just?: true;
  /** Column that takes up most of their room. */
  readonly size: string;
};

type TableOptions<Of extends Owner> = {
  readonly of: Of;
  readonly key: readonly string[];
  /** Columns that name the owner, if they have other names, or if a table of the store has them. */
  readonly owner?: { readonly agent?: string; readonly user?: string };
  /** Stores rows in the order of the key: for short rows. */
  readonly isByKey?: true;
  /** Unique indexes and other indexes, by name: the words after the table's name. */
  readonly unique?: Readonly<Record<string, string>>;
  readonly indexes?: Readonly<Record<string, string>>;
  readonly fence?: Partial<Fence>;
  /**
   * Proof that nobody changed the rows behind the store's back: a seal, unless said otherwise; a hash chain; or the rows are
   * seals themselves. A cache is not proven, but can be computed again from others. `none` says what is not proven at all.
   */
  readonly proof?: "hashChain" | "seals" | "cache" | { readonly none: string };
  /**
   * Treatment of rows when the user, or the agent, that owns them is erased: they are deleted, unless said otherwise. `through`:
   * the column that names a turn; what an agent did in a user's turn is erased with it.
   */
  readonly erase?: { readonly blank?: EraseRule | "keep"; readonly through?: "id" | "turn" };
  readonly keep?: KeepRule;
  /** Keeps a mark of the table, because it changes seldom: what was read of it may be kept until the mark changes. */
  readonly isMarked?: true;
  /** Leaves the table out of checkpoints. */
  readonly isLeftOut?: true;
  /** Name of the rows in a user's export; false: they are not in it. */
  readonly exported?: string | false;
  /** Statements for one home only: search, indexes of its own. */
  readonly besides?: { readonly sqlite?: readonly string[]; readonly postgres?: readonly string[] };
};

/**
 * A table as `table` declares it: everything that is made for it and done with it follows from this.
 *
 * @opaque
 */
export type Table<Of extends Owner = Owner, Some extends Columns = Columns> = TableOptions<Of> & {
  readonly name: string;
  readonly columns: Some;
  /** Columns in the order and with the names of the database, those of the owner first. */
  readonly all: readonly TableColumn[];
};

/** A column of a table: its name in the database, and in records. */
export type TableColumn = ColumnFacts & { readonly column: string; readonly field: string };

type Scoped<Of extends Owner> = Of extends "user"
  ? { readonly scope: Scope }
  : Of extends "agent"
    ? { readonly agent: string }
    : unknown;

type Simple<Made> = { [Key in keyof Made]: Made[Key] } & {};

/**
 * A record of a table's row, by the type of what `table` returned.
 *
 * @opaque
 */
export type RecordOf<Made extends Table> = Simple<
  Scoped<Made["of"]> & {
    readonly [Field in keyof Made["columns"] as Made["columns"][Field]["inRecord"] extends "always"
      ? Field
      : never]: Made["columns"][Field]["read"];
  } & {
    readonly [Field in keyof Made["columns"] as Made["columns"][Field]["inRecord"] extends "given"
      ? Field
      : never]?: Made["columns"][Field]["read"];
  }
>;

/** Reserved word: `user` is one of PostgreSQL's, so that column has another name. */
type ColumnName<Field extends string> = Field extends "user" ? "user_id" : Snake<Field>;

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
    [Field in keyof Made["columns"] as ColumnName<Field & string>]: Made["columns"][Field]["kept"];
  }
>;

/**
 * Values of a new row, by the names of a record, hidden columns included. A value that is left out is the default.
 *
 * @opaque
 */
export type NewRowOf<Made extends Table> = Scoped<Made["of"]> & {
  readonly [Field in keyof Made["columns"]]?: Given<Made["columns"][Field]>;
};

type Given<Made extends AnyColumn> = Made["read"] | undefined | (null extends Made["kept"] ? null : never);

/** Declares a table: its name, its rows' owner, how they are erased and kept, and its columns. */
export function table<Of extends Owner, Some extends Columns>(
  name: string,
  options: TableOptions<Of>,
  columns: Some,
): Table<Of, Some> {
  const { of } = Object(options) as TableOptions<Of>;
  if (!isText(name) || !Object.hasOwn(ownColumns, of) || !isRecord(columns))
    throw badArgument(
      `What table was given is no name, no { of } or no columns: ${[name, options, columns].map(kindOf).join(", ")}.`,
      'Give table("diaries", { of: "user", key: ["id"] }, { id: columns.id() }); of is "user", "agent" or "store".',
    );
  let all: readonly TableColumn[] | undefined;
  return {
    ...options,
    name,
    columns,
    // Deferred, because most commands use only a few tables.
    get all() {
      all ??= columnsOf(options.of, columns);
      return all;
    },
  };
}

export function checkTable(name: string, made: Table): void {
  if (isRecord(made?.columns)) return;
  throw badArgument(`The table that ${name} was given is ${kindOf(made)}.`, "Give what table() made.");
}

const ownColumns = { user: ["agent", "user_id"], agent: ["agent"], store: [] } as const;

function columnsOf(of: Owner, columns: Columns): readonly TableColumn[] {
  const own = ownColumns[of].map((column) => ({
    type: "text" as const,
    column,
    field: column,
    isInner: true as const,
  }));
  const rest = Object.entries(columns).map(([field, { facts }]) => ({ ...facts, field, column: columnOf(field) }));
  // Order of records: the id comes before the owner.
  const ownerPlace = rest.findIndex(({ type, field }) => type !== "counted" && field !== "id");
  return [...rest.slice(0, ownerPlace), ...own, ...rest.slice(ownerPlace)];
}

/** Returns the names of a table's columns, in no order: opening compares them, and needs nothing else of most tables. */
export function columnNames({ of, columns }: Table): string[] {
  return [...ownColumns[of], ...Object.keys(columns).map(columnOf)];
}

function columnOf(field: string): string {
  return field === "user" ? "user_id" : field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Returns the columns that name a row's owner. */
export function ownerColumns({ of, owner }: Table): { readonly agent?: string; readonly user?: string } {
  return owner ?? (of === "user" ? { agent: "agent", user: "user_id" } : of === "agent" ? { agent: "agent" } : {});
}

/** Returns a row's scope: a user's with an agent, or the agent's own. */
export function scopeOf({ agent, user_id }: { readonly agent: string; readonly user_id: string }): Scope {
  return user_id === "" ? { agent } : { agent, user: user_id };
}

/** Declaration of a column. */
export type ColumnFacts = {
  readonly type: "text" | "number" | "bytes" | "counted";
  /** Marks text of people, or a name they are known by: it is erased with them, and no server collects statistics of it. */
  readonly isSaid?: true;
  /** Form in a record, if that differs from the database. */
  readonly reads?: "json" | "truth";
  readonly isNullable?: true;
  /** Leaves the field out of a record without a value; otherwise it is null there. */
  readonly isOptional?: true;
  readonly isUnique?: true;
  /** Default value. */
  readonly usual?: string | number;
  /** Leaves the column out of records. */
  readonly isHidden?: true;
  /** Leaves the column out of a user's export. */
  readonly isInner?: boolean;
  /** Leaves the column out of the seal. */
  readonly isUnsealed?: true;
  /** Marks a column that says who is working on the row, or when it was last used. */
  readonly isPassing?: true;
  /** Marks a column that only searches and lists use: it is computed from what is proven. */
  readonly isCache?: true;
  /** Leaves the column out of checkpoints, because it can be computed again at any time. */
  readonly isDerived?: true;
  readonly refers?: Reference;
};

/**
 * Reference to a row of another table that has to exist: by its key, and among the agent's rows if the key includes the agent.
 */
type Reference = {
  readonly to: string;
  /** Reason why the row must have existed, in the words of `verify`. */
  readonly because: string;
  /** Accepts names that others gave and stored no row for: only a row that the store named itself existed for sure. */
  readonly anyName?: true;
  /** Condition of rows that prove nothing. */
  readonly unless?: string;
};

/** Presence in a record: always, only with a value, or never. */
type InRecord = "always" | "given" | "never";

/** A column. Every method returns a new one; the first stays as it is. */
export class Column<Kept extends Value, Read, In extends InRecord = "always"> {
  /** Types for TypeScript only: there are no such properties. */
  declare readonly kept: Kept;
  declare readonly read: Read;
  declare readonly inRecord: In;
  readonly facts: ColumnFacts;

  constructor(facts: ColumnFacts) {
    this.facts = facts;
  }

  private with<K extends Value = Kept, R = Read, I extends InRecord = In>(more: Partial<ColumnFacts>): Column<K, R, I> {
    return new Column<K, R, I>({ ...this.facts, ...more });
  }

  nullable(): Column<Kept | null, Read | null, In> {
    return this.with({ isNullable: true });
  }

  /** Makes it nullable, and leaves it out of a record without a value. */
  optional(): Column<Kept | null, Read, "given"> {
    return this.with({ isNullable: true, isOptional: true });
  }

  /** Requires a different value in every row. */
  unique(): Column<Kept, Read, In> {
    return this.with({ isUnique: true });
  }

  /** Sets the default value. */
  usual(usual: string | number): Column<Kept, Read, In> {
    return this.with({ usual });
  }

  /** Leaves it out of records. */
  hidden(): Column<Kept, Read, "never"> {
    return this.with({ isHidden: true });
  }

  /** Leaves it out of a user's export. */
  inner(): Column<Kept, Read, In> {
    return this.with({ isInner: true });
  }

  /** Leaves it out of the seal, because something else proves it. */
  unsealed(): Column<Kept, Read, In> {
    return this.with({ isUnsealed: true });
  }

  /** Marks it as saying who is working on the row, or when it was last used: no seal covers it. */
  passing(how?: "exported"): Column<Kept, Read, In> {
    return this.with({ isPassing: true, isUnsealed: true, ...(how === undefined && { isInner: true }) });
  }

  /** Marks it as computed for lists. It stays when its origin is erased, so checkpoints have it. */
  cached(): Column<Kept, Read, In> {
    return this.with({ isCache: true, isUnsealed: true });
  }

  /** Marks it as following from the others: no seal covers it, no checkpoint has it. */
  derived(): Column<Kept, Read, In> {
    return this.with({ isCache: true, isDerived: true, isUnsealed: true, isInner: true });
  }

  /** Requires that the row named by its value exists: `because` says why, in the words of `verify`. */
  refers(to: string, because: string, more: Pick<Reference, "anyName" | "unless"> = {}): Column<Kept, Read, In> {
    return this.with({ refers: { to, because, ...more } });
  }
}

/** Column with people's text. */
export const text = (): Column<string, string> => new Column({ type: "text", isSaid: true });
/** Column of JSON with people's text in it. */
export const json = <Read = unknown>(): Column<string, Read> =>
  new Column({ type: "text", isSaid: true, reads: "json" });
/** Column of JSON without people's text. */
export const data = <Read = unknown>(): Column<string, Read> => new Column({ type: "text", reads: "json" });
const plain = <Kept extends string = string>(): Column<Kept, Kept> => new Column({ type: "text" });
/** Column with a row's id, here or where it came from. */
export const id = plain;
/** Column with a name: of an agent, a section, a channel, a model. */
export const name = plain;
export const digest = plain;
/** Column with a program's own words: one of a few, or made of them. */
export const code = plain;
export const time = plain;
export const oneOf = <Kept extends string>(..._values: readonly Kept[]): Column<Kept, Kept> =>
  new Column({ type: "text" });
export const count = (): Column<number, number> => new Column({ type: "number" });
export const truth = (): Column<number, boolean> => new Column({ type: "number", reads: "truth" });
/** Column of bytes that someone gave. */
export const bytes = (): Column<Uint8Array, Uint8Array> => new Column({ type: "bytes", isSaid: true });
/** Column with a number that the database counts up itself: the first column, and the key. */
export const counted = (): Column<number, number> => new Column({ type: "counted" });

/**
 * Kinds of columns. `text` and `json` contain people's text, `bytes` what someone gave: they are erased with that person. The
 * others contain none: `data` is JSON, `id` a row's id, `name` a name, `code` a program's own words, `oneOf` one of a few,
 * `truth` 0 or 1, `counted` the number that the database gives a row.
 */
export const columns = { text, json, data, id, name, digest, code, time, oneOf, count, truth, bytes, counted };
