import { randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Database, Home } from "../../charter/src/store/home/database.ts";
import type { Query } from "../../charter/src/store/home/sql.ts";

/** What a commit was given to write, and what it wrote to the log: the pages its tables and indexes share. */
export type Commit = { readonly given: number; readonly logged: number };

/** A home that notes what each commit is, in bytes. */
export function countingHome(home: Home, path: string): { readonly home: Home; readonly commits: Commit[] } {
  const commits: Commit[] = [];
  const logSize = () => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const write: Home["write"] = (reach, work) => {
    let bytes = 0;
    const noted = (query: Query) => {
      if (/^\s*(insert|update|delete)/i.test(query.texts[0] as string))
        for (const value of query.values) bytes += sizeOf(value);
      return query;
    };
    const before = logSize();
    const written = home.write(reach, async (db) => {
      const counted: Database = {
        ...db,
        run: (query) => db.run(noted(query)),
        one: (query) => db.one(noted(query)),
        all: (query) => db.all(noted(query)),
      };
      return work(counted);
    });
    return written.then((result) => {
      commits.push({ given: bytes, logged: Math.max(0, logSize() - before) });
      return result;
    });
  };
  return { home: { ...home, write }, commits };
}

function sizeOf(value: Query["values"][number]): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  return value === null ? 0 : typeof value === "number" ? 8 : value.length;
}

/**
 * How often a piece of work commits to a database in WAL mode, and what that logs, whoever does it: a frame that ends a
 * commit says how many pages there are then. `execute` asks through their own connections, all of them: of two copies of
 * SQLite in one process, one that closes a file drops the other's locks.
 */
export async function loggedBy(path: string, execute: (sql: string) => unknown, work: () => Promise<unknown>) {
  await execute("pragma wal_autocheckpoint = 0");
  await execute("pragma wal_checkpoint(truncate)");
  await work();
  const log = readFileSync(`${path}-wal`);
  const frame = 24 + log.readUInt32BE(8);
  let commits = 0;
  for (let at = 32; at < log.length; at += frame) if (log.readUInt32BE(at + 4) > 0) commits++;
  return { commits, logged: log.length };
}

/** A plain database with the store's pragmas: one insert of so many bytes, committed. */
export function bareCommits(path: string) {
  const handle = new DatabaseSync(path);
  handle.exec("pragma journal_mode = wal; pragma synchronous = full");
  handle.exec("create table bare (id integer primary key, body blob not null)");
  const insert = handle.prepare("insert into bare (body) values (?)");
  const noise = randomBytes(1 << 20);
  let at = 0;
  return {
    commit: (bytes: number) => {
      at = (at + bytes) % (noise.length - bytes);
      handle.exec("begin immediate");
      insert.run(noise.subarray(at, at + bytes));
      handle.exec("commit");
    },
    close: () => handle.close(),
  };
}
