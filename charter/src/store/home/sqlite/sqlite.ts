import type { BigIntStats } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { badArgument, checkNames, kindOf } from "../../../prompt/argument.ts";
import { Problem, reasonOf } from "../../../prompt/problem.ts";
import { isBehind, type LookRow, lookOf, missingProblem, storeSchema, versionOf } from "../../schema.ts";
import { type Home, type Look, leaseJobs, storeClosed } from "../database.ts";
import { createGroupCommit, createPlaces, createQueue, createRoom, defaultPatienceMs } from "../queue.ts";
import type { Schema } from "../table-statements.ts";
import { type Connection, connect, lookWords } from "./sqlite-connection.ts";
import { sqliteProblem } from "./sqlite-problem.ts";
import { checkFile, copyBeside, integrityOf, migrateFile, scrub, takeAlone, watchFile } from "./sqlite-upkeep.ts";

const maxReaders = 10;

/** Options for a home in a SQLite file. */
export type SqliteOptions = {
  /** Maximum time that a reader waits for its turn, in milliseconds; a minute, unless given. */
  readonly patience?: number;
  /** Creates a missing file, unless false: then it is a Problem. */
  readonly create?: boolean;
  /** Tables of the file: the store's own, unless given (see `withTables`). */
  readonly schema?: Schema;
};

/**
 * Opens a SQLite file, or `:memory:`, as the home of a store. Several processes may use it: readers never wait, writers take
 * turns.
 */
export function sqlite(path: string, options: SqliteOptions = {}): Home {
  if (typeof path !== "string")
    throw badArgument(
      `The path that sqlite was given is ${kindOf(path)}.`,
      'Give a file, sqlite("charter.db"), or sqlite(":memory:").',
    );
  checkNames<SqliteOptions>("sqlite", options, ["patience", "create", "schema"]);
  const { patience = defaultPatienceMs, create = true, schema = storeSchema } = options;
  const idle: Connection[] = [];
  const queue = createQueue();
  // Limit of readers: each has the file open for itself, and a process may not open thousands of files.
  const places = createPlaces(maxReaders, `readers of ${path}`, patience);
  const wakers = new Set<() => void>();
  let writer: Connection | undefined;
  let closed = false;
  const shared = path === ":memory:";
  const files = shared ? undefined : createOpenFiles(path);
  const connected = () =>
    files ? files.open((file) => connect(path, create, schema.tables, file)) : connect(path, create, schema.tables);
  // A missing file is the reason of every other failure.
  const problemOf = async (error: unknown) =>
    files?.storageLost() ?? (error instanceof Problem ? error : (lacking(error) ?? knownProblem(error, path)));
  const lacking = (error: unknown) => {
    const look = /^no such (?:table|column)/.test(reasonOf(error)) && lookAtFile(writing().handle, path);
    return look ? missingProblem({ place: path, schema }, look) : undefined;
  };
  const attempt = async <Result>(work: () => Result | Promise<Result>): Promise<Result> => {
    try {
      files?.checkNowAndThen();
      return await work();
    } catch (error) {
      throw await problemOf(error);
    }
  };
  const atOnce: typeof attempt = async (work) => {
    if (closed) throw storeClosed(path);
    return attempt(work);
  };
  // Requests that came before the store was closed are still done.
  const inTurn: typeof attempt = async (work) => {
    if (closed) throw storeClosed(path);
    return queue(() => attempt(work));
  };
  const changing: typeof attempt = (work) =>
    inTurn(() => {
      files?.check();
      return work();
    });
  const writing = () => {
    if (writer) return writer;
    writer = connected();
    // Writers wait by sleeping, not inside SQLite.
    writer.handle.exec("pragma busy_timeout = 0");
    return writer;
  };
  const whenFree = (work: () => void) => tryUntil(work, path, patience);
  // Readers are read-only, because only `write` has the fence and the seals.
  const reader = () => {
    const connection = connected();
    connection.handle.exec("pragma query_only = on");
    return connection;
  };

  // Number of writes of this process to each marked table; SQLite counts those of other processes.
  const writes = new Map<string, number>();
  const noteWrites = () => {
    for (const table of writer?.touched ?? []) writes.set(table, (writes.get(table) ?? 0) + 1);
  };

  const commit = createGroupCommit({
    runExclusive: queue,
    begin: async (isSynced) => {
      const connection = writing();
      connection.sync(isSynced);
      await whenFree(() => {
        connection.triggers.begin(() => fileVersion(connection.handle, path) === versionOf(schema));
        connection.beginWriting.run();
      });
      files?.noteLog();
      return connection;
    },
    checkDurable: () => files?.check(),
    onCommit: () => {
      noteWrites();
      writer?.touched.clear();
      for (const wake of wakers) wake();
    },
    onUndo: () => {
      // Rollback of one write only, or of one that is in the file all the same because the file was away for a while: its tables
      // count as written.
      noteWrites();
      writing().undo();
    },
    problemOf,
  });

  const home: Home = {
    name: "sqlite",
    place: path,
    schema,
    read: async (reach, work, how) => {
      const between = () => inTurn(() => work(writing().through(reach)));
      const aside = () =>
        atOnce(() =>
          places(async () => {
            const connection = idle.pop() ?? reader();
            connection.begin.run();
            try {
              return await work(connection.through(reach));
            } finally {
              if (connection.handle.isTransaction) connection.commit.run();
              files?.noteLog();
              // Connections are kept: opening the file and preparing every query again costs more than most reads.
              if (!closed) idle.push(connection);
              else connection.handle.close();
            }
          }),
        );
      if (shared) return between();
      // The writer has the pages in memory; a reader forgets all it has with each commit. Should that fail, a reader says why.
      return how === "brief" && writer ? between().catch(aside) : aside();
    },
    write: async (reach, work, how) => {
      if (closed) throw storeClosed(path);
      return room.noted(commit.write(reach, work, how));
    },
    mark: async (tables) => {
      // Processes that have written nothing yet usually read once and end.
      if (closed || !writer) return undefined;
      try {
        return [writer.dataVersion(), ...tables.map((table) => writes.get(table) ?? 0)].join(" ");
      } catch {
        // A mark cannot be read while another process recovers the file; reading without it works, and waits.
        return undefined;
      }
    },
    watch: (wake) =>
      atOnce(async () => {
        return watchFile(shared ? undefined : connected().handle, wake, wakers);
      }),
    look: () =>
      atOnce(() => {
        if (!shared && idle.length === 0) idle.push(reader());
        return lookAtFile((idle.at(-1) ?? writing()).handle, path);
      }),
    migrate: () =>
      changing(async () => {
        const { handle, through, touched } = writing();
        const before = lookAtFile(handle, path);
        const isAlone = !shared && before !== undefined && isBehind(path, before, schema);
        const from = before?.versions.get("store")?.version ?? 0;
        let copy: string | undefined;
        if (isAlone) {
          for (const { handle } of idle.splice(0)) handle.close();
          await whenFree(() => takeAlone(handle, path));
          files?.forgetLog();
          copy = copyBeside(handle, path, from);
        } else if (!shared) await whenFree(() => handle.exec("pragma journal_mode = wal"));
        try {
          await whenFree(() => handle.exec("begin immediate"));
          // Another process may have created the file meanwhile.
          const look = lookAtFile(handle, path);
          await migrateFile(handle, through("everything"), { place: path, look, schema });
          handle.exec(`pragma application_id = ${applicationId}; commit`);
          for (const { name, isMarked } of schema.tables) if (isMarked) touched.add(name);
          noteWrites();
          return { from, to: versionOf(schema), ...(copy !== undefined && { copy }) };
        } catch (error) {
          if (handle.isTransaction) handle.exec("rollback");
          throw error;
        } finally {
          if (isAlone) {
            handle.exec("pragma locking_mode = normal; pragma journal_mode = wal");
            handle.close();
            writer = undefined;
          }
        }
      }),
    vacuum: () =>
      changing(() => {
        const { handle } = writing();
        // Emptying the log waits, inside SQLite, until nobody reads from it.
        handle.exec("pragma busy_timeout = 5000");
        try {
          handle.exec("vacuum; pragma wal_checkpoint(truncate)");
        } finally {
          handle.exec("pragma busy_timeout = 0");
        }
      }),
    scrub: () => changing(async () => scrub(writing().handle)),
    checkup: () =>
      atOnce(async () => {
        return withOwn((handle) => checkFile(handle, path));
      }),
    integrity: () =>
      atOnce(async () => {
        return withOwn(integrityOf);
      }),
    storageLost: () => (closed ? undefined : files?.storageLost()),
    lacksRoom: () => room.lacking(),
    jobs: async () => leaseJobs(),
    close: async () => {
      closed = true;
      for (const { handle } of idle.splice(0)) handle.close();
      await commit.flush();
      await queue(async () => writer?.handle.close());
      writer = undefined;
    },
  };
  const room = createRoom(home.write);
  return home;

  /**
   * Works on a new connection: the full-text search of an old one may report an error about what others wrote since it last read.
   */
  function withOwn<Result>(look: (handle: DatabaseSync) => Result): Result {
    if (shared) return look(writing().handle);
    const { handle } = connected();
    try {
      return look(handle);
    } finally {
      handle.close();
    }
  }
}

/** Translates an error. The module is only loaded when something fails, because most commands read once and end. */
async function knownProblem(error: unknown, path: string): Promise<unknown> {
  return sqliteProblem(error, path);
}

/** Application id "CHRT", which marks a file as Charter's. */
const applicationId = 0x43485254;

/**
 * Retries until no other process is in the way: this is the one place where processes meet. It waits by sleeping, so that this
 * process goes on with other work.
 */
async function tryUntil(work: () => void, path: string, patience: number): Promise<void> {
  const until = Date.now() + patience;
  for (let tries = 0; ; tries++) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || Date.now() > until) throw await knownProblem(error, path);
      await new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * Math.min(20, 2 + tries)));
    }
  }
}

/**
 * Tells whether a file is busy, for any reason: another process writes, recovers what a third left behind, closes, or was faster.
 */
function isBusy(error: unknown): boolean {
  return [5, 15].includes(((error as { errcode?: number }).errcode ?? 0) % 256);
}

function fileVersion(handle: DatabaseSync, path: string): number | undefined {
  const read = (pragma: string) => Number(Object.values(handle.prepare(`pragma ${pragma}`).get() ?? {})[0]);
  const isOurs = () => read("application_id") === applicationId;
  if (isOurs()) return read("user_version");
  const tables = handle.prepare("select count(*) as count from sqlite_master").get() as { count: number };
  if (tables.count === 0) return undefined;
  // Second look: another process may have created the file between the first and the count.
  if (isOurs()) return read("user_version");
  throw new Problem(
    "not-a-charter-database",
    `${path} is a database of something else.`,
    "Name another file with --database; nothing in it was touched.",
  );
}

function lookAtFile(handle: DatabaseSync, path: string): Look | undefined {
  type Row = LookRow & { readonly application: number; readonly version: number };
  let row: Row | undefined;
  try {
    row = handle.prepare(lookWords).get() as Row;
  } catch {
    // Version 12 had no table of versions, and other databases may have one of another kind.
  }
  if (row?.application !== applicationId) {
    const version = fileVersion(handle, path);
    if (version === undefined) return undefined;
    row = handle.prepare(lookWords.replace(/\(select json_group_array.*?schema_version\)/s, "null")).get() as Row;
  }
  const look = lookOf(row);
  const { version } = row;
  // Older Charters read it there.
  const { leastReader = version } = look.versions.get("store") ?? {};
  return { ...look, versions: new Map([...look.versions, ["store", { version, leastReader }]]) };
}

/** Identity of the files that a database was opened as, by device and inode: other files may have their names by now. */
type OpenFiles = {
  /** Opens the file, and remembers which one it was. A later call gets the same file, or a Problem. */
  readonly open: <Opened>(work: (file: string) => Opened) => Opened;
  /**
   * Remembers the log beside the file: it exists as soon as something was read or written, and as long as anyone has the file
   * open.
   */
  readonly noteLog: () => void;
  /** Forgets the log, which this process alone gave up. */
  readonly forgetLog: () => void;
  /** Returns a Problem if nothing that is written would last; `undefined` as long as the files are where they were opened. */
  readonly storageLost: () => Problem | undefined;
  /** Throws the Problem of `storageLost`. */
  readonly check: () => void;
  /** Checks from time to time only, for readers: a check costs as much as most reads. */
  readonly checkNowAndThen: () => void;
};

const checkIntervalMs = 250;

type Identity = Pick<BigIntStats, "dev" | "ino">;

/**
 * Creates the watch over an open file. A process can go on writing into a file that was deleted, moved away or replaced, and
 * nobody ever finds what it wrote. So it checks the path before each commit, and undoes what would not last.
 *
 * Only names are looked at: opening and closing the file would release SQLite's own locks on it.
 */
function createOpenFiles(path: string, stopwatch = () => performance.now()): OpenFiles {
  const { realpathSync } = process.getBuiltinModule("node:fs");
  const { resolve } = process.getBuiltinModule("node:path");
  let opened: { readonly file: string; readonly log: string; readonly as: Identity } | undefined;
  let logAs: Identity | undefined;
  let filled = false;
  let checkedAt = Number.NEGATIVE_INFINITY;

  const findLoss = (): Problem | undefined => {
    if (!opened) return undefined;
    const now = lookAt(opened.file);
    if (now === "hidden") return undefined;
    if (!isSame(now, opened.as))
      return lostFile(path, now === undefined ? "deleted or moved away" : "replaced by another");
    filled ||= now.size > 0n;
    if (filled && now.size === 0n) return lostFile(path, "emptied");
    if (logAs === undefined) return undefined;
    const log = lookAt(opened.log);
    if (log === "hidden" || isSame(log, logAs)) return undefined;
    return lostFile(`${path}-wal`, log === undefined ? "deleted or moved away" : "replaced by another");
  };
  const check = () => {
    const problem = findLoss();
    if (problem) throw problem;
  };
  return {
    storageLost: findLoss,
    check,
    checkNowAndThen: () => {
      if (stopwatch() - checkedAt < checkIntervalMs) return;
      check();
      checkedAt = stopwatch();
    },
    open: (work) => {
      check();
      // Resolved once: the process may change its working directory, but not the file it has open.
      const file = opened?.file ?? resolve(path);
      const made = work(file);
      const as = opened ? undefined : lookAt(file);
      if (as && as !== "hidden") opened = { file, log: `${realpathSync(file)}-wal`, as };
      check();
      return made;
    },
    forgetLog: () => {
      logAs = undefined;
    },
    noteLog: () => {
      if (logAs !== undefined || !opened) return;
      const log = lookAt(opened.log);
      if (log !== "hidden") logAs = log;
    },
  };
}

let stat: typeof import("node:fs").statSync | undefined;

/** Looks up what is at a path. A folder that may no longer be read says nothing about what is in it ("hidden"). */
function lookAt(path: string): BigIntStats | "hidden" | undefined {
  stat ??= process.getBuiltinModule("node:fs").statSync;
  try {
    return stat(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "EACCES" || code === "EPERM" ? "hidden" : undefined;
  }
}

function isSame(now: BigIntStats | undefined, as: Identity): now is BigIntStats {
  return now !== undefined && now.dev === as.dev && now.ino === as.ino;
}

function lostFile(path: string, what: string): Problem {
  return new Problem(
    "store-gone",
    `${path} was ${what} while it was in use.`,
    "Nothing more is kept. Put it back as it was; or stop every process that uses it, restore a checkpoint, and start them again.",
  );
}
