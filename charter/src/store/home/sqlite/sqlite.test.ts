import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as soon } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newFile, type Place } from "../../../../test/homes.ts";
import type { Problem } from "../../../prompt/problem.ts";
import type { Database, Home } from "../database.ts";
import { raw, sql } from "../sql.ts";
import { sqlite } from "./sqlite.ts";

let place: Place;
let file: string;
beforeEach(async () => {
  place = await newFile();
  file = place.url;
});
afterEach(() => place.remove());

const note = (words: string) => (db: Database) => db.run(sql`insert into notes (words) values (${words})`);
const table = raw("create table if not exists notes (words text not null unique)");
const counted = async (home: Home) =>
  (await home.read("everything", (db) => db.one<{ count: number }>(sql`select count(*) as count from notes`)))?.count;

test("only commits of nothing but unsynced writes do not wait for the disk, and the next one waits again", async () => {
  const home = sqlite(file);
  await home.migrate();
  const level = async (db: Database) => (await db.one<{ synchronous: number }>(raw("pragma synchronous")))?.synchronous;
  const [normal, full] = [1, 2];
  const write = (how?: "unsynced") => home.write("everything", level, how);
  expect(await write("unsynced")).toBe(normal);
  expect(await write("unsynced")).toBe(normal);
  expect(await write()).toBe(full);
  expect(await Promise.all([write("unsynced"), write("unsynced")])).toEqual([normal, normal]);
  expect(await Promise.all([write("unsynced"), write(), write("unsynced")])).toEqual([full, full, full]);
  await home.close();
});

test("what was asked for before a store is closed is all done, however much it is; what comes after is refused", async () => {
  const home = sqlite(file);
  await home.migrate();
  await home.write("everything", (db) => db.run(table));
  const works = Array.from({ length: 450 }, (_, index) => home.write("everything", note(`${index}`)));
  const slow = home.write("everything", async (db) => {
    for (const until = performance.now() + 30; performance.now() < until; ) await soon();
    return note("slow")(db);
  });
  const last = home.write("everything", note("last"));
  await works[0];
  const closing = home.close();
  const after = home.write("everything", note("after")).catch((error: Problem) => error.code);
  expect(new Set(await Promise.all([...works, slow, last]))).toEqual(new Set([1]));
  await closing;
  // The last to close takes its log away: nobody has the file open any more.
  expect([await after, existsSync(`${file}-wal`)]).toEqual(["store-closed", false]);
  const again = sqlite(file);
  expect(await counted(again)).toBe(452);
  await again.close();
});

test("two processes begin with the same new file: the one that comes second waits for the first", async () => {
  const fresh = await newFile("empty");
  const first = new DatabaseSync(fresh.url);
  first.exec("begin immediate; create table notes (words)");
  const home = sqlite(fresh.url);
  const migrating = home.migrate();
  await soon();
  first.exec("rollback");
  expect((await migrating).from).toBe(0);
  first.close();
  await home.close();
  await fresh.remove();
});
