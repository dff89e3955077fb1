import type { BigIntStats } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { badArgument, checkNames, kindOf } from "../../../prompt/argument.ts";
import { Problem } from "../../../prompt/problem.ts";
import { storeSchema, versionOf } from "../../schema.ts";
import { type Home, leaseJobs, storeClosed } from "../database.ts";
import { createGroupCommit, createPlaces, createQueue, createRoom, defaultPatience } from "../queue.ts";
import type { Schema } from "../table-statements.ts";
import { type Connection, connect } from "./sqlite-connection.ts";
import { sqliteProblem } from "./sqlite-problem.ts";
import { checkFile, integrityOf, migrateFile, scrub, watchFile } from "./sqlite-upkeep.ts";

const maxReaders = 10;

/** How a SQLite file is opened. */
export type SqliteOptions = {
  /** How long a reader waits for its turn, in milliseconds; a minute, unless given. */
  readonly patience?: number;
  /** false: a file that is not there is a Problem, and is not created. */
  readonly create?: boolean;
  /** What is kept in it: the store's own tables, unless given (see `withTables`). */
  readonly schema?: Schema;
};

/**
 * A SQLite file as the home of a store, or `:memory:`. Several processes may use it: readers never wait, writers take
 * turns.
 */
export function sqlite(path: string, options: SqliteOptions = {}): Home {
  if (typeof path !== "string")
    throw badArgument(
      `The path that sqlite was given is ${kindOf(path)}.`,
      'Give a file, sqlite("charter.db"), or sqlite(":memory:").',
    );
  checkNames<SqliteOptions>("sqlite", options, ["patience", "create", "schema"]);
  const { patience = defaultPatience, create = true, schema = storeSchema } = options;
  const idle: Connection[] = [];
  const queue = createQueue();
  // Each reader has the file open for itself, and a process may not open thousands.
  const places = createPlaces(maxReaders, `readers of ${path}`, patience);
  const wakers = new Set<() => void>();
  let writer: Connection | undefined;
  let closed = false;
  const shared = path === ":memory:";
  const files = shared ? undefined : createOpenFiles(path);
  const connected = () =>
    files ? files.open((file) => connect(path, create, schema.tables, file)) : connect(path, create, schema.tables);
  // A file that is not there any more is the reason of whatever else failed.
  const problemOf = async (error: unknown) =>
    files?.storageLost() ?? (error instanceof Problem ? error : knownProblem(error, path));
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
  // What was asked for before the store was closed is still done.
  const inTurn: typeof attempt = async (work) => {
    if (closed) throw storeClosed(path);
    return queue(() =>
      attempt(() => {
        files?.check();
        return work();
      }),
    );
  };
  const writing = () => {
    if (writer) return writer;
    writer = connected();
    // Whoever writes waits by sleeping, not inside SQLite.
    writer.handle.exec("pragma busy_timeout = 0");
    return writer;
  };
  const whenFree = (work: () => void) => tryUntil(work, path, patience);
  // What is written by another way than `write` has neither fence nor seal.
  const reader = () => {
    const connection = connected();
    connection.handle.exec("pragma query_only = on");
    return connection;
  };

  // How often each marked table was written by this process; what others wrote, SQLite says.
  const writes = new Map<string, number>();
  const noteWrites = () => {
    for (const table of writer?.touched ?? []) writes.set(table, (writes.get(table) ?? 0) + 1);
  };

  const commit = createGroupCommit({
    runExclusive: queue,
    begin: async () => {
      files?.check();
      const connection = writing();
      await whenFree(() => {
        connection.triggers.begin(() => fileVersion(connection.handle, path) === versionOf(schema));
        connection.handle.exec("begin immediate");
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
      // It may be one's alone that was undone, or be kept all the same where the file was gone for a while.
      noteWrites();
      writing().triggers.undo();
    },
    problemOf,
  });

  const home: Home = {
    name: "sqlite",
    place: path,
    schema,
    read: (reach, work) => {
      if (shared) return inTurn(() => work(writing().through(reach)));
      return atOnce(() =>
        places(async () => {
          const connection = idle.pop() ?? reader();
          connection.begin.run();
          try {
            return await work(connection.through(reach));
          } finally {
            if (connection.handle.isTransaction) connection.commit.run();
            files?.noteLog();
            // Opening the file anew, and every query with it, costs more than most reads.
            if (!closed) idle.push(connection);
            else connection.handle.close();
          }
        }),
      );
    },
    write: async (reach, work) => {
      if (closed) throw storeClosed(path);
      return room.noted(commit.write(reach, work));
    },
    mark: async (tables) => {
      // Who has written nothing yet asks once, and is gone.
      if (closed || !writer) return undefined;
      try {
        return [writer.dataVersion(), ...tables.map((table) => writes.get(table) ?? 0)].join(" ");
      } catch {
        // While another recovers the file, what is in it is read as ever, which waits.
        return undefined;
      }
    },
    watch: (wake) =>
      atOnce(async () => {
        return watchFile(shared ? undefined : connected().handle, wake, wakers);
      }),
    version: () =>
      atOnce(() => {
        if (!shared && idle.length === 0) idle.push(reader());
        return fileVersion((idle.at(-1) ?? writing()).handle, path);
      }),
    migrate: () =>
      inTurn(async () => {
        const { handle, through, touched } = writing();
        if (!shared) await whenFree(() => handle.exec("pragma journal_mode = wal"));
        await whenFree(() => handle.exec("begin immediate"));
        try {
          const version = fileVersion(handle, path);
          const to = versionOf(schema);
          await migrateFile(handle, through("everything"), { place: path, version, schema });
          handle.exec(`pragma application_id = ${applicationId}; pragma user_version = ${to}; commit`);
          for (const { name, isMarked } of schema.tables) if (isMarked) touched.add(name);
          noteWrites();
          return { from: version ?? 0, to };
        } catch (error) {
          if (handle.isTransaction) handle.exec("rollback");
          throw error;
        }
      }),
    vacuum: () =>
      inTurn(() => {
        const { handle } = writing();
        // The log is emptied when nobody reads from it: that is waited for in SQLite.
        handle.exec("pragma busy_timeout = 5000");
        try {
          handle.exec("vacuum; pragma wal_checkpoint(truncate)");
        } finally {
          handle.exec("pragma busy_timeout = 0");
        }
      }),
    scrub: () => inTurn(async () => scrub(writing().handle)),
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

  /** On a new connection: the full-text search of an old one may find fault with what others wrote since it last read. */
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

/** What is only needed when something fails is only loaded then: most commands ask one thing and are gone. */
async function knownProblem(error: unknown, path: string): Promise<unknown> {
  return sqliteProblem(error, path);
}

/** "CHRT": how a file says that it is ours. */
const applicationId = 0x43485254;

/**
 * Tries until no other process is in the way: the one place where processes meet. Waiting is done by sleeping, so that this
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

/** Busy, for whichever of the reasons there are: another writes, recovers what a third left behind, closes, or is faster. */
function isBusy(error: unknown): boolean {
  return [5, 15].includes(((error as { errcode?: number }).errcode ?? 0) % 256);
}

function fileVersion(handle: DatabaseSync, path: string): number | undefined {
  const read = (pragma: string) => Number(Object.values(handle.prepare(`pragma ${pragma}`).get() ?? {})[0]);
  const isOurs = () => read("application_id") === applicationId;
  if (isOurs()) return read("user_version");
  const tables = handle.prepare("select count(*) as count from sqlite_master").get() as { count: number };
  if (tables.count === 0) return undefined;
  // Another process may have begun with the file between the two looks.
  if (isOurs()) return read("user_version");
  throw new Problem(
    "not-a-charter-database",
    `${path} is a database of something else.`,
    "Name another file with --database; nothing in it was touched.",
  );
}

/** The files a database was opened as, by device and inode: whatever lies under their names now. */
type OpenFiles = {
  /** Opens the file, and remembers which one it was. Whoever opens it again gets the same one, or a Problem. */
  readonly open: <Opened>(work: (file: string) => Opened) => Opened;
  /** The log beside it is there as soon as something was read or written, and as long as anyone has the file open. */
  readonly noteLog: () => void;
  /** Why nothing that is written would last; `undefined`, as long as the files lie where they were opened. */
  readonly storageLost: () => Problem | undefined;
  /** Throws what `gone` gives. */
  readonly check: () => void;
  /** The same now and then, for who only reads: a look would cost as much as most reads. */
  readonly checkNowAndThen: () => void;
};

const nowAndThenMs = 250;

type Identity = Pick<BigIntStats, "dev" | "ino">;

/**
 * A process goes on writing into a file that was deleted, moved away or replaced, and nobody ever finds what it wrote. So
 * it looks what lies at the path: before it writes, and once more before it says that something was kept.
 *
 * Only names are looked at. To open the file and close it again would let go of SQLite's own locks on it.
 */
export function createOpenFiles(path: string, stopwatch = () => performance.now()): OpenFiles {
  const { realpathSync } = process.getBuiltinModule("node:fs");
  const { resolve } = process.getBuiltinModule("node:path");
  let opened: { readonly file: string; readonly log: string; readonly as: Identity } | undefined;
  let logAs: Identity | undefined;
  let filled = false;
  let looked = Number.NEGATIVE_INFINITY;

  const gone = (): Problem | undefined => {
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
    const problem = gone();
    if (problem) throw problem;
  };
  return {
    storageLost: gone,
    check,
    checkNowAndThen: () => {
      if (stopwatch() - looked < nowAndThenMs) return;
      check();
      looked = stopwatch();
    },
    open: (work) => {
      check();
      // The folder a process works in may change; the file it has open does not.
      const file = opened?.file ?? resolve(path);
      const made = work(file);
      const as = opened ? undefined : lookAt(file);
      if (as && as !== "hidden") opened = { file, log: `${realpathSync(file)}-wal`, as };
      check();
      return made;
    },
    noteLog: () => {
      if (logAs !== undefined || !opened) return;
      const log = lookAt(opened.log);
      if (log !== "hidden") logAs = log;
    },
  };
}

/** What lies at a path. A folder that may not be looked into any more says nothing about what is in it. */
function lookAt(path: string): BigIntStats | "hidden" | undefined {
  const { statSync } = process.getBuiltinModule("node:fs");
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
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
