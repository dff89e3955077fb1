import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Problem } from "../../src/index.ts";
import { migrations } from "../../src/store/home/migration-list.ts";
import { postgresTypes as onPostgres } from "../../src/store/home/postgres/postgres-schema.ts";
import { schemaVersion } from "../../src/store/home/schema.ts";
import { type Row, raw, sql } from "../../src/store/home/sql.ts";
import { sqliteTypes as onSqlite } from "../../src/store/home/sqlite/sqlite-schema.ts";
import { createStore, type Store } from "../../src/store/index.ts";
import { sha256 } from "../../src/store/texts/sha256.ts";
import { verifyStore } from "../../src/store/verify/verify.ts";
import { newFile, type Place } from "../homes.ts";
import { longWords } from "./lived.ts";
import { held, type Line, makeOld, saveOld } from "./old-store.ts";

const folder = mkdtempSync(join(tmpdir(), "charter-schema-"));
const places: Place[] = [];
const stores: Store[] = [];
afterAll(async () => {
  for (const store of stores) await store.close();
  for (const place of places) await place.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function newStore(place: Place): Promise<Store> {
  const store = await createStore(place.open());
  stores.push(store);
  return store;
}

async function emptyPlace(): Promise<Place> {
  const place = await newFile("empty");
  places.push(place);
  return place;
}

test("a step of the schema that was published is as it was", () => {
  const digests = (types: typeof onSqlite) =>
    migrations.slice(0, 3).map((step) => sha256(JSON.stringify(step(types))).slice(0, 16));
  expect([digests(onSqlite), digests(onPostgres)]).toEqual([
    ["751c9789c31ed264", "2226964a90885cd1", "d34e14f060fd2bbd"],
    ["945651ad21d9b39d", "38b58b5bc6476a75", "86768bd1f6fa282b"],
  ]);
});

test("long rows of schema 6 lie beside each other on SQLite, and all is proved as before", async () => {
  const place = await emptyPlace();
  const home = place.open();
  await makeOld(home, 3);
  const reply = longWords("what was said about the matter of the house", 90);
  await home.write("everything", async (db) => {
    for (const step of migrations.slice(3, 6)) for (const words of step(onSqlite)) await db.run(raw(words));
    await db.run(raw("pragma user_version = 6"));
    for (let turn = 0; turn < 200; turn++)
      await db.run(sql`insert into turns (id, agent, user_id, input, reply, state, tainted, started_at)
        values (${`long-${turn}`}, 'ada', 'bo', 'Tell me more.', ${reply}, 'answered', 0, '2026-02-18T00:00:00.000Z')`);
  });
  const pages = async (of: string) => {
    const [row] = await home.read("everything", (db) =>
      db.all<{ pages: number; overflow: number }>(sql`select count(*) as pages,
        sum(case when pagetype = 'overflow' then 1 else 0 end) as overflow from dbstat where name = ${of}`),
    );
    return row as { pages: number; overflow: number };
  };
  const before = await pages("turns");
  expect(before.overflow).toBeGreaterThanOrEqual(200);
  expect(await home.migrate()).toEqual({ from: 6, to: schemaVersion });
  const after = await pages("turns");
  expect(after.overflow).toBe(0);
  expect(after.pages).toBeLessThan(before.pages * 0.6);
  await home.close();
  const store = await newStore(place);
  expect(await verifyStore(store.home)).toMatchObject({ amendments: 24, steps: 16, faults: [], orphans: 0 });
  expect((await store.turns.get("long-199")).reply).toBe(reply);
  for (const { what, fine } of await store.home.checkup()) expect([what, fine]).toEqual([what, true]);
});

test("the checkpoint of schema 1 that was saved in its day is the one we write for it", async () => {
  const store = await newStore(await emptyPlace());
  const proof = await store.checkpoint.restore(join(import.meta.dirname, "schema-1.checkpoint"));
  const file = join(folder, "same");
  saveOld(file, 1, held[1]);
  const again = await newStore(await emptyPlace());
  expect((await again.checkpoint.restore(file)).digest).toBe(proof.digest);
});

test("a checkpoint with a row or a column its schema never had is damaged", async () => {
  const store = await newStore(await emptyPlace());
  const row = (table: string) => (held[2].find((line) => "table" in line && line.table === table) as { row: Row }).row;
  const link = { agent: "ada", user_id: "bo", channel: "telegram", address: "100", at: "2026-02-18T00:00:00.000Z" };
  const odd: readonly (readonly [1 | 2, Line])[] = [
    [1, { table: "turns", row: { ...row("turns"), id: "odd" } }],
    [1, { table: "spending", row: row("spending") }],
    [2, { table: "schedules", row: { ...row("schedules"), id: "odd", missed: "once" } }],
    [2, { table: "links", row: link }],
  ];
  for (const [schema, line] of odd) {
    const file = join(folder, "odd");
    saveOld(file, schema, [...held[schema], line]);
    const refused = await store.checkpoint.restore(file).catch((error: Problem) => error);
    expect(refused).toMatchObject({ code: "checkpoint-damaged" });
  }
  expect(await store.agents.list()).toEqual([]);
});
