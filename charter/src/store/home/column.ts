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
