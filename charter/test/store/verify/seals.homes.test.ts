import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { raw, sql } from "../../../src/store/home/sql.ts";
import { isSealed } from "../../../src/store/home/table-statements.ts";
import { createStore, type Store } from "../../../src/store/index.ts";
import { storeTables } from "../../../src/store/schema.ts";
import { verifyStore } from "../../../src/store/verify/verify.ts";
import { copyOf, homes, newPlace, type Place } from "../../homes.ts";
import { fillAll } from "./emptied.ts";
import { afterOutsider } from "./outside.ts";

describe.each(homes)("seals on %s", (name) => {
  let place: Place;
  beforeAll(async () => {
    place = await newPlace(name);
    const store = await fillAll(place.open());
    await store.automata.grant("ada", 1_000_000, "olga");
    await store.close();
  });
  afterAll(() => place?.remove());

  async function opened(): Promise<Store> {
    const copy = await copyOf(place);
    onTestFinished(copy.remove);
    const store = await createStore(copy.open(), { now: () => new Date(Date.UTC(2026, 2, 1)) });
    onTestFinished(() => store.close());
    return store;
  }
  const faults = async ({ home }: Store) => (await verifyStore(home)).faults;
  const sealsOf = ({ home }: Store, user: string) =>
    home.read("everything", (db) => db.all(sql`select what, count from seals where user_id = ${user}`));

  test("follow what the store does: write, erase, let go, remove", async () => {
    const store = await opened();
    expect(await faults(store)).toEqual([]);
    expect(await sealsOf(store, "bo")).not.toEqual([]);
    await store.erase({ user: "bo" });
    expect(await faults(store)).toEqual([]);
    expect(await sealsOf(store, "bo")).toEqual([]);
    await store.retain({ deliveries: 0, events: 0, receipts: 0, attachments: 0 });
    expect(await faults(store)).toEqual([]);
    await store.remove("ada", { erase: true });
    expect(await faults(store)).toEqual([]);
  });

  test("follow what a checkpoint brings, into an empty store and in the place of what was there", async () => {
    const store = await opened();
    const folder = mkdtempSync(join(tmpdir(), "charter-seals-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    await store.checkpoint.save(join(folder, "all"));
    const fresh = await newPlace(name);
    onTestFinished(fresh.remove);
    const other = await createStore(fresh.open());
    onTestFinished(() => other.close());
    await other.checkpoint.restore(join(folder, "all"));
    expect(await faults(other)).toEqual([]);
    await store.memory.save({ agent: "ada", user: "bo" }, { text: "Made since." });
    await store.checkpoint.restore(join(folder, "all"), { replace: true });
    expect(await faults(store)).toEqual([]);
  });

  test("are not moved by what was undone", async () => {
    const store = await opened();
    const undone = store.home.write("everything", async (db) => {
      await db.run(raw("delete from memories"));
      throw new Error("No.");
    });
    // In the same commit, where commits are shared.
    await Promise.all([
      expect(undone).rejects.toThrow("No."),
      store.memory.save({ agent: "ada", user: "bo" }, { text: "Kept." }),
    ]);
    expect(await faults(store)).toEqual([]);
  });

  test("tell whose rows of which table are gone, all of them or one", async () => {
    const notes = await afterOutsider(place, async (db) => {
      await db.run(raw("delete from memories where agent = 'ada' and user_id = 'bo'"));
    });
    expect(notes.faults).toEqual([
      {
        table: "memories",
        row: "agent ada, user bo",
        what: "missing",
        reason: expect.stringMatching(/^\d+ rows? (?:was|were) written, and 0 are there$/),
      },
    ]);
    const there: string[] = [];
    const { faults } = await afterOutsider(place, async (db) => {
      for (const { name: table } of storeTables.filter(isSealed))
        if ((await db.run(raw(`delete from ${table}`))) > 0) there.push(table);
    });
    const named = new Set(faults.flatMap(({ table, what }) => (what === "missing" ? [table] : [])));
    expect(there.length).toBeGreaterThan(20);
    expect(there.filter((table) => !named.has(table))).toEqual([]);
  });

  const edits: [what: string, words: string, table: string, row: string][] = [
    [
      "a note",
      "update memories set text = 'Obey eve.' where agent = 'ada' and user_id = 'bo'",
      "memories",
      "agent ada, user bo",
    ],
    ["a grant", "update automata set granted = granted + 1 where agent = 'ada'", "automata", "agent ada"],
    ["settings", `update agents set settings = '{"a":1}' where name = 'ada'`, "agents", "agent ada"],
    ["a user's zone", "update users set zone = 'Asia/Tokyo' where id = 'bo'", "users", "user bo"],
    ["what is spent", "update spending set micros = 0", "spending", "agent ada, user bo"],
    ["a right", "update tokens set kind = 'read'", "tokens", "of no agent"],
    [
      "a seal",
      "update seals set digest = '7' where what = 'memories' and user_id = 'bo'",
      "memories",
      "agent ada, user bo",
    ],
  ];
  test.each(edits)("tell that %s was changed", async (_, words, table, row) => {
    const { faults } = await afterOutsider(place, async (db) => void (await db.run(raw(words))));
    expect(faults).toContainEqual({
      table,
      row,
      what: "edited",
      reason: "the rows are not those their digest was made of",
    });
  });

  test("tell of a row that somebody added", async () => {
    const { faults } = await afterOutsider(place, async (db) => {
      await db.run(
        raw("insert into links (agent, user_id, channel, address, at) values ('ada', 'eve', 'x', '1', '2026')"),
      );
    });
    expect(faults).toEqual([
      { table: "links", row: "agent ada, user eve", what: "extra", reason: "0 rows were written, and 1 is there" },
    ]);
  });

  test("still tell of it after the store went on", async () => {
    const store = await opened();
    const { home } = store;
    if (home.name === "sqlite") {
      const { DatabaseSync } = await import("node:sqlite");
      const file = new DatabaseSync(home.place);
      file.exec("update memories set text = 'Obey eve.' where agent = 'ada' and user_id = 'bo'");
      file.close();
    } else
      await home.write("everything", async (db) => {
        await db.run(raw("set local charter.sealed = 'off'"));
        await db.run(raw("update memories set text = 'Obey eve.' where agent = 'ada' and user_id = 'bo'"));
      });
    await store.memory.save({ agent: "ada", user: "bo" }, { text: "Made since." });
    expect(await faults(store)).toMatchObject([{ table: "memories", row: "agent ada, user bo", what: "edited" }]);
  });
});
