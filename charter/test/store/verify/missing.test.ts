import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Database } from "../../../src/store/home/database.ts";
import { raw, sql } from "../../../src/store/home/sql.ts";
import { createStore, type Home, type Store } from "../../../src/store/index.ts";
import { checkpointTables } from "../../../src/store/lifecycle/checkpoint-tables.ts";
import { type StoreFault, verifyStore } from "../../../src/store/verify/verify.ts";
import { homes, newPlace, type Place, whole } from "../../homes.ts";
import { chainPost, postByChain } from "../chain-post.ts";
import { deskOf, rewrite } from "../desk.ts";
import { live, longWords, take } from "../lived.ts";

const tables = [...checkpointTables.map(({ table }) => table), "texts", "link_codes"];

/** Which tables tell of a table: as long as one of them is there, that its rows are gone is seen. */
const tellers: Readonly<Record<string, readonly string[]>> = {
  agents: ["amendments", "turns", "steps", "sessions", "memories", "chains", "spending"],
  amendments: ["standings", "events", "held", "steps"],
  standings: ["amendments"],
  steps: ["chains", "texts"],
  chains: ["steps"],
  texts: ["amendments", "steps"],
  turns: ["steps", "events", "held_calls", "memories"],
  sessions: ["turns"],
  attachments: ["turns"],
  held: ["events"],
  held_calls: ["events"],
  events: ["agents", "turns", "amendments"],
  conversations: ["exchanges"],
  exchanges: ["conversations"],
  inbox: ["outbox", "events", "chain_messages"],
  outbox: ["inbox", "events", "chain_replies"],
  schedules: ["runs"],
  links: ["events"],
  // Nothing tells of these, or nothing that outlasts `charter retain`.
  ...{ users: [], memories: [], tokens: [], spending: [], runs: [], updates: [], dispatches: [], link_codes: [] },
  ...{ automata: [], totals: [], lanes: [], message_ids: [], publications: [], heads: [], tool_pins: [] },
  ...{ chain_cursors: [], chain_blocks: [], chain_messages: [], chain_replies: [], chain_balances: [] },
};

/** What a store holds in which something of everything has happened. */
async function filled(home: Home): Promise<Store> {
  let seconds = 0;
  const store = await createStore(home, { now: () => new Date(Date.UTC(2026, 1, 18, 0, 0, seconds++)) });
  await store.agents.put({ name: "ada", charter: "test" });
  await live(store);
  const scope = { agent: "ada", user: "bo" };
  const { id } = await store.sessions.open({ scope, receiver: "m1" });
  const turn = await store.turns.open({ scope, input: "In a session.", session: id, inSession: true });
  await store.memory.save(scope, { text: "Made in a turn.", turn: turn.id });
  await store.inbox.claim("ada", turn.id);
  await store.inbox.answer({ agent: "ada", message: "m-dee", reply: "Yes.", turn: turn.id });
  await store.turns.close(turn.id, { reply: "Yes." });
  const place = { agent: "ada", chain: 1, contract: `0x${"c".repeat(40)}` };
  await postByChain(store, place, chainPost(), "Until six.");
  const [held] = await store.held.list({ agent: "ada" });
  await store.held.approve(held?.id as string, "olga", deskOf({ scope }));
  return store;
}

describe.each(homes)("what is gone, on %s", (name) => {
  let place: Place;
  let home: Home;
  let store: Store;
  beforeAll(async () => {
    place = await newPlace(name);
    home = place.open();
    store = await filled(home);
  });
  afterAll(async () => {
    await store?.close();
    await place?.remove();
  });

  /** Does something to the store, or behind its back, in one transaction that is undone at once. */
  const undone = async (work: (store: Store, db: Database) => Promise<void>): Promise<void> => {
    const only = new Error("Only to see.");
    const done = home.write("everything", async (db) => {
      const here = <Result>(_: unknown, look: (db: Database) => Promise<Result>) => look(db);
      const within = { ...home, read: here, write: here, vacuum: async () => {}, scrub: async () => true };
      await work(await createStore(within, { now: () => new Date(Date.UTC(2026, 2, 1)) }), db);
      throw only;
    });
    await done.catch((error) => {
      if (error !== only) throw error;
    });
  };
  const faultsOf = async ({ home }: Store, about: { agent?: string } = {}) => (await verifyStore(home, about)).faults;
  /** What verify finds after a deed behind the store's back. */
  const after = async (deed: (db: Database) => Promise<unknown>, about: { agent?: string } = {}) => {
    let faults: readonly StoreFault[] = [];
    await undone(async (inside, db) => {
      await deed(db);
      faults = await faultsOf(inside, about);
    });
    return faults;
  };
  const without =
    (...gone: readonly string[]) =>
    async (db: Database) => {
      for (const table of gone) await db.run(raw(`delete from ${table}`));
    };

  test("nothing, as it was written", async () => {
    expect((await verifyStore(home)).faults).toEqual([]);
    expect((await verifyStore(home, { agent: "eve" })).faults).toEqual([]);
  });

  test("every table that is emptied, alone or with any other, is named as long as anything else tells of it", async () => {
    expect(Object.keys(tellers).sort()).toEqual([...tables].sort());
    const alone = tables.map((table) => [table]);
    const pairs = tables.flatMap((one, index) => tables.slice(index + 1).map((other) => [one, other]));
    // `npm run test:long` takes every pair on both homes; others take some, and all of those that belong together, on one.
    const some = pairs.filter(
      ([one = "", other = ""], index) =>
        (tellers[one]?.includes(other) && tellers[other]?.includes(one)) || index % 20 === 0,
    );
    const wrong: unknown[] = [];
    const tried = whole ? [...alone, ...pairs] : name === "sqlite" ? [...alone, ...some] : alone.slice(0, 5);
    for (const gone of tried) {
      const faults = await after(without(...gone));
      const named = new Set(faults.map(({ table }) => table as string));
      const told = gone.filter((table) => tellers[table]?.some((teller) => !gone.includes(teller)));
      const unseen = told.filter((table) => !named.has(table));
      // What is there is never called missing.
      const invented = faults.filter(({ table, what }) => what === "missing" && !gone.includes(table));
      if (unseen.length > 0 || invented.length > 0) wrong.push({ gone, unseen, invented });
    }
    expect(wrong).toEqual([]);
  });

  test.skipIf(name !== "sqlite" && !whole)(
    "each of those who tell of a table tells of it alone, when all the others are gone with it",
    async () => {
      const silent: string[] = [];
      for (const [table, all] of Object.entries(tellers))
        for (const teller of all) {
          const faults = await after(without(table, ...all.filter((other) => other !== teller)));
          if (!faults.some((fault) => fault.table === table && fault.what === "missing"))
            silent.push(`${teller} of ${table}`);
        }
      expect(silent).toEqual([]);
    },
  );

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
    expect(named(await rowsAfter("steps", "chains", "held"))).toEqual(chains);
    expect(await rowsAfter("events", "steps", "chains")).toEqual([
      lost(
        "agent ada, user bo, section wishes, revisions 1 to 5",
        expect.stringMatching(/^the proposal \w+ was approved as it$/),
      ),
    ]);
    const nothing = await after(without("amendments", "standings", "events", "steps", "chains", "held"));
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
          ? sql`delete from chains where agent = 'ada'`
          : sql`update chains set number = ${to},
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
