import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { Problem } from "../../src/index.ts";
import { schemaVersion } from "../../src/store/home/schema.ts";
import { raw } from "../../src/store/home/sql.ts";
import { createStore, type Store } from "../../src/store/index.ts";
import { checkpointTables } from "../../src/store/lifecycle/checkpoint-tables.ts";
import { verifyStore } from "../../src/store/verify/verify.ts";
import { charter as command } from "../cli.ts";
import { homes, newPlace, type Place, type PlaceName } from "../homes.ts";
import { charter } from "./desk.ts";
import { longWords, take } from "./lived.ts";
import { asKeptNow, held, makeOld, type OldSchema, rowsAt, saveOld } from "./old-store.ts";

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

const cases = homes.flatMap((name) => ([1, 2, 3] as const).map((schema) => [schema, name] as const));
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

/**
 * Counted by the database itself, worked out from others (seals, too), or not kept at all: codes to link a chat, what an
 * embedder made of notes, and what was learned of servers, which at the same address are others on another machine.
 */
const leftOut = new Set(["memories.number", "memories.search", "memories.stems", "events.id", "turns.indexed"]);
const learned = ["windows", "refused_kinds"];
const notKept = new Set(["texts", "link_codes", "vectors", "turn_words", "seals", "schema_version", ...learned]);

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
