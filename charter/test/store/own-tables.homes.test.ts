import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  columns,
  createStore,
  insertInto,
  type RecordOf,
  recordOf,
  type Store,
  sql,
  sqlite,
  table,
  verifyStore,
  withTables,
} from "../../src/store/index.ts";
import { versionOf } from "../../src/store/schema.ts";
import { homes, newPlace, type Place } from "../homes.ts";
import { problemOf } from "./contract/given.ts";

const { bytes, count, id, json, name, oneOf, text, time, truth } = columns;

/** What a package keeps of each user with an agent. */
const diaries = table(
  "diaries",
  { of: "user", key: ["id"], keep: { when: "state = 'closed' and at < {until}", days: 3, size: "entry" } },
  {
    id: id(),
    at: time(),
    state: oneOf("open", "closed"),
    entry: text(),
    mood: json<{ readonly words: string }>().nullable(),
    drawing: bytes().optional(),
    secret: truth(),
    pages: count(),
    reader: name().nullable().passing(),
  },
);
type Diary = RecordOf<typeof diaries>;

/** What it keeps of each agent, and what of each user whatever the agent. */
const shelves = table("shelves", { of: "agent", key: ["agent", "place"] }, { place: name(), label: text() });
const libraryCards = table(
  "library_cards",
  { of: "store", key: ["number"], owner: { user: "reader" } },
  { number: id(), reader: name(), nickname: text() },
);
const schema = withTables([diaries, shelves, libraryCards]);

const folder = mkdtempSync(join(tmpdir(), "charter-own-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(homes)("a table that a package declares, on %s", (homeName) => {
  let place: Place;
  let store: Store;
  let clock = Date.UTC(2026, 1, 18);
  const open = (where: Place) => createStore(where.open({ schema }), { now: () => new Date(clock++) });
  beforeEach(async () => {
    // It was declared after the store was made.
    place = await newPlace(homeName);
    store = await open(place);
    for (const agent of ["ada", "eve"]) {
      await store.agents.put({ name: agent, charter: "test" });
      for (const user of ["bo", "cy"]) await keep({ agent, user });
      await store.home.write("everything", (db) =>
        db.run(insertInto(shelves, { agent, place: "left", label: `of ${agent}` })),
      );
    }
    for (const reader of ["bo", "cy"]) {
      await store.users.put({ id: reader });
      const card = { number: `card-${reader}`, reader, nickname: `little ${reader}` };
      await store.home.write("everything", (db) => db.run(insertInto(libraryCards, card)));
    }
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
  });

  type Scope = { readonly agent: string; readonly user: string };
  const diaryOf = (scope: Scope): Diary => ({
    scope,
    id: `${scope.user}-${scope.agent}`,
    at: "2026-02-18T00:00:00.000Z",
    state: "closed",
    entry: `Dear diary of ${scope.user}`,
    mood: { words: `glad as ${scope.user}` },
    drawing: new Uint8Array([1, 2, 255]),
    secret: true,
    pages: 3,
    reader: "host:1",
  });
  const keep = (scope: Scope) => store.home.write(scope, (db) => db.run(insertInto(diaries, diaryOf(scope))));
  const all = (from = store, scope: Parameters<typeof from.home.read>[0] = "everything") =>
    from.home.read(scope, async (db) =>
      (await db.all<object>(sql`select * from diaries order by id`)).map((row) => {
        const { drawing, ...record } = recordOf(diaries, row);
        return { ...record, ...(drawing ? { drawing: new Uint8Array(drawing) } : {}) };
      }),
    );
  const rows = (what: "shelves" | "library_cards") =>
    store.home.read("everything", (db) =>
      db.all(what === "shelves" ? sql`select * from shelves order by agent` : sql`select * from library_cards`),
    );
  const bo = { agent: "ada", user: "bo" };

  test("gives rows as records, and those of a scope within it", async () => {
    expect((await all()).map(({ id: one }) => one)).toEqual(["bo-ada", "bo-eve", "cy-ada", "cy-eve"]);
    expect(await all(store, bo)).toEqual([diaryOf(bo)]);
    const moved = await store.home.write(bo, (db) => db.run(sql`update diaries set pages = 9`));
    expect([moved, (await all()).map(({ pages }) => pages)]).toEqual([1, [9, 3, 3, 3]]);
  });

  test("is exported, without what is of no use outside", async () => {
    const { agents, ...about } = await store.export({ user: "bo", agent: "ada" });
    const { scope: _, reader: __, ...diary } = diaryOf(bo);
    expect(agents[0]?.diaries).toEqual([{ ...diary, drawing: "AQL/" }]);
    expect(about).toMatchObject({ libraryCards: [{ number: "card-bo", nickname: "little bo" }] });
  });

  test("is erased with its user, and with its agent", async () => {
    expect((await store.erasable({ user: "bo" })).rows).toMatchObject({ diaries: 2, library_cards: 1 });
    expect((await store.erase({ user: "bo", agent: "ada" })).rows).toEqual({ diaries: 1 });
    expect((await store.erase({ user: "bo" })).rows).toMatchObject({ diaries: 1, library_cards: 1, users: 1 });
    expect(await all()).toEqual(["ada", "eve"].map((agent) => diaryOf({ agent, user: "cy" })));
    expect((await store.remove("eve", { erase: true })).erased).toMatchObject({ diaries: 1, shelves: 1 });
    expect([await all(), await rows("shelves"), await rows("library_cards")]).toEqual([
      [diaryOf({ agent: "ada", user: "cy" })],
      [{ agent: "ada", place: "left", label: "of ada" }],
      [{ number: "card-cy", reader: "cy", nickname: "little cy" }],
    ]);
    expect(await verifyStore(store.home)).toMatchObject({ faults: [] });
  });

  test("is let go by its age, as it says", async () => {
    await store.home.write(bo, (db) => db.run(sql`update diaries set state = 'open'`));
    clock += 2 * 86_400_000;
    expect(await store.retain({ deliveries: 0 })).toMatchObject({ deliveries: 0 });
    clock += 2 * 86_400_000;
    expect(await store.retain({ deliveries: 0 })).toMatchObject({
      deliveries: 3,
      bytes: 3 * "Dear diary of bo".length,
    });
    expect((await all()).map(({ id: one }) => one)).toEqual(["bo-ada"]);
    expect(await verifyStore(store.home)).toMatchObject({ faults: [] });
  });

  test("is in checkpoints, whole or of one agent; a store without it takes none of them", async () => {
    const whole = await store.checkpoint.save(join(folder, `${homeName}-whole`));
    const one = await store.checkpoint.save(join(folder, `${homeName}-ada`), { agent: "ada" });
    await store.home.write("everything", (db) => db.run(sql`update diaries set pages = 9`));
    await store.checkpoint.restore(one.file, { replace: true });
    expect((await all()).map(({ pages }) => pages)).toEqual([3, 9, 3, 9]);
    const other = await newPlace(homeName);
    const again = await open(other);
    await again.checkpoint.restore(whole.file);
    expect(await all(again)).toEqual(
      ["bo", "cy"].flatMap((user) => ["ada", "eve"].map((agent) => diaryOf({ agent, user }))),
    );
    expect((await again.checkpoint.save(`${whole.file}-again`)).content).toBe(whole.content);
    await again.close();
    await other.remove();
    const plain = await createStore(sqlite(":memory:"));
    expect(await problemOf(plain.checkpoint.restore(whole.file))).toMatch(/^checkpoint-damaged: /);
    await plain.close();
  });

  test("is brought on by steps of its own, and kept from whoever does not know it", async () => {
    const moody = table("diaries", diaries, { ...diaries.columns, weather: text().nullable() });
    const grown = withTables([moody, shelves, libraryCards], { steps: [{ to: 2, add: { diaries: ["weather"] } }] });
    const saved = await store.checkpoint.save(join(folder, `${homeName}-before`));
    await store.close();
    const home = place.open({ schema: grown });
    expect(await problemOf(createStore(home))).toBe(
      `older-schema: ${home.place} has schema 1 of own; this Charter works with 2. Call \`migrate()\` of the home that has these tables in its schema.`,
    );
    const version = versionOf(grown);
    const copy = homeName === "sqlite" ? { copy: `${place.url}.schema-${version}` } : {};
    expect(await home.migrate()).toEqual({ from: version, to: version, ...copy });
    store = await createStore(home);
    await home.write(bo, (db) => db.run(sql`update diaries set weather = ${"rain"}`));
    await store.checkpoint.restore(saved.file, { replace: true });
    expect(await all()).toEqual(
      ["bo", "cy"]
        .flatMap((user) => ["ada", "eve"].map((agent) => diaryOf({ agent, user })))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
    expect(await verifyStore(home)).toMatchObject({ faults: [] });
    const plain = await createStore(place.open());
    expect(await problemOf(plain.erase({ user: "bo" }))).toMatch(
      /^unknown-data: .* has the table diaries, the table library_cards, the table shelves, which/,
    );
    await plain.close();
  });

  test("is proven by its seal", async () => {
    const { sealed, faults } = await verifyStore(store.home);
    expect([sealed >= 8, faults]).toEqual([true, []]);
    // As whoever changes the database by another way: the seal stays as it was.
    await store.home.write("everything", (db) =>
      db.run(sql`update seals set count = count + 1 where what = 'diaries' and agent = 'ada' and user_id = 'bo'`),
    );
    expect((await verifyStore(store.home)).faults).toMatchObject([{ table: "diaries" }]);
  });
});
