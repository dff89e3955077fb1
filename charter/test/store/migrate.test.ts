import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { Problem } from "../../src/index.ts";
import { createRole, types as onPostgres, role } from "../../src/store/home/postgres-schema.ts";
import { migrations } from "../../src/store/home/schema.ts";
import { joined, type Row, raw, sql, type Value } from "../../src/store/home/sql.ts";
import { types as onSqlite } from "../../src/store/home/sqlite-schema.ts";
import { createStore, type Database, type Home, type Store } from "../../src/store/index.ts";
import { columnsAt, keptTables } from "../../src/store/moving/checkpoint-tables.ts";
import { sha256 } from "../../src/store/sha256.ts";
import { verifyStore } from "../../src/store/verify/verify.ts";
import { charter as command } from "../cli.ts";
import { homes, newPlace, type Place, type PlaceName } from "../homes.ts";
import { charter } from "./desk.ts";
import { longWords, take } from "./lived.ts";

/** A store of schema 1 in which something of everything has happened (see lived.ts), saved by the Charter of its day. */
const saved = join(import.meta.dirname, "schema-1.checkpoint");
type Line = { table: string; row: Row } | { text: { owner: string; digest: string; words: string } };
const lines = gunzipSync(readFileSync(saved)).toString().trimEnd().split("\n");
const kept = lines.slice(1, -1).map((line) => JSON.parse(line) as Line);

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
  const place = await newPlace(name);
  places.push(place);
  return place;
}

/** A database as the first step of the schema alone makes it. */
async function makeFirst(home: Home): Promise<void> {
  await home.write("everything", async (db) => {
    if (home.name === "postgres") for (const words of ["create schema charter", createRole]) await db.run(raw(words));
    const types = home.name === "postgres" ? onPostgres : onSqlite;
    for (const words of migrations[0]?.(types) ?? []) await db.run(raw(words));
    const version =
      home.name === "postgres"
        ? `create table schema_version (version integer not null); insert into schema_version values (1);
           grant select on schema_version to ${role}`
        : "pragma user_version = 1";
    await db.run(raw(version));
    if (home.name === "sqlite") await db.run(raw(`pragma application_id = ${0x43485254}`));
    for (const line of kept) await insert(db, line);
  });
}

async function insert(db: Database, line: Line): Promise<void> {
  if ("text" in line) {
    const { owner, digest, words } = line.text;
    await db.run(sql`insert into texts (owner, digest, base, depth, packed, body)
      values (${owner}, ${digest}, ${null}, ${0}, ${0}, ${Buffer.from(words)}) on conflict do nothing`);
    return;
  }
  const names = Object.keys(line.row);
  const values = names.map((name) => sql`${line.row[name] as Value}`);
  await db.run(sql`insert into ${raw(line.table)} (${raw(names.join(", "))}) values (${joined(values, ", ")})`);
}

/** Every row of schema 1, as it is kept now, in the order of the checkpoint. */
async function rowsOf(store: Store): Promise<Line[]> {
  return store.home.read("everything", async (db) => {
    const out: Line[] = [];
    for (const table of keptTables) {
      const names = columnsAt(table, 1);
      if (names.length === 0) continue;
      const order = table.order.map(({ column }) => column).join(", ");
      const rows = await db.all<Row>(raw(`select ${names.join(", ")} from ${table.table} order by ${order}`));
      for (const row of rows)
        out.push({ table: table.table, row: Object.fromEntries(names.map((name) => [name, row[name] as Value])) });
    }
    return out;
  });
}

test("a step of the schema that was published is as it was", () => {
  const digest = (types: typeof onSqlite) => sha256(JSON.stringify(migrations[0]?.(types)));
  expect([digest(onSqlite), digest(onPostgres)]).toEqual([
    "751c9789c31ed26486b6a05f7246f0d35c6f6dc8aa012575f3f350d284734c2e",
    "945651ad21d9b39db3ec53b4c33decf1ff7c4746f9eef4fcc78743d36646e68c",
  ]);
});

/** What schema 2 brought works on rows that schema 1 knew. */
async function expectToGoOn(store: Store): Promise<void> {
  const scope = { agent: "ada", user: "bo" };
  const unanswered = await store.turns.get("unanswered");
  expect(unanswered).toMatchObject({ state: "running", runner: null, leasedUntil: null });
  expect(await store.sessions.newestTurn("s1", scope)).toEqual({ id: "unanswered", state: "running" });
  const { id } = await store.turns.open({ scope, input: "?", session: "s1", runner: "host:1" });
  const call = { turn: id, step: 1, call: "c1", tool: "send_mail", input: {}, because: "foreign words" };
  const held = await store.calls.hold(scope, call);
  expect(await store.calls.list({ agent: "ada", user: "bo" })).toEqual([held]);
  await store.spending.add(scope, {
    day: "2026-02-18",
    receiver: "m1",
    micros: 3,
    usage: { input: 1, read: 0, written: 0, output: 1 },
  });
  expect((await store.spending.of({ ...scope, day: "2026-02-18" })).user.micros).toBe(3);
  expect((await store.turns.interrupted({ isGone: () => true })).map((turn) => turn.id)).toEqual([id]);
  await take(store, "ada", "bo", "and on it goes");
  expect((await store.standings.read(charter, scope)).wishes).toEqual({
    text: longWords("blackbird bo ada", 3),
    revision: 4,
  });
  expect(await verifyStore(store.home)).toMatchObject({ faults: [], orphans: 0 });
  expect(await store.erase({ user: "bo" })).toMatchObject({ rows: { held_calls: 1, spending: 1 } });
  expect(await verifyStore(store.home)).toMatchObject({ faults: [], orphans: 0 });
}

describe.each(homes)("a store of schema 1 on %s", (name) => {
  test("is refused by name, brought up to date by the command, and keeps every row", async () => {
    const place = await emptyPlace(name);
    const home = place.open();
    await makeFirst(home);
    const refused = await createStore(home).catch((error: Problem) => error);
    expect(refused).toBeInstanceOf(Problem);
    expect(refused).toMatchObject({
      code: "older-schema",
      message: `${home.place} has schema 1; this Charter works with 2.`,
      hint: "Copy the database aside, then run `charter migrate`.",
    });
    const migrate = () => command(["migrate", "--database", place.url]).stdout;
    expect(migrate()).toBe(`${home.place} was brought from schema 1 to 2.\n`);
    expect(migrate()).toBe(`${home.place} already has schema 2.\n`);
    await home.close();
    const store = await newStore(place);
    expect(await rowsOf(store)).toEqual(kept.filter((line) => "table" in line));
    expect(await verifyStore(store.home)).toMatchObject({ amendments: 24, steps: 16, faults: [], orphans: 0 });
    for (const { what, fine } of await store.home.checkup()) expect([what, fine]).toEqual([what, true]);
    await expectToGoOn(store);
  });

  test("that was saved as a checkpoint is restored as it was", async () => {
    const store = await newStore(await emptyPlace(name));
    const proof = await store.checkpoint.restore(saved);
    expect(proof).toMatchObject({ rows: 210, header: { schema: 1, agents: ["ada", "eve"], from: "sqlite" } });
    expect(await rowsOf(store)).toEqual(kept.filter((line) => "table" in line));
    await expectToGoOn(store);
  });

  test("is made once when two bring it up to date", async () => {
    const place = await emptyPlace(name);
    const [one, other] = [place.open(), place.open()];
    await makeFirst(one);
    const done = await Promise.all([one.migrate(), other.migrate()]);
    expect(done.map(({ from, to }) => `${from} → ${to}`).sort()).toEqual(["1 → 2", "2 → 2"]);
    await one.close();
    await other.close();
  });
});

test("a checkpoint of schema 1 with a row that schema never had is damaged", async () => {
  const store = await newStore(await emptyPlace("sqlite"));
  const turn = kept.find((line) => "table" in line && line.table === "turns") as { row: Row };
  const odd: Line[] = [
    { table: "turns", row: { ...turn.row, id: "odd", runner: null, lease_seconds: null, leased_until: null } },
    { table: "spending", row: {} },
  ];
  for (const line of odd) {
    const body = [...lines.slice(0, -1), JSON.stringify(line)].map((one) => `${one}\n`).join("");
    const footer = { rows: kept.length + 1, digest: sha256(body) };
    const file = join(folder, "odd");
    writeFileSync(file, gzipSync(`${body}${JSON.stringify(footer)}\n`));
    const refused = await store.checkpoint.restore(file).catch((error: Problem) => error);
    expect(refused).toMatchObject({ code: "checkpoint-damaged" });
  }
  expect(await store.agents.list()).toEqual([]);
});
