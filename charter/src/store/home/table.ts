import type { Scope } from "../../amend/amendment.ts";
import { badArgument, isRecord, isText, kindOf } from "../../prompt/argument.ts";
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

/** What is declared of a column. */
export type ColumnFacts = {
  readonly type: "text" | "number" | "bytes" | "counted";
  /** It holds what someone said, or is known by: it goes when they are erased, and no server learns from it. */
  readonly isSaid?: true;
  /** How a record has it, where that is not as it is kept. */
  readonly reads?: "json" | "truth";
  readonly isNullable?: true;
  /** In a record it is left out where there is none; otherwise it is null there. */
  readonly isOptional?: true;
  readonly isUnique?: true;
  /** What it holds where nothing is given. */
  readonly usual?: string | number;
  /** No part of a record. */
  readonly isHidden?: true;
  /** No part of what a user is given of theirs. */
  readonly isInner?: boolean;
  /** No seal covers it. */
  readonly isUnsealed?: true;
  /** It says who is at work on the row, or when it was last used. */
  readonly isPassing?: true;
  /** Searches and lists go by it, and nothing else does: it is worked out from what is proven. */
  readonly isCache?: true;
  /** It can be worked out anew at any time: no checkpoint has it. */
  readonly isDerived?: true;
  readonly refers?: Reference;
};

/** A row of another table that has to be there: it is known by this, among those of the agent where its key says so. */
type Reference = {
  readonly to: string;
  /** What tells that it was there, as verify says it. */
  readonly because: string;
  /** Others may give such rows any name, and keep none: only what the store named itself was there for sure. */
  readonly anyName?: true;
  /** Rows that tell nothing. */
  readonly unless?: string;
};

/** Whether a record has it always, only where there is one, or never. */
type InRecord = "always" | "given" | "never";

/** One column. Every method gives another one; the first stays as it is. */
export class Column<Kept extends Value, Read, In extends InRecord = "always"> {
  /** Only for TypeScript: there are no such properties. */
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

  /** Nullable, and left out of a record that has none. */
  optional(): Column<Kept | null, Read, "given"> {
    return this.with({ isNullable: true, isOptional: true });
  }

  /** No two rows hold the same. */
  unique(): Column<Kept, Read, In> {
    return this.with({ isUnique: true });
  }

  /** What it holds where nothing is given. */
  usual(usual: string | number): Column<Kept, Read, In> {
    return this.with({ usual });
  }

  /** No part of a record. */
  hidden(): Column<Kept, Read, "never"> {
    return this.with({ isHidden: true });
  }

  /** No part of what a user is given of theirs. */
  inner(): Column<Kept, Read, In> {
    return this.with({ isInner: true });
  }

  /** It is proven by something else than a seal. */
  unsealed(): Column<Kept, Read, In> {
    return this.with({ isUnsealed: true });
  }

  /** It says who is at work on the row, or when it was last used: no seal covers it. */
  passing(how?: "exported"): Column<Kept, Read, In> {
    return this.with({ isPassing: true, isUnsealed: true, ...(how === undefined && { isInner: true }) });
  }

  /** What lists go by. It stays where what it was worked out from is gone, so checkpoints have it. */
  cached(): Column<Kept, Read, In> {
    return this.with({ isCache: true, isUnsealed: true });
  }

  /** It follows from the others: no seal covers it, no checkpoint has it. */
  derived(): Column<Kept, Read, In> {
    return this.with({ isCache: true, isDerived: true, isUnsealed: true, isInner: true });
  }

  /** The row that its value names has to be there: `because` tells why, as verify says it. */
  refers(to: string, because: string, more: Pick<Reference, "anyName" | "unless"> = {}): Column<Kept, Read, In> {
    return this.with({ refers: { to, because, ...more } });
  }
}

/** Someone's words. */
export const text = (): Column<string, string> => new Column({ type: "text", isSaid: true });
/** JSON with someone's words in it. */
export const json = <Read = unknown>(): Column<string, Read> =>
  new Column({ type: "text", isSaid: true, reads: "json" });
/** JSON that nobody's words are in. */
export const data = <Read = unknown>(): Column<string, Read> => new Column({ type: "text", reads: "json" });
const plain = <Kept extends string = string>(): Column<Kept, Kept> => new Column({ type: "text" });
/** What a row is called by, here or where it came from. */
export const id = plain;
/** What something is called: an agent, a section, a channel, a model. */
export const name = plain;
export const digest = plain;
/** Words of our own: one of a few, or made of them. */
export const code = plain;
export const time = plain;
export const oneOf = <Kept extends string>(..._values: readonly Kept[]): Column<Kept, Kept> =>
  new Column({ type: "text" });
export const count = (): Column<number, number> => new Column({ type: "number" });
export const truth = (): Column<number, boolean> => new Column({ type: "number", reads: "truth" });
/** Bytes that someone gave. */
export const bytes = (): Column<Uint8Array, Uint8Array> => new Column({ type: "bytes", isSaid: true });
/** A number that the database counts up itself: the first column, and the key. */
export const counted = (): Column<number, number> => new Column({ type: "counted" });

/**
 * The kinds of columns. `text` and `json` hold someone's words, `bytes` what someone gave: they go when that person is
 * erased. The others hold none: `data` is JSON, `id` what a row is called by, `name` what something is called, `code` a
 * program's own words, `oneOf` one of a few, `truth` 0 or 1, `counted` the number that the database gives a row.
 */
export const columns = { text, json, data, id, name, digest, code, time, oneOf, count, truth, bytes, counted };
