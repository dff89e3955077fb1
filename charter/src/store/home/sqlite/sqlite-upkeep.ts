import type { DatabaseSync } from "node:sqlite";
import { Problem, reasonOf } from "../../../prompt/problem.ts";
import { versionOf, versionStatements } from "../../schema.ts";
import type { Checkup, Database, Integrity, Look } from "../database.ts";
import { raw } from "../sql.ts";
import type { Table } from "../table.ts";
import { type ColumnTypes, type Schema, tableStatements } from "../table-statements.ts";
import { type SqlValue, sealNumber, sealWord } from "./sqlite-connection.ts";

const types: ColumnTypes = {
  home: "sqlite",
  text: "text",
  bytes: "blob",
  number: "integer",
  counted: "integer primary key autoincrement",
  byKey: " without rowid",
};

type Migration = { readonly place: string; readonly look: Look | undefined; readonly schema: Schema };

/** Makes the tables of a file, or brings them on, in the caller's transaction. */
export async function migrateFile(
  handle: DatabaseSync,
  db: Database,
  { place, look, schema }: Migration,
): Promise<void> {
  const run = (statement: string) => handle.exec(statement);
  if (look === undefined) run(schema.tables.flatMap(statementsOf).join(";\n"));
  else {
    const { bringOn } = await import("../migrate.ts");
    handle.function("row_seal_by_position", { varargs: true, useBigIntArguments: true }, ((...values: SqlValue[]) =>
      String(sealNumber(values.map(sealWord).join("")))) as never);
    await bringOn(db, {
      ...{ place, look, schema, types, statementsOf, run },
      indexes: raw("select name from sqlite_master where type = 'index'"),
      sealByPosition: (columns) => raw(`row_seal_by_position(${columns.join(", ")})`),
    });
  }
  run([...versionStatements(schema), `pragma user_version = ${versionOf(schema)}`].join(";\n"));
}

/**
 * Takes the file for this connection alone until it is closed: connections of older processes have triggers of their own, whose
 * seals know nothing of a new column. The log can only be given up by whoever is the last to have the file open.
 */
export function takeAlone(handle: DatabaseSync, path: string): void {
  try {
    handle.exec("pragma locking_mode = exclusive");
    const { journal_mode: mode } = handle.prepare("pragma journal_mode = delete").get() as { journal_mode: string };
    if (mode === "delete") return;
  } catch (error) {
    if (((error as { errcode?: number }).errcode ?? 0) % 256 !== 5) throw error;
  }
  handle.exec("pragma locking_mode = normal");
  throw new Problem(
    "store-busy",
    `${path} is open in another process, and a file is brought on by one process alone.`,
    "Stop what uses it (charter serve, start, work), then run `charter migrate` again; nothing was changed.",
  );
}

/** Copies the file as it is, beside itself, for whoever has to go back. */
export function copyBeside(handle: DatabaseSync, path: string, version: number): string {
  const { closeSync, existsSync, openSync } = process.getBuiltinModule("node:fs");
  const name = `${path}.schema-${version}`;
  let copy = name;
  for (let count = 2; existsSync(copy); count++) copy = `${name}-${count}`;
  // Rights for the owner alone, as of the file.
  closeSync(openSync(copy, "wx", 0o600));
  handle.prepare("vacuum into ?").run(copy);
  return copy;
}

const known = new WeakMap<Table, readonly string[]>();

/** Statements are cached: tables do not change, and a process may create many files. */
export function statementsOf(made: Table): readonly string[] {
  const statements = known.get(made) ?? tableStatements(made, types);
  known.set(made, statements);
  return statements;
}

/**
 * Watches a file for commits. A commit by any process changes a number that is cheap to read; this process's own commits wake
 * watchers at once.
 */
export async function watchFile(
  handle: DatabaseSync | undefined,
  wake: () => void,
  wakers: Set<() => void>,
): Promise<() => Promise<void>> {
  wakers.add(wake);
  const version = () => Object.values(handle?.prepare("pragma data_version").get() ?? {})[0];
  let last = version();
  const timer = setInterval(() => {
    try {
      const now = version();
      if (now !== last) wake();
      last = now;
    } catch {
      // A file that cannot be read at this moment is tried again at the next.
    }
  }, 100);
  timer.unref();
  return async () => {
    clearInterval(timer);
    wakers.delete(wake);
    handle?.close();
  };
}

/** Minimum of free bytes on the disk, besides room for the file to be rewritten. */
const minFreeBytes = 100 * 1024 * 1024;

export function checkFile(handle: DatabaseSync, path: string): Checkup[] {
  const checks = [checkPages(handle, path), checkLog(handle, path)];
  return path === ":memory:" ? checks : [...checks, checkRights(path), checkRoom(path)];
}

function checkPages(handle: DatabaseSync, path: string): Checkup {
  const { damages } = integrityOf(handle);
  if (damages.length === 0) return { what: `${path} is sound.`, fine: true };
  const hint = "Restore a checkpoint into a new file with `charter checkpoint restore`, and look at the disk.";
  return { what: `${path} is damaged: ${damages.join("; ")}.`, fine: false, hint };
}

/** Checks every page, and every index against its table. */
export function integrityOf(handle: DatabaseSync): Integrity {
  try {
    const rows = handle.prepare("pragma integrity_check(3)").all() as { integrity_check: string }[];
    const findings = rows.map(({ integrity_check }) => integrity_check);
    return { damages: findings.join() === "ok" ? [] : findings };
  } catch (error) {
    return { damages: [reasonOf(error)] };
  }
}

function checkLog(handle: DatabaseSync, path: string): Checkup {
  const mode = Object.values(handle.prepare("pragma journal_mode").get() ?? {})[0];
  if (mode === "wal" || path === ":memory:")
    return { what: "Readers and writers do not wait for each other.", fine: true };
  const hint = "Close every program that has it open, then run `sqlite3 <file> 'pragma journal_mode = wal'`.";
  return { what: `${path} keeps its log as “${mode}”, so readers and writers wait for each other.`, fine: false, hint };
}

function checkRights(path: string): Checkup {
  const { accessSync, constants } = process.getBuiltinModule("node:fs");
  const { dirname } = process.getBuiltinModule("node:path");
  try {
    for (const one of [path, dirname(path)]) accessSync(one, constants.W_OK);
    return { what: "The file and its folder can be written to.", fine: true };
  } catch {
    const hint = "Make both writable for the user Charter runs as.";
    return { what: `${path} or its folder cannot be written to.`, fine: false, hint };
  }
}

function checkRoom(path: string): Checkup {
  const { statSync, statfsSync } = process.getBuiltinModule("node:fs");
  const { bavail, bsize } = statfsSync(path);
  const free = bavail * bsize;
  const needed = Math.max(minFreeBytes, statSync(path).size);
  const megabytes = (bytes: number) => `${Math.floor(bytes / 1024 / 1024)} MB`;
  if (free >= needed) return { what: `The disk has ${megabytes(free)} left.`, fine: true };
  const hint = `Make room: ${megabytes(needed)} are needed to write the file anew.`;
  return { what: `The disk has only ${megabytes(free)} left.`, fine: false, hint };
}

/**
 * Removes everything deleted from the file and its log.
 *
 * Deleted text may still be in free pages, and words of deleted notes and turns in the search indexes, so the whole file is
 * rewritten. The log is emptied when nobody reads from it: other processes are given some seconds.
 */
export async function scrub(handle: DatabaseSync): Promise<boolean> {
  const steps = [
    () => handle.exec("insert into memories_search (memories_search) values ('optimize')"),
    () => handle.exec("insert into turns_search (turns_search) values ('optimize')"),
    () => handle.exec("vacuum"),
    () => {
      const { busy } = handle.prepare("pragma wal_checkpoint(truncate)").get() as { busy: number };
      if (busy !== 0) throw { errcode: 5 };
    },
  ];
  for (let tries = 0; tries < 50 && steps.length > 0; tries++) {
    try {
      for (; steps.length > 0; steps.shift()) steps[0]?.();
    } catch (error) {
      if (((error as { errcode?: number }).errcode ?? 0) % 256 !== 5) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  return steps.length === 0;
}
