import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Placement } from "../../src/index.ts";
import { type Row, raw, sql } from "../../src/store/home/sql.ts";
import { createStore, type Home, type Store } from "../../src/store/index.ts";
import { verifyStore } from "../../src/store/verify/verify.ts";
import { homes, newPlace, type Place } from "../homes.ts";
import { deskFor, keepStep, openStore, sha256, words } from "./filled.ts";

const bo = { agent: "ada", user: "bo" };
const cy = { agent: "ada", user: "cy" };

describe.each(homes)("receipts on %s", (name) => {
  let place: Place;
  let home: Home;
  let store: Store;
  beforeAll(async () => {
    place = await newPlace(name);
    home = place.open();
    store = await openStore(home, ["ada", "bob", "eve", "ivy", "uma"]);
  });
  afterAll(async () => {
    await store?.close();
    await place?.remove();
  });

  const count = async (table: string) =>
    home.read("everything", async (db) => (await db.one<Row>(raw(`select count(*) as count from ${table}`)))?.count);
  const amend = (scope: { agent: string; user?: string }, section: string, content: string) =>
    store.propose(deskFor(scope), { section, operation: { kind: "rewrite", content }, actor: "agent" });
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => "none",
      (error) => error.code,
    );

  test("a turn of several steps is replayed to the very bytes, also by another process", async () => {
    const { id } = await store.turns.open({ scope: bo, input: "Hello?" });
    const sent: string[] = [];
    for (let step = 1; step <= 3; step++) {
      await amend(bo, "wishes", words("bo's wish", step));
      sent.push((await keepStep(store, id, bo, `9:0${step}`)).text);
    }
    const other = await createStore(home);
    for (const [index, text] of sent.entries())
      expect((await other.steps.replay(id, index + 1)).slots).toEqual([{ slot: "system", text, digest: sha256(text) }]);
    expect((await other.steps.replay(id)).slots[0]?.text).toBe(sent[2]);
    expect(new Set(sent).size).toBe(3);
  });

  test("what two users were sent by one agent is kept apart, and on one chain", async () => {
    const turns = [
      await store.turns.open({ scope: bo, input: "?" }),
      await store.turns.open({ scope: cy, input: "?" }),
    ];
    await amend(cy, "wishes", words("cy's wish", 1));
    const first = await keepStep(store, turns[0]?.id as string, bo, "10:00");
    const second = await keepStep(store, turns[1]?.id as string, cy, "10:00");
    expect([first.text.includes("bo's wish"), first.text.includes("cy's wish")]).toEqual([true, false]);
    expect([second.text.includes("bo's wish"), second.text.includes("cy's wish")]).toEqual([false, true]);
    const [one, two] = [
      await store.steps.replay(turns[0]?.id as string),
      await store.steps.replay(turns[1]?.id as string),
    ];
    expect([one.slots[0]?.text, two.slots[0]?.text]).toEqual([first.text, second.text]);
    expect([two.number, two.previous]).toEqual([one.number + 1, one.digest]);
    const scoped = await codeOf(store.steps.replay(turns[1]?.id as string, undefined, bo));
    expect(scoped).toBe("unknown-turn");
  });

  test("the same words are kept once, however often they are sent", async () => {
    const { id } = await store.turns.open({ scope: bo, input: "Again?" });
    await keepStep(store, id, bo, "11:00");
    const before = [await count("texts"), await count("steps")];
    for (let step = 0; step < 5; step++) await keepStep(store, id, bo, "11:00");
    expect([await count("texts"), await count("steps")]).toEqual([before[0], (before[1] as number) + 5]);
    await keepStep(store, id, bo, "11:01");
    // The clock's words, and the receipt that names them.
    expect(await count("texts")).toBe((before[0] as number) + 2);
  });

  test("each agent's receipts are a chain of their own, from the agent's name on", async () => {
    for (const agent of ["bob", "eve"]) {
      const { id } = await store.turns.open({ scope: { agent }, input: "?" });
      const first = await keepStep(store, id, { agent }, "12:00");
      const second = await keepStep(store, id, { agent }, "12:01");
      expect([first.number, second.number]).toEqual([1, 2]);
      const steps = await store.steps.of(id);
      expect(steps.map(({ number, previous, digest }) => [number, previous, digest])).toEqual([
        [1, sha256(agent), first.digest],
        [2, first.digest, second.digest],
      ]);
    }
  });

  test("words packed against words, seventy deep, are still read", async () => {
    const scope = { agent: "ivy", user: "di" };
    const sent: [id: string, text: string][] = [];
    for (let round = 1; round <= 70; round++) {
      await amend(scope, "wishes", words("di's wish", round));
      const { id } = await store.turns.open({ scope, input: `${round}` });
      sent.push([id, (await keepStep(store, id, scope, `${round}`)).text]);
    }
    const deepest = await home.read("everything", (db) => db.one<Row>(raw("select max(depth) as depth from texts")));
    expect(deepest?.depth).toBe(32);
    const other = await createStore(home);
    for (const [id, text] of sent) expect((await other.steps.replay(id)).slots[0]?.text).toBe(text);
    const history = await other.history.listWhole(scope, "wishes", { limit: 70 });
    expect(history.map(({ after }) => after)).toEqual(
      Array.from({ length: 70 }, (_, index) => words("di's wish", 70 - index)),
    );
  });

  test("words placed into several slots are replayed slot by slot, with their breakpoints", async () => {
    const { id } = await store.turns.open({ scope: bo, input: "?" });
    const placements: Placement[] = [
      { slot: "system", sections: ["law", "goals", "wishes"], breakpoints: [1, 3] },
      { slot: "end", sections: ["clock"] },
    ];
    const { text } = await keepStep(store, id, bo, "13:00", placements);
    const { slots, receipt } = await store.steps.replay(id);
    const at = text.indexOf("## Now");
    expect(slots.map(({ slot, text: part }) => [slot, part])).toEqual([
      ["system", text.slice(0, at)],
      ["end", text.slice(at)],
    ]);
    expect(receipt.slots.map(({ breakpoints }) => breakpoints)).toEqual([[1, 3], []]);
  });

  test("a frozen agent takes no turn until it is thawed", async () => {
    await store.agents.freeze("eve", "agent");
    expect(await codeOf(store.turns.open({ scope: { agent: "eve" }, input: "?" }))).toBe("agent-frozen");
    await store.agents.thaw("eve");
    expect(await codeOf(store.turns.open({ scope: { agent: "eve" }, input: "?" }))).toBe("none");
  });

  test("of twenty steps kept at once each has its own number", async () => {
    const users = Array.from({ length: 20 }, (_, index) => `user-${index}`);
    const turns = await Promise.all(
      users.map((user) => store.turns.open({ scope: { agent: "uma", user }, input: "?" })),
    );
    const kept = await Promise.all(turns.map(({ id, scope }) => keepStep(store, id, scope, "14:00")));
    expect(kept.map(({ number }) => number).sort((a, b) => a - b)).toEqual(users.map((_, index) => index + 1));
    const { id, scope } = turns[0] as (typeof turns)[0];
    const more = await Promise.all(users.map((_, index) => keepStep(store, id, scope, `14:${index}`)));
    expect(more.map(({ step }) => step).sort((a, b) => a - b)).toEqual(users.map((_, index) => index + 2));
    expect(await verifyStore(home)).toMatchObject({ faults: [], orphans: 0 });
  });

  test("what came of a step is kept with it, and only of a step there is", async () => {
    const { id } = await store.turns.open({ scope: bo, input: "?" });
    const { step } = await keepStep(store, id, bo, "15:00");
    const usage = { input: 10, read: null, written: null, output: null };
    await store.turns.recordResult(id, step, { usage });
    await store.turns.recordResult(id, step, { usage, partial: "I" });
    expect((await store.steps.of(id))[0]?.result).toEqual({ usage, partial: "I" });
    expect(await codeOf(store.turns.recordResult(id, 2, {}))).toBe("unknown-turn");
    expect(await codeOf(store.steps.replay(id, 2))).toBe("unknown-turn");
    expect(await codeOf(store.steps.replay("nobody's"))).toBe("unknown-turn");
    expect(await store.steps.counts([id, "nobody's"])).toEqual(new Map([[id, 1]]));
    expect((await verifyStore(home)).faults).toEqual([]);
  });

  test("a receipt or a text that was changed cannot be replayed as if it were the one", async () => {
    const { id } = await store.turns.open({ scope: bo, input: "?" });
    await keepStep(store, id, bo, "16:00");
    const [{ receipt } = { receipt: null }] = await store.steps.of(id);
    const clock = receipt?.slots[0]?.sections.find((section) => section.name === "clock");
    await home.write("everything", (db) =>
      db.run(sql`update texts set body = ${Buffer.from("## Now\nIt is 17:00.")}, packed = ${0}, base = ${null}
        where digest = ${clock?.digest as string}`),
    );
    expect(await codeOf((await createStore(home)).steps.replay(id))).toBe("text-missing");
    await home.write("everything", (db) => db.run(sql`update steps set turn = ${"another"} where turn = ${id}`));
    expect(await codeOf(store.steps.replay("another"))).toBe("replay-mismatch");
  });
});
