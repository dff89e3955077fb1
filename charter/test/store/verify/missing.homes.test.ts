import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Database } from "../../../src/store/home/database.ts";
import { raw, sql } from "../../../src/store/home/sql.ts";
import type { Home, Store } from "../../../src/store/index.ts";
import { type StoreFault, verifyStore } from "../../../src/store/verify/verify.ts";
import { homes, newPlace, type Place } from "../../homes.ts";
import { deskOf, rewrite } from "../desk.ts";
import { longWords, take } from "../lived.ts";
import { behindItsBack, faultsOf, fillAll, without } from "./emptied.ts";

describe.each(homes)("what is gone, on %s", (name) => {
  let place: Place;
  let home: Home;
  let store: Store;
  const { undone, after } = behindItsBack(() => home);
  beforeAll(async () => {
    place = await newPlace(name);
    home = place.open();
    store = await fillAll(home);
  });
  afterAll(async () => {
    await store?.close();
    await place?.remove();
  });

  test("nothing, as it was written", async () => {
    expect((await verifyStore(home)).faults).toEqual([]);
    expect((await verifyStore(home, { agent: "eve" })).faults).toEqual([]);
  });

  const lost = (row: string, because: string) => ({ table: "amendments", row, what: "missing", reason: because });

  test("all amendments, with the words that stood, are named chain by chain, by whoever still tells of them", async () => {
    const chains = ["ada", "eve"].flatMap((agent) => [
      ...[`agent ${agent}, section goals`, `agent ${agent}, user bo, section wishes`],
      `agent ${agent}, user cy, section wishes`,
    ]);
    const rowsAfter = async (...gone: string[]) =>
      (await after(without("amendments", "standings", ...gone))).filter(({ table }) => table === "amendments");
    const named = (faults: readonly StoreFault[]) =>
      chains.filter((chain) =>
        faults.some(({ row, what }) => what === "missing" && row.startsWith(`${chain}, revision`)),
      );
    expect(named(await rowsAfter())).toEqual(chains);
    expect(named(await rowsAfter("events", "held"))).toEqual(chains);
    expect(named(await rowsAfter("steps", "hash_chains", "held"))).toEqual(chains);
    expect(await rowsAfter("events", "steps", "hash_chains")).toEqual([
      lost(
        "agent ada, user bo, section wishes, revisions 1 to 5",
        expect.stringMatching(/^the proposal \w+ was approved as it$/),
      ),
    ]);
    const nothing = await after(without("amendments", "standings", "events", "steps", "hash_chains", "held"));
    expect(nothing.filter(({ table }) => table === "texts").map(({ row, what }) => [row, what])).toEqual([
      ...[
        ["the agents' common words", "extra"],
        ["user bo", "extra"],
        ["user cy", "extra"],
      ],
    ]);
  });

  test("one chain of amendments that is gone, alone or with what was sent of it, is named; with --agent as well", async () => {
    const whose = raw("agent = 'eve' and user_id = 'cy'");
    const gone =
      (...tables: string[]) =>
      async (db: Database) => {
        for (const table of tables) await db.run(sql`delete from ${raw(table)} where ${whose}`);
      };
    const chain = "agent eve, user cy, section wishes, revisions 1 to 4";
    for (const about of [{}, { agent: "eve" }])
      expect(
        (await after(gone("amendments", "standings"), about)).map(({ table, row }) => [table, row]),
      ).toContainEqual([...["amendments", chain]]);
    expect(await after(gone("amendments", "standings"), { agent: "ada" })).toEqual([]);
  });

  test("a chain whose newest rows are gone, and whose end was set back, is named", async () => {
    const cut = (to: number) => async (db: Database) => {
      const its = raw("agent = 'ada' and user_id = 'bo' and section = 'wishes'");
      const [row] = await db.all<{ digest: string }>(
        sql`select digest from amendments where ${its} and revision = ${to}`,
      );
      const words = longWords("blackbird bo ada", to - 1);
      await db.run(sql`delete from amendments where ${its} and revision > ${to}`);
      await db.run(
        sql`update standings set revision = ${to}, digest = ${row?.digest ?? ""}, words = ${words} where ${its}`,
      );
    };
    for (const to of [4, 2]) {
      const faults = await after(cut(to));
      const row = `agent ada, user bo, section wishes, revision${to === 4 ? " 5" : "s 3 to 4"}`;
      expect(faults.filter(({ what }) => what === "missing").map((one) => one.row)).toContain(row);
    }
  });

  test("receipts whose newest are gone, or all of them, are named, also when the end was set back", async () => {
    const cut = (to: number) => async (db: Database) => {
      await db.run(sql`delete from steps where agent = 'ada' and number > ${to}`);
      await db.run(
        to === 0
          ? sql`delete from hash_chains where agent = 'ada'`
          : sql`update hash_chains set number = ${to},
        digest = (select digest from steps where agent = 'ada' and number = ${to}) where agent = 'ada'`,
      );
    };
    const { steps } = await verifyStore(home, { agent: "ada" });
    for (const to of [steps - 1, 3, 0]) {
      const faults = await after(cut(to));
      const receipts = faults.filter(
        ({ table, reason }) => table === "steps" && reason.startsWith("the receipt is there"),
      );
      expect(receipts.length).toBe(steps - to);
    }
  });

  test("what was erased or let go of on purpose, in whichever order, is not missed", async () => {
    const everything = { receipts: 0, events: 0, deliveries: 0 };
    const acts: ((store: Store) => Promise<unknown>)[] = [
      (inside) => inside.erase({ user: "bo", agent: "ada" }),
      (inside) => inside.erase({ user: "bo" }),
      // Letters are kept by an address without capitals, and so are the events that tell of them.
      (inside) => inside.erase({ user: "Dee" }),
      (inside) => inside.retain(everything),
      (inside) => inside.erase({ user: "cy" }),
      (inside) => inside.retain(everything),
    ];
    for (const order of [acts, [...acts].reverse()])
      await undone(async (inside) => {
        for (const act of order) {
          await act(inside);
          expect(await faultsOf(inside)).toEqual([]);
        }
      });
  });

  test("an erased user's chains are missed all the same when they go, though no event says which they were", async () => {
    await undone(async (inside, db) => {
      await inside.erase({ user: "bo" });
      for (const table of ["amendments", "standings"]) await db.run(raw(`delete from ${table} where user_id = 'bo'`));
      const missing = { table: "amendments", what: "missing" };
      expect(await faultsOf(inside)).toEqual([
        { ...missing, row: "agent ada, user bo", reason: "events tell of 5, and 0 are there" },
        { ...missing, row: "agent eve, user bo", reason: "events tell of 4, and 0 are there" },
      ]);
    });
  });

  test("what an older checkpoint replaced is not missed, and no text of it is left", async () => {
    const folder = mkdtempSync(join(tmpdir(), "charter-older-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "older.checkpoint");
    await store.checkpoint.save(file, { agent: "ada" });
    await undone(async (inside) => {
      const wish = rewrite("Sing.", { section: "wishes", actor: "user" });
      await inside.propose(deskOf({ scope: { agent: "ada", user: "di" } }), wish);
      await take(inside, "ada", "di", "Hello.");
      await inside.checkpoint.restore(file, { replace: true });
      expect(await verifyStore(inside.home)).toMatchObject({ faults: [], orphans: 0 });
    });
  });
});
