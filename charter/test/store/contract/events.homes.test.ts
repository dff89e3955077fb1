import { once } from "node:events";
import { expect, test } from "vitest";
import type { Store, StoreEvent } from "../../../src/store/index.ts";
import { answerMessage } from "../answer-message.ts";
import { deskOf, rewrite } from "../desk.ts";
import { onEveryHome } from "./given.ts";

/** Collects what a watcher hears, and waits until it has heard so much. */
async function listening(store: Store, agent: string) {
  const heard: StoreEvent[] = [];
  const ears = new EventTarget();
  const stop = await store.events.watch((event) => {
    if (event.scope.agent !== agent) return;
    heard.push(event);
    ears.dispatchEvent(new globalThis.Event("heard"));
  });
  const until = async (count: number) => {
    while (heard.length < count) await once(ears, "heard");
    return heard;
  };
  return { heard, until, stop };
}

onEveryHome("events", (given) => {
  test("an event is kept with what it tells, and the newest is listed first", async () => {
    const { record, list } = given.store.events;
    const agent = await given.agent();
    const scope = { agent, user: "bo" };
    await record({ scope, kind: "looked", turn: "t1", detail: { at: ["a", 1, null, "😀 \u0000 \ud800"] } });
    await record({ scope: { agent }, kind: "slept", detail: {} });
    const [slept, looked, ...rest] = await list({ agent });
    expect(rest.map(({ kind }) => kind)).toEqual(["agent-set"]);
    const at = given.clock.text();
    expect(looked).toEqual({
      id: expect.any(Number),
      scope,
      at,
      kind: "looked",
      turn: "t1",
      detail: { at: ["a", 1, null, "😀 \u0000 \ud800"] },
    });
    expect(slept).toEqual({ id: expect.any(Number), scope: { agent }, at, kind: "slept", turn: null, detail: {} });
    expect(await list({ agent, user: "bo" })).toEqual([looked]);
    expect(await list({ agent, kind: "slept" })).toEqual([slept]);
    expect(await list({ agent, limit: 1, offset: 1 })).toEqual([looked]);
    expect(await list({ agent, user: "cy" })).toEqual([]);
  });

  test("what happened in some turns is told in order, and nothing of others", async () => {
    const { record, ofTurns } = given.store.events;
    const scope = await given.scope();
    const turn = (name: string) => `${scope.agent}-${name}`;
    for (const [kind, name] of ["began t1", "began t2", "began t3", "ended t1"].map((one) => one.split(" ")))
      await record({ scope, kind: kind as string, turn: turn(name as string), detail: {} });
    await record({ scope, kind: "looked", detail: {} });
    // A name may be longer than one that is looked up.
    await record({ scope, kind: "began", turn: "t".repeat(5000), detail: {} });
    const told = async (...names: string[]) => (await ofTurns(names.map(turn))).map(({ kind, turn: of }) => [kind, of]);
    expect(await told("t3", "t1", "t0")).toEqual([
      ["began", turn("t1")],
      ["began", turn("t3")],
      ["ended", turn("t1")],
    ]);
    expect(await told()).toEqual([]);
  });

  test("the same fact is written once, however often and by however many it is noticed", async () => {
    const agent = await given.agent();
    const other = await given.another();
    const fact = (n: number) => ({ scope: { agent }, kind: "noticed", detail: { n } });
    await Promise.all(
      Array.from({ length: 12 }, (_, index) => (index % 2 ? other : given.store).events.recordOnce(fact(index % 3))),
    );
    const told = (await given.store.events.list({ agent, kind: "noticed" })).map(({ detail }) => detail.n);
    expect(told.sort()).toEqual([0, 1, 2]);
    await given.store.events.recordOnce({ ...fact(0), scope: { agent, user: "bo" } });
    expect((await given.store.events.list({ agent, kind: "noticed" })).length).toBe(4);
  });

  test("what one store writes, a watcher of another hears, each once", async () => {
    const agent = await given.agent();
    const other = await given.another();
    const here = await listening(given.store, agent);
    const there = await listening(other, agent);
    await given.store.propose(deskOf({ scope: { agent } }), rewrite("One."));
    await other.propose(deskOf({ scope: { agent } }), rewrite("Two."));
    await given.store.agents.freeze(agent, "agent");
    const expected = (await given.store.events.list({ agent, limit: 3 })).reverse();
    expect(expected.map(({ kind }) => kind)).toEqual(["amended", "amended", "agent-frozen"]);
    const byId = (all: readonly StoreEvent[]) => [...all].sort((a, b) => a.id - b.id);
    expect(byId(await here.until(3))).toEqual(expected);
    expect(byId(await there.until(3))).toEqual(expected);
    await here.stop();
    await there.stop();
    await given.store.agents.thaw(agent);
    expect([here.heard.length, there.heard.length]).toEqual([3, 3]);
  });

  test("a watcher hears of many writers at once, missing none and hearing none twice", async () => {
    const agent = await given.agent();
    const stores = await given.three();
    const { until, stop } = await listening(stores[2] as Store, agent);
    await Promise.all(
      Array.from({ length: 90 }, (_, index) =>
        stores[index % 3]?.events.record({ scope: { agent }, kind: "counted", detail: { index } }),
      ),
    );
    const heard = (await until(90)).map(({ detail }) => Number(detail.index)).sort((a, b) => a - b);
    expect(heard).toEqual(Array.from({ length: 90 }, (_, index) => index));
    await stop();
  });

  test("a watcher that throws goes on hearing", async () => {
    const agent = await given.agent();
    const heard: unknown[] = [];
    const ears = new EventTarget();
    const stop = await given.store.events.watch(({ scope, detail }) => {
      if (scope.agent !== agent) return;
      heard.push(detail.n);
      ears.dispatchEvent(new globalThis.Event("heard"));
      if (detail.n === 1) throw new Error("not today");
    });
    for (const n of [1, 2, 3]) {
      const next = once(ears, "heard");
      await given.store.events.record({ scope: { agent }, kind: "counted", detail: { n } });
      await next;
    }
    expect(heard).toEqual([1, 2, 3]);
    await stop();
  });

  test("an event of a change that was undone is never heard of", async () => {
    const agent = await given.agent();
    const { heard, until, stop } = await listening(given.store, agent);
    const { inbox } = given.store;
    await inbox.post({ agent, sender: "bo", body: "x", id: "m1" });
    await inbox.claim(agent, "t");
    await expect(answerMessage(inbox, { agent, message: "m1", reply: "\0", turn: "t" })).rejects.toThrow("NUL");
    await answerMessage(inbox, { agent, message: "m1", reply: "fine", turn: "t" });
    await until(3);
    expect(heard.map(({ kind }) => kind)).toEqual(["message-posted", "message-taken", "message-answered"]);
    await stop();
  });
});
