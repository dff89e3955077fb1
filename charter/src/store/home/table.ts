import type { Scope } from "../../amend/amendment.ts";
import { badArgument, isRecord, isText, kindOf } from "../../prompt/argument.ts";
import type { Column, ColumnFacts } from "./column.ts";
import type { Value } from "./sql.ts";

/** Whose rows a table has: of a user with an agent, of an agent, or of the store itself. */
type Owner = "user" | "agent" | "store";

/** Columns by the names that records have for them. */
type AnyColumn = Column<Value, unknown, "always" | "given" | "never">;
type Columns = Readonly<Record<string, AnyColumn>>;

/**
 * Which rows may be seen in a scope, and which added, changed and removed: conditions, in which `{agent}` and `{user}` are
 * the scope's. `false`: none.
 */
export type Fence = { readonly see: string; readonly add: string; readonly change: string; readonly remove: string };

/** What becomes of rows that stay when the one they are of is erased. What was said in them is emptied in any case. */
type EraseRule = {
  /** What is set besides; `{at}` is the time. */
  readonly set?: Readonly<Record<string, string>>;
  /** Rows of which nothing is left to erase. */
  readonly unless: string;
};

/** How long rows are kept that are done with. */
type KeepRule = {
  /** Rows that may go, once `{until}` is after what was done with them. */
  readonly when: string;
  /** So many days they are kept at least; or `just` so many, whatever is asked for. */
  readonly days?: number;
  readonly just?: true;
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
   * How it is known that nobody changed them behind our back: by a seal, unless said otherwise; by a hash chain; or they
   * are seals themselves. A cache is not proven, but made anew from others. Words: what is not proven at all.
   */
  readonly proof?: "hashChain" | "seals" | "cache" | { readonly none: string };
  /**
   * What becomes of rows when the user, or the agent, they are of is erased: they are deleted, unless said otherwise.
   * `through`: the column that names a turn; what an agent did for someone goes with them as well.
   */
  readonly erase?: { readonly blank?: EraseRule | "keep"; readonly through?: "id" | "turn" };
  readonly keep?: KeepRule;
  /** It changes seldom, and what is read of it may be kept until its mark changes. */
  readonly isMarked?: true;
  /** Checkpoints leave it out. */
  readonly isLeftOut?: true;
  /** What it is called in what users are given of theirs; false: it is not. */
  readonly exported?: string | false;
  /** What only one home has for it: search, indexes of its own. */
  readonly besides?: { readonly sqlite?: readonly string[]; readonly postgres?: readonly string[] };
};

/**
 * A table as `table` declares it: all that is made for it and done with it follows from this.
 *
 * @opaque
 */
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

/**
 * A row of a table as a record, by the type of what `table` gave.
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

/** `user` is a word of PostgreSQL's own. */
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
 * What a row is made of: by the names of a record, hidden columns among them. What is left out is what is usual.
 *
 * @opaque
 */
export type NewRowOf<Made extends Table> = Scoped<Made["of"]> & {
  readonly [Field in keyof Made["columns"]]?: Given<Made["columns"][Field]>;
};

type Given<Made extends AnyColumn> = Made["read"] | undefined | (null extends Made["kept"] ? null : never);

/** Declares a table: its name, whose its rows are and what becomes of them, and its columns. */
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
    // Most commands come to a few tables only.
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
  // What a row is called by stands before whose it is, as records say it.
  const named = rest.findIndex(({ type, field }) => type !== "counted" && field !== "id");
  return [...rest.slice(0, named), ...own, ...rest.slice(named)];
}

function columnOf(field: string): string {
  return field === "user" ? "user_id" : field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The columns that name a row's owner. */
export function ownerColumns({ of, owner }: Table): { readonly agent?: string; readonly user?: string } {
  return owner ?? (of === "user" ? { agent: "agent", user: "user_id" } : of === "agent" ? { agent: "agent" } : {});
}

/** Whose a row is: a user's with an agent, or the agent's own. */
export function scopeOf({ agent, user_id }: { readonly agent: string; readonly user_id: string }): Scope {
  return user_id === "" ? { agent } : { agent, user: user_id };
}
