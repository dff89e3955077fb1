import type { Scope } from "../../amend/amendment.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Query } from "./sql.ts";
import type { Table } from "./table.ts";
import type { Schema } from "./table-statements.ts";

/** A connection to the database, while someone holds it. */
export type Database = {
  readonly all: <Row>(query: Query) => Promise<Row[]>;
  readonly one: <Row>(query: Query) => Promise<Row | undefined>;
  /** Runs a statement and returns how many rows it touched. */
  readonly run: (query: Query) => Promise<number>;
  /**
   * Runs a statement that need not be waited for, before those that come after it: on PostgreSQL they go to the server together. If
   * it fails, so does whatever is waited for next, and the transaction.
   */
  readonly send: (query: Query) => Promise<void>;
  /** Yields rows one after the other, however many there are: only some of them are in memory at a time. */
  readonly each: <Row>(query: Query) => AsyncIterable<Row>;
  /**
   * Returns a word that is another one once a row that was there may be gone: it was deleted, its transaction was undone, or
   * another connection committed. Missing where a home cannot tell that for less than reading the row again.
   */
  readonly rowsMark?: () => string;
  readonly dialect: SqlDialect;
};

/** Differences between the homes, beyond the way a parameter is written. */
export type SqlDialect = {
  readonly name: "sqlite" | "postgres";
  /**
   * Takes the lock of this name until the transaction ends; shared holders get it together. SQLite needs none, since it has one
   * writer.
   */
  readonly lock: (name: string, how?: "shared") => Query | undefined;
  /** Reads a row again, and locks it until the transaction ends. SQLite needs no lock, since it has one writer. */
  readonly hold: (select: Query) => Query | undefined;
  /** Ends a `select` so that it skips rows that others are working on. */
  readonly skipLocked: Query;
  /** Condition: a note of this scope is found by one of these stems. */
  readonly hasStem: (scope: Scope, stems: readonly string[]) => Query;
  /** Indexes the words of a turn, each once and in the form in which a search compares them; earlier ones are replaced. */
  readonly keepWords: (turn: WordedTurn) => readonly Query[];
  /** Selects the ids of an agent's turns, or of one scope's, that have words beginning with each of these. */
  readonly turnsWithWords: (
    of: { agent?: string | undefined; user?: string | undefined },
    words: readonly string[],
  ) => Query;
  /** Milliseconds from the time in one column to another time. */
  readonly millisSince: (column: string, until: string) => Query;
  /** Condition: a folded text contains these words. */
  readonly contains: (column: string, words: string) => Query;
  /** Aggregates a column of texts into one JSON list. */
  readonly listed: (column: string) => Query;
  /** Computes the seal of a table's row: a whole number, as text. */
  readonly rowSeal: (made: Table) => Query;
  /** Selects what is there, in one row (see \`schema.ts\`). */
  readonly look: Query;
  /** Aggregates a column of bytes into one value, one after the other. */
  readonly joinedBytes: (column: string) => Query;
  /** Inserts events and returns their ids; watchers hear of them when the transaction is committed. */
  readonly announced: (insert: Query) => Query;
  /** Inserts rows with one statement. */
  readonly insert: (table: string, columns: RowColumns, rows: readonly NewRow[]) => Query;
  /** Follows a column in `order by`, so that texts are sorted by their bytes in every home. */
  readonly bytewise: Query;
  /** Locks a table for this transaction alone, against readers too. SQLite needs no lock, since it has one writer. */
  readonly lockTable: (table: string) => Query | undefined;
  /** Keeps others from locking a table for themselves alone until this transaction ends. */
  readonly lockTableShared: (table: string) => Query | undefined;
  /** Lets deletions overwrite what they delete from now on, where a home can do that. */
  readonly secureDelete: Query | undefined;
};

/** Columns of rows to be inserted: texts, and whole numbers. */
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
  /** Address of the database, without a password. */
  readonly place: string;
  readonly schema: Schema;
  /** Reads at one moment. `brief`: one statement, which on SQLite may be asked between two writes, where its pages are in memory. */
  readonly read: <Result>(reach: Reach, work: (db: Database) => Promise<Result>, how?: "brief") => Promise<Result>;
  /**
   * Changes something, all or nothing. It is on the disk when this resolves. `unsynced`: SQLite does not wait for the disk, so the
   * change outlasts this process at once, and the machine with the next write that is not unsynced.
   */
  readonly write: <Result>(reach: Reach, work: (db: Database) => Promise<Result>, how?: "unsynced") => Promise<Result>;
  /**
   * Returns a mark of these tables, which must have been declared with `isMarked`: as long as it stays the same, no process has
   * committed anything to them. What was read after the mark was read is current until the mark changes. `undefined`: the home
   * cannot tell.
   */
  readonly mark: (tables: readonly string[]) => Promise<string | undefined>;
  /** Calls back whenever an event was written, by whichever process; the function it returns stops it. */
  readonly watch: (wake: (event?: number) => void) => Promise<() => Promise<void>>;
  /** Brings the schema up to date, or says why it cannot. What differs from the declaration is put right, however often it is called. */
  readonly migrate: () => Promise<MigrateResult>;
  /** Looks at what is there, with one query; `undefined`: no Charter. */
  readonly look: () => Promise<Look | undefined>;
  /** Gives the room of deleted rows back to the disk. */
  readonly vacuum: () => Promise<void>;
  /** Makes deleted data unreadable in a home's files; returns `false` while another process still reads the old ones. */
  readonly scrub: () => Promise<boolean>;
  /** Returns a Problem if nothing that is written here would last, as far as that can be seen without a query. */
  readonly storageLost: () => Problem | undefined;
  /**
   * Returns a Problem if writes fail for want of room on the disk. While they succeed, the disk is not asked; after a write
   * failed so, a small one is tried.
   */
  readonly lacksRoom: () => Promise<Problem | undefined>;
  /** Checks that the database's own pages and indexes agree with each other. */
  readonly integrity: () => Promise<Integrity>;
  /** Checks the home itself: lists what is fine, and what needs a hand. */
  readonly checkup: () => Promise<Checkup[]>;
  /** Opens the home's way to share due runs among workers; the caller closes it. */
  readonly jobs: (trouble: OnError) => Promise<Jobs>;
  readonly close: () => Promise<void>;
};

/** Contents of a home: the versions by owner, the columns of its tables, and what else of the declaration it lacks. */
export type Look = {
  readonly versions: ReadonlyMap<string, SchemaVersion>;
  readonly tables: ReadonlyMap<string, readonly string[]>;
  readonly lacks: readonly string[];
};

/** Version of an owner's tables, and the version that a program has to know at least to work with them. */
export type SchemaVersion = { readonly version: number; readonly leastReader: number };

/** Versions of the store's tables before and after; 0: there were none. `copy`: the file as it was before. */
type MigrateResult = { readonly from: number; readonly to: number; readonly copy?: string };

/** Damages that a database found in itself, in its own words; `unseen`: what it could not check, and why. */
export type Integrity = { readonly damages: readonly string[]; readonly unseen?: string };

/** Result of a check of the database itself. If it is not fine, the hint says what to do. */
export type Checkup = { readonly what: string; readonly fine: boolean; readonly hint?: string };

/** Rows that may be seen: those of one scope, or everything (the operator's view). */
export type Reach = Scope | "everything";

/** Refuses a call that comes after closing: opening the database again would keep the process from ending. */
export function storeClosed(place: string): Problem {
  return new Problem("store-closed", `The store in ${place} was closed.`, "Open it anew with createStore.");
}

/** A run that may be tried now. It contains no text of anyone: the scope and the input are in the run. */
export type Job = {
  readonly run: string;
  /** Renews the job while its worker is alive. */
  readonly heartbeat: () => Promise<void>;
  /** Ends the job, whatever came of it. */
  readonly complete: () => Promise<void>;
};

/**
 * Queue by which the workers of a store share what is due. It only says who tries what: the run itself makes sure that only one
 * worker tries it, and counts the tries, so a job that is lost or offered twice does no harm.
 */
export type Jobs = {
  /** Offers runs that can be tried now. Each try is still one job, even if several workers offer it several times. */
  readonly offer: (runs: readonly { readonly id: string; readonly tries: number }[]) => Promise<void>;
  /** Takes up to `max` jobs for this worker alone. */
  readonly claim: (max: number) => Promise<readonly Job[]>;
  readonly close: () => Promise<void>;
};

/** Receives errors that no caller waits for. */
export type OnError = (error: unknown) => void;

/** Creates jobs for a file on one machine: each worker finds what is due by itself, and the lease in the run says whose it is. */
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
