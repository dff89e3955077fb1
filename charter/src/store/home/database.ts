import type { Scope } from "../../amend/amendment.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Query } from "./sql.ts";
import type { Schema } from "./table-statements.ts";

/** One connection, while someone holds it. */
export type Database = {
  readonly all: <Row>(query: Query) => Promise<Row[]>;
  readonly one: <Row>(query: Query) => Promise<Row | undefined>;
  /** Runs a statement and says how many rows it touched. */
  readonly run: (query: Query) => Promise<number>;
  /** Rows one after the other, however many there are: only some of them are in memory at a time. */
  readonly each: <Row>(query: Query) => AsyncIterable<Row>;
  readonly dialect: SqlDialect;
};

/** What differs between the homes, beyond the way a parameter is written. */
export type SqlDialect = {
  readonly name: "sqlite" | "postgres";
  /**
   * Until this transaction ends, nobody else gets the lock of this name; those who share it get it together. SQLite's
   * writer is alone already.
   */
  readonly lock: (name: string, how?: "shared") => Query | undefined;
  /** Reads a row anew that nobody else changes until this transaction ends. SQLite's writer is alone already. */
  readonly hold: (select: Query) => Query | undefined;
  /** Ends a `select` that takes rows nobody else is working on. */
  readonly skipLocked: Query;
  /** Whether a note of this scope is found by one of these stems. */
  readonly hasStem: (scope: Scope, stems: readonly string[]) => Query;
  /** Keeps what a turn is found by: its words as they are compared, each once. What was kept before is replaced. */
  readonly keepWords: (turn: WordedTurn) => readonly Query[];
  /** The ids of an agent's turns, or of one scope's, in which there are words that begin with each of these. */
  readonly turnsWithWords: (
    of: { agent?: string | undefined; user?: string | undefined },
    words: readonly string[],
  ) => Query;
  /** Milliseconds from the time in one column to another time. */
  readonly millisSince: (column: string, until: string) => Query;
  /** Whether a folded text holds these words. */
  readonly contains: (column: string, words: string) => Query;
  /** A column of texts as one JSON list. */
  readonly listed: (column: string) => Query;
  /** A row's seal, a whole number in words, from these columns. */
  readonly rowSeal: (columns: readonly string[]) => Query;
  /** A column of bytes as one value, one after the other. */
  readonly joinedBytes: (column: string) => Query;
  /** Inserts events and gives their ids; when this transaction is committed, watchers hear that they were written. */
  readonly announced: (insert: Query) => Query;
  /** Inserts rows, all with one statement. */
  readonly insert: (table: string, columns: RowColumns, rows: readonly NewRow[]) => Query;
  /** Follows a column to order by, so that texts come in the order of their bytes in every home. */
  readonly bytewise: Query;
  /** Until this transaction ends, nobody else reads or writes the table. SQLite's writer is alone already. */
  readonly lockTable: (table: string) => Query | undefined;
  /** Until this transaction ends, nobody is alone with the table. */
  readonly lockTableShared: (table: string) => Query | undefined;
  /** From now on what is deleted is also overwritten, where a home can be told to. */
  readonly secureDelete: Query | undefined;
};

/** The columns of rows to be inserted: those of texts, and those of whole numbers. */
type RowColumns = { readonly text: readonly string[]; readonly number: readonly string[] };

/** A row to be inserted, by column. */
export type NewRow = Readonly<Record<string, string | number | null>>;

type WordedTurn = {
  readonly id: string;
  readonly scope: Scope;
  readonly words: readonly string[];
};

/**
 * The database of a store: `sqlite(path)` or `postgres(url)` makes it, `createStore` opens it.
 *
 * @opaque
 */
export type Home = {
  readonly name: "sqlite" | "postgres";
  /** Where it is, without a password. */
  readonly place: string;
  readonly schema: Schema;
  readonly read: <Result>(reach: Reach, work: (db: Database) => Promise<Result>) => Promise<Result>;
  readonly write: <Result>(reach: Reach, work: (db: Database) => Promise<Result>) => Promise<Result>;
  /**
   * A mark of tables that are marked: as long as it stays the same, nobody has committed anything to them, in whichever
   * process. What was read after it was asked for is current until it changes. `undefined`: that cannot be said.
   */
  readonly mark: (tables: readonly string[]) => Promise<string | undefined>;
  /** Calls back whenever an event was written, by whichever process; the function it returns stops it. */
  readonly watch: (wake: (event?: number) => void) => Promise<() => Promise<void>>;
  /** Brings the schema up to date, or says why it cannot. */
  readonly migrate: () => Promise<{ readonly from: number; readonly to: number }>;
  readonly version: () => Promise<number | undefined>;
  /** Gives back the room of what was deleted. */
  readonly vacuum: () => Promise<void>;
  /** Makes sure that what was deleted cannot be read in a home's files; `false` while someone still reads the old ones. */
  readonly scrub: () => Promise<boolean>;
  /** Why nothing that is written here would last, as far as that can be seen without asking; `undefined` otherwise. */
  readonly storageLost: () => Problem | undefined;
  /**
   * Why nothing can be written for want of room. While writes are kept the disk is not asked; after one that failed so, a
   * small one is tried.
   */
  readonly lacksRoom: () => Promise<Problem | undefined>;
  /** Whether the database's own pages and indexes agree with each other. */
  readonly integrity: () => Promise<Integrity>;
  /** How the home itself is: what is fine, and what needs a hand. */
  readonly checkup: () => Promise<Checkup[]>;
  /** How its workers share what is due; whoever opened it closes it. */
  readonly jobs: (trouble: OnError) => Promise<Jobs>;
  readonly close: () => Promise<void>;
};

/** What a database found when it looked at itself, in its own words; `unseen`: what it could not look at, and why. */
export type Integrity = { readonly damages: readonly string[]; readonly unseen?: string };

/** One thing that was checked about the database itself. If it is not fine, the hint says what to do. */
export type Checkup = { readonly what: string; readonly fine: boolean; readonly hint?: string };

/** Whose rows may be seen: those of one scope, or everything (the operator's view). */
export type Reach = Scope | "everything";

/** A call that comes too late does not open again what was closed: it would keep the process from ending. */
export function storeClosed(place: string): Problem {
  return new Problem("store-closed", `The store in ${place} was closed.`, "Open it anew with createStore.");
}

/** A run someone may try now. It holds no words: whose it is and what it asks is in the run. */
export type Job = {
  readonly run: string;
  /** Says that its worker is alive. */
  readonly heartbeat: () => Promise<void>;
  /** Its worker is through with it, however that went. */
  readonly complete: () => Promise<void>;
};

/**
 * How the workers of a store share what is due. It only says who tries what: that a run is tried by one at a time, and
 * how often, is kept with the run itself, so a job that is lost or told twice does no harm.
 */
export type Jobs = {
  /** These can be tried now. Told again and again, also by several workers, each try is still one job. */
  readonly offer: (runs: readonly { readonly id: string; readonly tries: number }[]) => Promise<void>;
  /** So many at most, each for this worker alone. */
  readonly claim: (max: number) => Promise<readonly Job[]>;
  readonly close: () => Promise<void>;
};

/** What goes wrong where nobody waits for an answer. */
export type OnError = (error: unknown) => void;

/** Each worker looks for itself at what is due; the lease in the run says whose it is. Enough for a file on one machine. */
export function leaseJobs(): Jobs {
  let offered: string[] = [];
  const nothing = async () => {};
  return {
    offer: async (runs) => {
      offered = runs.map(({ id }) => id);
    },
    claim: async (max) => offered.splice(0, max).map((run): Job => ({ run, heartbeat: nothing, complete: nothing })),
    close: nothing,
  };
}
