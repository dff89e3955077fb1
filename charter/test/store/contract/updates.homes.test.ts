import { expect, test } from "vitest";
import { createStore, type NewDispatch, type Store } from "../../../src/store/index.ts";
import { onEveryHome, problemOf } from "./given.ts";

const chat = "telegram";

onEveryHome("updates", (given) => {
  const minutes = (count: number) => given.clock.move(count * 60_000);
  const put = (agent: string, id: string, address = "100", about: { user?: string; at?: string } = {}) =>
    given.store.updates.put({
      scope: { agent, user: about.user ?? "bo" },
      channel: chat,
      id,
      address,
      body: `words of ${id}`,
      ...(about.at === undefined ? {} : { at: about.at }),
    });
  const take = (agent: string, about = {}, store: Store = given.store) => store.updates.claim(agent, chat, about);
  const ids = (all: readonly { id: string }[]) => all.map(({ id }) => id);
  const answer = (agent: string, body: string): NewDispatch => ({
    scope: { agent, user: "bo" },
    channel: chat,
    address: "100",
    body,
  });
  const bodies = async (agent: string) => (await given.store.dispatches.list({ agent })).map(({ body }) => body);

  test("what comes twice is one, also from two processes at once and when it was done long ago", async () => {
    const agent = await given.agent();
    expect(await put(agent, "1")).toBe(true);
    expect(await put(agent, "1")).toBe(false);
    // The chat is someone else's by now: it is the same update all the same.
    expect(await put(agent, "1", "100", { user: "cy" })).toBe(false);
    const other = await given.another();
    const scope = { agent, user: "bo" };
    const same = { scope, channel: chat, id: "2", address: "100", body: "words of 2" };
    const both = await Promise.all([given.store, other, given.store, other].map((store) => store.updates.put(same)));
    expect(both.filter((added) => added).length).toBe(1);
    expect(await given.store.updates.put({ ...same, channel: "matrix" })).toBe(true);
    expect(await given.store.updates.put({ ...same, scope: await given.scope() })).toBe(true);
    expect(await given.store.updates.countOpen(agent, chat)).toBe(2);
    expect(await take(agent)).toEqual([
      {
        scope,
        channel: chat,
        id: "1",
        address: "100",
        body: "words of 1",
        at: given.clock.text(),
        state: "taken",
        tries: 1,
        turn: null,
        failure: null,
      },
    ]);
    await given.store.updates.complete(agent, chat, "1", []);
    minutes(1000);
    expect(await put(agent, "1")).toBe(false);
    expect(ids(await take(agent))).toEqual(["2"]);
  });

  test("they are taken oldest first, and those of one moment in the order of their numbers", async () => {
    const agent = await given.agent();
    for (const id of ["10", "9", "100"]) await put(agent, id, `chat of ${id}`);
    given.clock.move(1000);
    await put(agent, "1", "chat of 1");
    await put(agent, "2", "chat of 2", { at: "2020-01-01T01:00:00+01:00" });
    expect(ids(await take(agent, { limit: 2 }))).toEqual(["2", "9"]);
    expect(ids(await take(agent))).toEqual(["10", "100", "1"]);
    expect(await take(agent)).toEqual([]);
  });

  test("what a machine takes in whose clock is behind comes after what was there", async () => {
    const agent = await given.agent();
    await put(agent, "1");
    const behind = new Date(given.clock.now().getTime() - 60_000);
    const late = await createStore((await given.another()).home, { now: () => behind });
    const scope = { agent, user: "bo" };
    for (const id of ["3", "2"])
      await late.updates.put({ scope, channel: chat, id, address: "100", body: `words of ${id}` });
    const order: string[] = [];
    for (let taken = await take(agent); taken.length > 0; taken = await take(agent))
      for (const { id } of taken) {
        order.push(id);
        await given.store.updates.complete(agent, chat, id, []);
      }
    expect(order).toEqual(["1", "2", "3"]);
  });

  test("never are two of one address worked on at a time", async () => {
    const agent = await given.agent();
    for (const id of ["1", "2", "3"]) await put(agent, id, "a");
    for (const id of ["4", "5"]) await put(agent, id, "b");
    expect(ids(await take(agent))).toEqual(["1", "4"]);
    expect(await take(agent)).toEqual([]);
    await given.store.updates.complete(agent, chat, "1", []);
    expect(ids(await take(agent))).toEqual(["2"]);
    await given.store.updates.fail(agent, chat, "4", "no");
    expect(ids(await take(agent))).toEqual(["4"]);
    // One that was sent earlier and comes later does not overtake the one that is worked on.
    await put(agent, "0", "a", { at: "2020-01-01T00:00:00Z" });
    expect(await take(agent)).toEqual([]);
    await given.store.updates.complete(agent, chat, "2", []);
    expect(ids(await take(agent))).toEqual(["0"]);
  });

  test("of many takers at once no two get the same, or two of one address", async () => {
    const agent = await given.agent();
    for (let index = 0; index < 24; index++) await put(agent, `${index}`, `chat ${index % 8}`);
    const stores = await given.three();
    const rounds: string[] = [];
    for (let round = 0; round < 3; round++) {
      const taken = await Promise.all(
        Array.from({ length: 9 }, (_, index) => take(agent, { limit: 2 }, stores[index % 3])),
      );
      const all = taken.flat();
      expect(new Set(all.map(({ address }) => address)).size).toBe(all.length);
      expect(all.length).toBe(8);
      for (const { id } of all) await given.store.updates.complete(agent, chat, id, []);
      rounds.push(...ids(all).sort((one, other) => Number(one) - Number(other)));
    }
    expect(rounds).toEqual(Array.from({ length: 24 }, (_, index) => `${index}`));
    expect(await given.store.updates.countOpen(agent, chat)).toBe(0);
  });

  test("whoever took one and died gives it back when the lease is over; the third is the last, and is told of", async () => {
    const agent = await given.agent();
    await put(agent, "1");
    await put(agent, "2");
    for (const tries of [1, 2, 3]) {
      expect(await take(agent, { leaseMs: 60_000 })).toMatchObject([{ id: "1", tries, state: "taken" }]);
      given.clock.move(60_000);
      expect(await take(agent)).toEqual([]);
      given.clock.move(1);
    }
    await given.store.updates.assignTurn(agent, chat, "1", "turn-1");
    const sorry = (body: string) => ({ dispatchesForDead: () => [answer(agent, body)] });
    expect(ids(await take(agent, sorry("Sorry.")))).toEqual(["2"]);
    expect(await bodies(agent)).toEqual(["Sorry."]);
    expect(await take(agent, sorry("Sorry again."))).toEqual([]);
    expect(await bodies(agent)).toEqual(["Sorry."]);
    expect(await given.store.updates.fail(agent, chat, "1", "too late")).toMatchObject({
      state: "dead",
      tries: 3,
      turn: "turn-1",
      failure: "nobody who took it came back",
      body: "words of 1",
    });
    expect(await given.store.events.list({ agent, kind: "update-dead" })).toEqual([
      {
        id: expect.any(Number),
        scope: { agent, user: "bo" },
        at: given.clock.text(),
        kind: "update-dead",
        turn: "turn-1",
        detail: { update: "1", channel: chat, tries: 3 },
      },
    ]);
  });

  test("who says that it is alive keeps what it took", async () => {
    const agent = await given.agent();
    await put(agent, "1");
    await take(agent, { leaseMs: 60_000 });
    for (let renewed = 0; renewed < 5; renewed++) {
      given.clock.move(50_000);
      await given.store.updates.renew(agent, chat, "1", 60_000);
      expect(await take(agent)).toEqual([]);
    }
    given.clock.move(60_001);
    expect(await take(agent)).toMatchObject([{ id: "1", tries: 2 }]);
    await given.store.updates.complete(agent, chat, "1", []);
    await given.store.updates.renew(agent, chat, "1", 60_000);
    expect(await given.store.updates.countOpen(agent, chat)).toBe(0);
  });

  test("who was so slow that another took it begins no turn", async () => {
    const agent = await given.agent();
    await put(agent, "1");
    const [slow] = await take(agent, { leaseMs: 60_000 });
    given.clock.move(60_001);
    const [quick] = await take(agent);
    expect(await given.store.updates.assignTurn(agent, chat, "1", "turn-2", quick?.tries)).toBe(true);
    expect(await given.store.updates.assignTurn(agent, chat, "1", "turn-1", slow?.tries)).toBe(false);
    expect(await given.store.updates.fail(agent, chat, "1", "no")).toMatchObject({ turn: "turn-2", tries: 2 });
  });

  test("who was so slow that another took it neither ends it nor gives it back", async () => {
    const agent = await given.agent();
    const { updates } = given.store;
    await put(agent, "1");
    await take(agent, { leaseMs: 60_000 });
    minutes(2);
    await take(agent, { leaseMs: 60_000 });
    await updates.renew(agent, chat, "1", 3_600_000, 1);
    await updates.complete(agent, chat, "1", [answer(agent, "too late")], 1);
    expect(await updates.fail(agent, chat, "1", "too late", [], 1)).toMatchObject({ state: "taken", tries: 2 });
    minutes(2);
    expect((await take(agent)).map(({ tries }) => tries)).toEqual([3]);
    expect(await updates.fail(agent, chat, "1", "too late", [answer(agent, "dead")], 2)).toMatchObject({
      state: "taken",
    });
    await updates.complete(agent, chat, "1", [answer(agent, "in time")], 3);
    expect([await bodies(agent), await updates.countOpen(agent, chat)]).toEqual([["in time"], 0]);
  });

  test("where it has to be the user's chat, nothing is taken in once it is not", async () => {
    const agent = await given.agent();
    const { updates, links } = given.store;
    const update = { scope: { agent, user: "bo" }, channel: chat, id: "1", address: "100", body: "x", linked: true };
    expect(await updates.put(update)).toBe(false);
    const link = async (user: string) =>
      links.redeem(agent, chat, (await links.createCode({ agent, user }, chat)).code, "100");
    await link("bo");
    expect([await updates.put(update), await updates.put(update)]).toEqual([true, false]);
    await link("cy");
    expect(await updates.put({ ...update, id: "2" })).toBe(false);
    expect(await updates.countOpen(agent, chat)).toBe(1);
  });

  test("one that is done has no words any more, and done twice is done once", async () => {
    const agent = await given.agent();
    await put(agent, "1");
    await take(agent);
    await given.store.updates.assignTurn(agent, chat, "1", "turn-1");
    const other = await given.another();
    await Promise.all([
      given.store.updates.complete(agent, chat, "1", [answer(agent, "a1"), answer(agent, "a2")]),
      other.updates.complete(agent, chat, "1", [answer(agent, "a1"), answer(agent, "a2")]),
    ]);
    await given.store.updates.complete(agent, chat, "1", [answer(agent, "b")]);
    expect(await bodies(agent)).toEqual(["a2", "a1"]);
    const done = { state: "done", body: "", turn: "turn-1", tries: 1 };
    expect(await given.store.updates.fail(agent, chat, "1", "no")).toMatchObject({ ...done, failure: null });
    await given.store.updates.assignTurn(agent, chat, "1", "turn-2");
    expect(await given.store.updates.fail(agent, chat, "1", "no")).toMatchObject(done);
    minutes(1000);
    expect(await take(agent)).toEqual([]);
  });

  test("what is done and what is to be sent are written together or not at all", async () => {
    const agent = await given.agent();
    await put(agent, "1");
    await take(agent);
    const half = [answer(agent, "whole"), answer(agent, "half a \ud83d")];
    expect(await problemOf(given.store.updates.complete(agent, chat, "1", half))).toMatch(/^malformed-text: /);
    expect(await bodies(agent)).toEqual([]);
    expect(await given.store.updates.countOpen(agent, chat)).toBe(1);
  });

  test("one that keeps failing is dead after the third time, and only then something is sent", async () => {
    const agent = await given.agent();
    await put(agent, "1");
    const states: unknown[] = [];
    for (const tries of [1, 2, 3]) {
      await take(agent);
      const failed = await given.store.updates.fail(agent, chat, "1", `try ${tries}`, [answer(agent, "Sorry.")]);
      states.push([failed?.state, failed?.tries, failed?.failure, await bodies(agent)]);
    }
    expect(states).toEqual([
      ["waiting", 1, "try 1", []],
      ["waiting", 2, "try 2", []],
      ["dead", 3, "try 3", ["Sorry."]],
    ]);
    await given.store.updates.fail(agent, chat, "1", "again", [answer(agent, "Sorry again.")]);
    expect(await bodies(agent)).toEqual(["Sorry."]);
    expect(await take(agent)).toEqual([]);
    const told = (await given.store.events.list({ agent, kind: "update-dead" })).map(({ detail }) => detail);
    expect(told).toEqual([{ update: "1", channel: chat, tries: 3 }]);
    expect(await given.store.updates.fail(agent, chat, "nope", "x")).toBeUndefined();
  });

  test("names that cannot be names, times that are none and agents that are not there are refused", async () => {
    const agent = await given.agent();
    expect(await problemOf(put("nobody", "1"))).toMatch(/^unknown-agent: /);
    expect(await problemOf(put(agent, ""))).toMatch(/^bad-name: "" cannot be the name of a message/);
    expect(await problemOf(put(agent, "1", "a\nb"))).toMatch(/^bad-name: /);
    expect(await problemOf(put(agent, "1", "100", { at: "soon" }))).toMatch(/^bad-time: /);
    expect(await given.store.updates.countOpen(agent, chat)).toBe(0);
  });
});
