import type { Value } from "./sql.ts";

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
  readonly isInner?: true;
  /** No seal covers it. */
  readonly isUnsealed?: true;
  /** It says who is at work on the row, or when it was last used. */
  readonly isPassing?: true;
  /** It follows from the others, and can be worked out anew: no checkpoint has it. */
  readonly isDerived?: true;
  readonly refers?: Reference;
};

/** A row of another table that has to be there. */
export type Reference = {
  readonly to: string;
  /** What tells that it was there, as verify says it. */
  readonly because: string;
  /** Whose key is two: the agent's name stands before it. */
  readonly inAgent?: true;
  /** Others may give such rows any name, and keep none: only what the store named itself was there for sure. */
  readonly anyName?: true;
  /** Rows that tell nothing. */
  readonly unless?: string;
};

/** One column. Every method gives another one; the first stays as it is. */
export class Column<Kept extends Value, Read> {
  /** Only for TypeScript: there are no such properties. */
  declare readonly kept: Kept;
  declare readonly read: Read;
  readonly facts: ColumnFacts;

  constructor(facts: ColumnFacts) {
    this.facts = facts;
  }

  private with<K extends Value = Kept, R = Read>(more: Partial<ColumnFacts>): Column<K, R> {
    return new Column<K, R>({ ...this.facts, ...more });
  }

  nullable(): Column<Kept | null, Read | null> {
    return this.with({ isNullable: true });
  }

  /** Nullable, and left out of a record that has none. */
  optional(): Column<Kept | null, Read | undefined> {
    return this.with({ isNullable: true, isOptional: true });
  }

  unique(): Column<Kept, Read> {
    return this.with({ isUnique: true });
  }

  usual(usual: string | number): Column<Kept, Read> {
    return this.with({ usual });
  }

  hidden(): Column<Kept, never> {
    return this.with<Kept, never>({ isHidden: true });
  }

  inner(): Column<Kept, Read> {
    return this.with({ isInner: true });
  }

  /** It is proven by something else than a seal. */
  unsealed(): Column<Kept, Read> {
    return this.with({ isUnsealed: true });
  }

  passing(): Column<Kept, Read> {
    return this.with({ isPassing: true, isUnsealed: true, isInner: true });
  }

  derived(): Column<Kept, Read> {
    return this.with({ isDerived: true, isUnsealed: true, isInner: true });
  }

  /** The row that its value names has to be there: `because` tells why, as verify says it. */
  refers(
    to: string,
    because: string,
    more: Pick<Reference, "inAgent" | "anyName" | "unless"> = {},
  ): Column<Kept, Read> {
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
export const counted = (): Column<number, number> => new Column({ type: "counted", isInner: true });
