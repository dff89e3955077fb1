import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { Problem } from "../../src/index.ts";
import { migrations } from "../../src/store/home/migration-list.ts";
import { postgresTypes as onPostgres } from "../../src/store/home/postgres/postgres-schema.ts";
import { schemaVersion } from "../../src/store/home/schema.ts";
import { type Row, raw, sql } from "../../src/store/home/sql.ts";
import { sqliteTypes as onSqlite } from "../../src/store/home/sqlite/sqlite-schema.ts";
import { createStore, type Store } from "../../src/store/index.ts";
import { checkpointTables } from "../../src/store/lifecycle/checkpoint-tables.ts";
import { sha256 } from "../../src/store/texts/sha256.ts";
import { verifyStore } from "../../src/store/verify/verify.ts";
import { charter as command } from "../cli.ts";
import { homes, newPlace, type Place, type PlaceName, whole } from "../homes.ts";
import { charter } from "./desk.ts";
import { longWords, take } from "./lived.ts";
import { asKeptNow, held, type Line, makeOld, type OldSchema, rowsAt, saveOld } from "./old-store.ts";

const folder = mkdtempSync(join(tmpdir(), "charter-migrate-"));
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

async function emptyPlace(name: PlaceName): Promise<Place> {
  const place = await newPlace(name, "empty");
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

/** What later schemas brought works on rows that older ones knew. */
async function expectToGoOn(store: Store, schema: OldSchema): Promise<void> {
  const scope = { agent: "ada", user: "bo" };
  const unanswered = await store.turns.get("unanswered");
  expect(unanswered).toMatchObject({ state: "running", runner: schema === 1 ? null : "host:4711" });
  expect(await store.sessions.newestTurn("s1", scope)).toEqual({ id: "unanswered", state: "running" });
  const { id } = await store.turns.open({ scope, input: "?", session: "s1", runner: "host:1" });
  const call = { turn: id, step: 1, call: "c1", tool: "send_mail", input: {}, reason: "foreign words" };
  const held = await store.calls.hold(scope, call);
  expect(await store.calls.list({ agent: "ada", user: "bo" })).toContainEqual(held);
  const usage = { input: 1, read: 0, written: 0, output: 1 };
  await store.spending.add(scope, { day: "2026-02-18", receiver: "m1", micros: 3, usage });
  expect((await store.spending.of({ ...scope, day: "2026-02-18" })).user.micros).toBe(3);
  const interrupted = await store.turns.interruptAbandoned({ isGone: () => true });
  expect(interrupted.map((turn) => turn.id).sort()).toEqual([id, ...(schema === 1 ? [] : ["unanswered"])].sort());
  await take(store, "ada", "bo", "and on it goes");
  expect((await store.standings.read(charter, scope)).wishes).toEqual({
    text: longWords("blackbird bo ada", 3),
    revision: 4,
  });
  await expectToServe(store);
  expect(await verifyStore(store.home)).toMatchObject({ faults: [], orphans: 0 });
  const known = schema === 1 ? 1 : 2;
  const rows = { held_calls: known, spending: known, links: 1, updates: 1, dispatches: 1, runs: 2 };
  expect(await store.erase({ user: "bo" })).toMatchObject({ rows });
  expect(await verifyStore(store.home)).toMatchObject({ faults: [], orphans: 0 });
}

/** What schema 3 brought. */
async function expectToServe(store: Store): Promise<void> {
  const scope = { agent: "ada", user: "bo" };
  const [plan] = await store.schedules.list(scope);
  expect(plan).toMatchObject({ title: "blackbird title", missed: "once", overlap: "skip", maxTries: 3 });
  const later = await createStore(store.home, { now: () => new Date("2027-01-01T00:00:01Z") });
  const dueAt = "2027-01-01T00:00:00.000Z";
  expect(await later.schedules.plan(() => ({ runs: [{ dueAt, state: "waiting" }], nextAt: null }))).toBe(4);
  expect(await store.runs.list(scope)).toMatchObject([{ schedule: plan?.id, dueAt, state: "waiting" }]);
  const { code } = await store.links.createCode(scope, "telegram");
  expect(await store.links.redeem("ada", "telegram", code, "100")).toMatchObject({ scope });
  expect(await store.updates.put({ scope, channel: "telegram", id: "1", address: "100", body: "Hello?" })).toBe(true);
  expect(await store.updates.claim("ada", "telegram")).toMatchObject([{ body: "Hello?" }]);
  const answer = { scope, channel: "telegram", address: "100", body: "Hello!" };
  await store.updates.complete("ada", "telegram", "1", [answer]);
  expect(await store.dispatches.claim("ada", "telegram")).toMatchObject([answer]);
  // A token of before says nothing of what it opens.
  expect(await store.tokens.list()).toEqual([]);
}

const schemas = ([1, 2, 3] as const).filter((schema) => whole || schema !== 2);
const cases = homes.flatMap((name) => schemas.map((schema) => [schema, name] as const));
describe.each(cases)("a store of schema %i on %s", (schema, name) => {
  test("is refused by name, brought up to date by the command, and keeps every row", async () => {
    const place = await emptyPlace(name);
    const home = place.open();
    await makeOld(home, schema);
    const refused = await createStore(home).catch((error: Problem) => error);
    expect(refused).toBeInstanceOf(Problem);
    expect(refused).toMatchObject({
      code: "older-schema",
      message: `${home.place} has schema ${schema}; this Charter works with ${schemaVersion}.`,
      hint: "Copy the database aside, then run `charter migrate`.",
    });
    const migrate = () => command(["migrate", "--database", place.url]).stdout;
    const brought = `${home.place} was brought from schema ${schema} to ${schemaVersion}.`;
    expect(migrate()).toBe(`${brought} 8 notes were indexed for searching. 17 turns were indexed for searching.\n`);
    expect(migrate()).toBe(`${home.place} already has schema ${schemaVersion}.\n`);
    await home.close();
    const store = await newStore(place);
    expect(await rowsAt(store, schema)).toEqual(asKeptNow(held[schema]).filter((line) => "table" in line));
    expect(await verifyStore(store.home)).toMatchObject({ amendments: 24, steps: 16, faults: [], orphans: 0 });
    for (const { what, fine } of await store.home.checkup()) expect([what, fine]).toEqual([what, true]);
    await expectToGoOn(store, schema);
  });

  test("that was saved as a checkpoint is restored as it was", async () => {
    const store = await newStore(await emptyPlace(name));
    const file = join(folder, `${schema}-${name}`);
    saveOld(file, schema, held[schema]);
    const proof = await store.checkpoint.restore(file);
    const rows = held[schema].length;
    expect(proof).toMatchObject({ rows, header: { schema, agents: ["ada", "eve"], from: "sqlite" } });
    expect(await rowsAt(store, schema)).toEqual(asKeptNow(held[schema]).filter((line) => "table" in line));
    await expectToGoOn(store, schema);
  });

  test("is made once when two bring it up to date", async () => {
    const place = await emptyPlace(name);
    const [one, other] = [place.open(), place.open()];
    await makeOld(one, schema);
    const done = await Promise.all([one.migrate(), other.migrate()]);
    const to = schemaVersion;
    expect(done.map(({ from, to }) => `${from} → ${to}`).sort()).toEqual([`${schema} → ${to}`, `${to} → ${to}`].sort());
    await one.close();
    await other.close();
  });
});

test("long rows of schema 6 lie beside each other on SQLite, and all is proved as before", async () => {
  const place = await emptyPlace("sqlite");
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
  const store = await newStore(await emptyPlace("sqlite"));
  const proof = await store.checkpoint.restore(join(import.meta.dirname, "schema-1.checkpoint"));
  const file = join(folder, "same");
  saveOld(file, 1, held[1]);
  const again = await newStore(await emptyPlace("sqlite"));
  expect((await again.checkpoint.restore(file)).digest).toBe(proof.digest);
});

test("a checkpoint with a row or a column its schema never had is damaged", async () => {
  const store = await newStore(await emptyPlace("sqlite"));
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

/**
 * Counted by the database itself, worked out from others, or not kept at all: codes to link a chat, what an embedder made of notes, and
 * what was learned of servers, which at the same address are others on another machine.
 */
const leftOut = new Set(["memories.number", "memories.search", "memories.stems", "events.id", "turns.indexed"]);
const notKept = new Set(["texts", "link_codes", "vectors", "turn_words", "windows", "refused_kinds", "schema_version"]);

for (const name of homes)
  test(`every column of every table on ${name} is in a checkpoint, but for those that are left out on purpose`, async () => {
    const { home } = await newStore(await emptyPlace(name));
    const columns = raw(
      name === "postgres"
        ? `select table_name as "table", column_name as "column" from information_schema.columns where table_schema = 'charter'`
        : `select m.name as "table", c.name as "column" from sqlite_master m, pragma_table_info(m.name) c
            where m.type = 'table' and m.name not like 'sqlite_%' and m.name not like '%s_search%'`,
    );
    const rows = await home.read("everything", (db) => db.all<{ table: string; column: string }>(columns));
    const there = rows
      .filter(({ table, column }) => !notKept.has(table) && !leftOut.has(`${table}.${column}`))
      .map(({ table, column }) => `${table}.${column}`);
    const kept = checkpointTables.flatMap(({ table, columns: names }) => names.map((column) => `${table}.${column}`));
    expect(kept.sort()).toEqual(there.sort());
  });
