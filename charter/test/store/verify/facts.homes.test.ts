import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { receiptOf } from "../../../src/index.ts";
import { type Query, type Row, raw, sql } from "../../../src/store/home/sql.ts";
import { createStore, type Home, type Store } from "../../../src/store/index.ts";
import { sha256 } from "../../../src/store/texts/sha256.ts";
import { verifyStore } from "../../../src/store/verify/verify.ts";
import { homes, newPlace, type Place } from "../../homes.ts";
import { charter } from "../desk.ts";
import { promptFor } from "../lived.ts";

const scope = { agent: "ada", user: "bo" };
const turnRow = (id: string) => `agent ada, user bo, ${id}`;

/** What lists tell of turns and steps is checked against what it was worked out from. */
describe.each(homes)("what lists tell, changed behind the store's back, on %s", (name) => {
  let place: Place;
  let home: Home;
  let store: Store;
  let time = Date.parse("2026-02-18T08:00:00Z");

  async function take(id: string, of: { input: string; reply: string; calls: boolean; models: readonly string[] }) {
    await store.turns.open({ id, scope, input: of.input });
    const prompt = await promptFor(store, scope.agent, scope.user);
    for (const [index, model] of of.models.entries()) {
      time += 1500;
      const { step } = await store.turns.recordStep(id, {
        ...receiptOf(charter, prompt, { sha256, receiver: model }),
        scope,
      });
      const calls = of.calls ? { answer: { calls: [{ name: "look" }] } } : {};
      const usage = { input: 100 + index, read: 10, written: null, output: 7 };
      await store.turns.recordResult(id, step, { ...calls, usage }, { scope });
    }
    await store.turns.close(id, { scope, reply: of.reply, state: "answered" });
  }

  beforeAll(async () => {
    place = await newPlace(name);
    home = place.open();
    store = await createStore(home, { now: () => new Date(time) });
    await store.agents.add({ name: "ada", charter: "assistant" });
    await take("one", { input: "Where are the swallows?", reply: "In Egypt.", calls: true, models: ["m1", "m2"] });
    await take("two", { input: "And the storks?", reply: "In Chad.", calls: false, models: ["m1"] });
    await store.turns.open({ id: "three", scope, input: "Again?" });
    const receipt = receiptOf(charter, await promptFor(store, "ada", "bo"), { sha256, receiver: "m1" });
    const { step } = await store.turns.recordStep("three", { ...receipt, scope });
    await store.turns.recordResult("three", step, { usage: { input: 5 } }, { scope });
    await store.turns.recordResult("three", step, {}, { scope });
    await home.write("everything", async (db) => {
      for (const table of ["turns", "steps"]) await db.run(raw(`create table kept_${table} as select * from ${table}`));
    });
  });
  /** As the store wrote it. */
  const restore = () =>
    home.write("everything", async (db) => {
      for (const table of ["turns", "steps"]) {
        const columns = Object.keys((await db.one<Row>(raw(`select * from ${table} limit 1`))) ?? {}).join(", ");
        await db.run(raw(`delete from ${table}`));
        await db.run(raw(`insert into ${table} (${columns}) select ${columns} from kept_${table}`));
      }
    });
  afterAll(async () => {
    await store?.close();
    await place?.remove();
  });

  const faultsAfter = async (change: Query) => {
    await home.write("everything", (db) => db.run(change));
    const { faults } = await verifyStore(home);
    await restore();
    return faults;
  };

  test("as the store wrote it, nothing is wrong", async () => {
    expect((await verifyStore(home)).faults).toEqual([]);
    expect((await verifyStore(home, { agent: "ada" })).faults).toEqual([]);
  });

  const summed = "its token counts or its cache miss are not those of its steps";
  test.each(["input", "read", "written", "output"])("a turn's %s tokens are the sums of its steps'", async (one) => {
    const change = sql`update turns set ${raw(`${one}_tokens = coalesce(${one}_tokens, 0) + 1`)} where id = 'one'`;
    expect(await faultsAfter(change)).toEqual([
      { table: "turns", row: turnRow("one"), what: "edited", reason: summed },
    ]);
  });

  test("a turn missed the cache if one of its steps did", async () => {
    const change = raw("update turns set missed = 1 - missed where id = 'one'");
    expect(await faultsAfter(change)).toEqual([expect.objectContaining({ what: "edited", reason: summed })]);
  });

  test("a step's tokens are those of its result, and its turn's sums are then wrong as well", async () => {
    const change = raw("update steps set output_tokens = 8 where agent = 'ada' and number = 2");
    expect(await faultsAfter(change)).toEqual([
      {
        table: "steps",
        row: "agent ada, step 2",
        what: "edited",
        reason: "its token counts are not those of its result",
      },
      { table: "turns", row: turnRow("one"), what: "edited", reason: summed },
    ]);
  });

  test("a step's tokens that were changed with its turn's are found by the result", async () => {
    await home.write("everything", (db) => db.run(raw("update turns set output_tokens = 8 where id = 'two'")));
    const change = raw("update steps set output_tokens = 8 where turn = 'two'");
    expect(await faultsAfter(change)).toEqual([
      {
        table: "steps",
        row: "agent ada, step 3",
        what: "edited",
        reason: "its token counts are not those of its result",
      },
    ]);
  });

  test.each([
    ["its model", "model = 'm1'", "one", "its model is not the one that its last step asked"],
    ["how long it took", "duration_ms = 4", "two", "it did not take as long as it says"],
    ["that a tool was called", "tools = 0", "one", "a tool was called in it, and it says that none was"],
    ["that none was", "tools = 1", "two", "no tool was called in it, and it says that one was"],
  ])("a turn says %s as its steps do", async (_, change, turn, reason) => {
    expect(await faultsAfter(sql`update turns set ${raw(change)} where id = ${turn}`)).toEqual([
      { table: "turns", row: turnRow(turn), what: "edited", reason },
    ]);
  });

  const reworded = "the words it is found by are not those of its input and reply";
  test("a word that is missing from what a turn is found by, or is there too much", async () => {
    const kept = (words: readonly string[]) => async () => {
      await home.write("everything", async (db) => {
        for (const query of db.dialect.keepWords({ id: "two", scope, words })) await db.run(query);
      });
      return (await verifyStore(home)).faults;
    };
    const own = ["and", "the", "storks", "in", "chad"];
    const fault = { table: "turn_words", row: turnRow("two"), what: "edited", reason: reworded };
    expect(await kept(own.slice(0, 4))()).toEqual([fault]);
    expect(await kept([...own, "swallows"])()).toEqual([fault]);
    expect(await kept(own)()).toEqual([]);
  });

  test("a result that is told again without counts takes them back", async () => {
    expect((await store.turns.factsOf(["three"])).get("three")?.usage).toMatchObject({ input: null });
    expect((await verifyStore(home)).faults).toEqual([]);
  });

  test("what is not worked out yet, or was erased, is no fault", async () => {
    expect(
      await faultsAfter(raw("update turns set indexed = null, tools = 0, duration_ms = null, input_tokens = 9")),
    ).toEqual([]);
    await store.erase({ user: "bo", agent: "ada" });
    expect((await verifyStore(home)).faults).toEqual([]);
    expect(await faultsAfter(raw("update turns set output_tokens = 8 where id = 'two'"))).toEqual([
      { table: "turns", row: turnRow("two"), what: "edited", reason: summed },
    ]);
  });
});
