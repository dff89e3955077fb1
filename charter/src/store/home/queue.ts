import type { DatabaseSync, StatementSync } from "node:sqlite";
import { Problem } from "../../prompt/problem.ts";
import type { Database, Home, Reach } from "./database.ts";
import { raw } from "./sql.ts";

type Places = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Maximum time that anyone waits for what others hold, before they get the Problem that it is busy. */
export const defaultPatienceMs = 60_000;

/**
 * Creates a limit of so many at once; a caller who finds all places taken waits for one, in order. Waiting too long says nothing
 * about the database, only that this process asks more of it than it has places for. `what` names the places.
 */
export function createPlaces(count: number, what: string, patience = defaultPatienceMs): Places {
  const waiting = new Set<() => void>();
  let free = count;
  const freed = () =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(take);
        reject(allTaken(count, what, patience));
      }, patience);
      const take = () => {
        waiting.delete(take);
        clearTimeout(timer);
        resolve();
      };
      waiting.add(take);
    });
  return async (work) => {
    if (free > 0) free--;
    else await freed();
    try {
      return await work();
    } finally {
      const [next] = waiting;
      if (next) next();
      else free++;
    }
  };
}

function allTaken(count: number, what: string, patience: number): Problem {
  return new Problem(
    "store-busy",
    `All ${count} ${what} were in use for ${patience / 1000} seconds.`,
    "Try again in a moment. If it stays so, ask for less at once, or use more processes.",
  );
}

/** Creates a queue that runs work one after the other, in order; a failure does not stop the next. */
export function createQueue(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work, work);
    last = result.catch(() => {});
    return result;
  };
}

/** Watch over the room on a home's disk. */
type Room = {
  /** Notes whether a write failed for want of room. */
  readonly noted: <Result>(write: Promise<Result>) => Promise<Result>;
  readonly lacking: Home["lacksRoom"];
};

/** Writes a row unchanged: a transaction that writes nothing would succeed even without room. */
const probe = raw("update agents set updated_at = updated_at where name = (select min(name) from agents)");

/** Creates the watch. `write` is the home's own, whose failures are noted here. */
export function createRoom(write: Home["write"]): Room {
  let problem: Problem | undefined;
  return {
    noted: (writing) => {
      writing.catch((error: unknown) => {
        if (error instanceof Problem && error.code === "disk-full") problem = error;
      });
      return writing;
    },
    lacking: async () => {
      if (problem === undefined) return undefined;
      problem = undefined;
      await write("everything", (db) => db.run(probe)).catch(() => {});
      return problem;
    },
  };
}

type PendingWrite = {
  readonly reach: Reach;
  readonly isSynced: boolean;
  readonly work: (db: Database) => Promise<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
};

/** Parts of a connection that writes: how a commit begins, and what follows it. */
export type GroupCommitOptions = {
  readonly begin: (isSynced: boolean) => Promise<{
    readonly handle: DatabaseSync;
    readonly commit: StatementSync;
    readonly through: (reach: Reach) => Database;
  }>;
  /** Runs work in the writer's turn, one after the other. */
  readonly runExclusive: (work: () => Promise<void>) => Promise<void>;
  /** Throws if what is about to be committed would be nowhere to be found. */
  readonly checkDurable?: () => void;
  readonly onCommit: () => void;
  /** Called after a rollback, of one write or of all. */
  readonly onUndo?: () => void;
  /** Translates an error of the database. */
  readonly problemOf: (error: unknown) => Promise<unknown>;
  /** Returns milliseconds, counted from any moment. */
  readonly stopwatch?: () => number;
};

export type GroupCommit = {
  readonly write: Home["write"];
  /** Resolves when everything that was asked for by now is on the disk, or refused. */
  readonly flush: () => Promise<void>;
};

/** Maximum number of writes in a commit, and maximum time in milliseconds that others may wait for it. */
const maxGroup = 100;
const maxGroupMs = 20;

/**
 * Creates a group commit: writes that come in one round of events, or while the disk is waited for, share the next commit and so
 * the next wait. Each is whole or not there at all, sees what was written before it, and is answered only when all of it is on
 * the disk, unless all of them are `unsynced`. Waiting for the disk was two thirds of a turn with many users at once.
 */
export function createGroupCommit(options: GroupCommitOptions): GroupCommit {
  // Every writer gets an answer, even if the error cannot be translated.
  const writing: GroupCommitOptions = { ...options, problemOf: (error) => options.problemOf(error).catch(() => error) };
  const waiting: PendingWrite[] = [];
  let isScheduled = false;
  const ask = () => {
    isScheduled = true;
    // Deferred a little: a whole turn may need nothing but the store, and would be finished before the next one is heard of.
    setImmediate(() =>
      writing.runExclusive(commitTogether).catch((error: unknown) => {
        for (const { reject } of waiting.splice(0)) reject(error);
        isScheduled = false;
      }),
    );
  };
  const commitTogether = async () => {
    isScheduled = false;
    const group = waiting.splice(0, maxGroup);
    try {
      const left = await writeGroup(writing, group);
      waiting.unshift(...left);
    } catch (error) {
      const problem = await writing.problemOf(error);
      for (const { reject } of group) reject(problem);
    }
    if (waiting.length > 0 && !isScheduled) ask();
  };
  return {
    write: <Result>(reach: Reach, work: (db: Database) => Promise<Result>, how?: "unsynced"): Promise<Result> =>
      new Promise<Result>((resolve, reject) => {
        const isSynced = how === undefined;
        waiting.push({ reach, isSynced, work, resolve: resolve as PendingWrite["resolve"], reject });
        if (!isScheduled) ask();
      }),
    flush: async () => {
      // Writes that there was no time for come back when the group before them is finished.
      do {
        if (isScheduled) await new Promise((resolve) => setImmediate(resolve));
        await writing.runExclusive(async () => {});
      } while (waiting.length > 0);
    },
  };
}

/** Commits a group of writes, and returns those that there was no time for. */
async function writeGroup(
  writing: GroupCommitOptions,
  group: readonly PendingWrite[],
): Promise<readonly PendingWrite[]> {
  const { handle, commit, through } = await writing.begin(group.some(({ isSynced }) => isSynced));
  const { stopwatch = () => performance.now() } = writing;
  const began = stopwatch();
  const answers: (() => void)[] = [];
  let done = 0;
  try {
    for (const { reach, work, resolve, reject } of group) {
      if (done > 0 && stopwatch() - began > maxGroupMs) break;
      done++;
      // A single write needs no savepoint: the whole transaction is its own.
      const alone = group.length === 1;
      if (!alone) handle.exec("savepoint one");
      try {
        const result = await work(whileInTransaction(handle, through(reach)));
        if (!alone) handle.exec("release one");
        answers.push(() => resolve(result));
      } catch (error) {
        // A full disk rolls back everything at once: then nobody's write is there.
        if (alone || !handle.isTransaction) throw error;
        handle.exec("rollback to one; release one");
        writing.onUndo?.();
        const problem = await writing.problemOf(error);
        answers.push(() => reject(problem));
      }
    }
    writing.checkDurable?.();
    commit.run();
  } catch (error) {
    if (handle.isTransaction) handle.exec("rollback");
    writing.onUndo?.();
    const problem = await writing.problemOf(error);
    for (const { reject } of group.slice(0, done)) reject(problem);
    return group.slice(done);
  }
  for (const answer of answers) answer();
  writing.onCommit();
  return group.slice(done);
}

/** Refuses statements after a full disk ended the transaction: they would be committed alone, and at once. */
function whileInTransaction(handle: DatabaseSync, database: Database): Database {
  const failed = () => new Error("A transaction in which a statement failed cannot be kept.");
  const over = () => Promise.reject(failed());
  return {
    ...database,
    all: (query) => (handle.isTransaction ? database.all(query) : over()),
    one: (query) => (handle.isTransaction ? database.one(query) : over()),
    run: (query) => (handle.isTransaction ? database.run(query) : over()),
    send: (query) => {
      if (!handle.isTransaction) throw failed();
      return database.send(query);
    },
  };
}
