import fc from "fast-check";
import { expect, test } from "vitest";
import { onEveryHome } from "./given.ts";

const unspoken = ["scheduled"];

onEveryHome("everyone an agent has spoken with", (given) => {
  const take = async (agent: string, user: string | undefined, channel: string, input: string, state = "answered") => {
    given.clock.move(1000);
    const scope = { agent, ...(user === undefined ? {} : { user }) };
    const { id } = await given.store.turns.open({ scope, input, channel });
    const end = { state: state as "answered", reply: state === "answered" ? "Yes." : null, scope };
    await given.store.turns.close(id, end);
    return id;
  };

  test("users and senders, the latest first, each once, with their totals", async () => {
    const { store, clock } = given;
    const agent = await given.agent();
    await take(agent, undefined, "web", "Nobody's.");
    await take(agent, "bo", "web", "First.");
    await take(agent, "bo", "telegram", "x".repeat(300));
    await take(agent, "bo", "scheduled", "A reminder.", "failed");
    const bo = clock.text();
    clock.move(1000);
    await store.conversations.record(agent, "0xA", { message: "m1", body: "Hi.", reply: "Yes.", turn: "t1" });
    clock.move(1000);
    await store.conversations.record(agent, "0xA", { message: "m2", body: "Ho.", reply: "No.", turn: "t2" });
    const usage = { input: null, read: null, written: null, output: null };
    const all = [
      {
        ...{ user: "counterpart:0xa", turns: 0, failed: 0, messages: 2, cost: null, usage, channels: [] },
        ...{ lastAt: clock.text(), lastInput: null },
      },
      {
        ...{ user: "bo", turns: 3, failed: 1, messages: 0, cost: null, usage },
        ...{ channels: ["scheduled", "telegram", "web"], lastAt: bo, lastInput: "x".repeat(200) },
      },
    ];
    expect(await store.conversations.counterparts(agent, { unspoken })).toEqual(all);
    expect(await store.conversations.countCounterparts(agent)).toBe(2);
    expect(await store.conversations.counterparts(agent, { unspoken, limit: 1, offset: 1 })).toEqual(all.slice(1));
    await store.erase({ user: "bo" });
    expect(await store.conversations.counterparts(agent)).toEqual(all.slice(0, 1));
    expect(await store.conversations.countCounterparts(agent)).toBe(1);
    expect(await store.conversations.counterparts("nobody")).toEqual([]);
  });

  test("with a filter only those turns are added up, in the order asked for; messages meet no filter but their sender's", async () => {
    const { store, clock } = given;
    const agent = await given.agent();
    await take(agent, "bo", "web", "About plums.");
    await take(agent, "cy", "telegram", "About figs.", "failed");
    await take(agent, "bo", "telegram", "About figs.");
    clock.move(1000);
    await store.conversations.record(agent, "0xA", { message: "m1", body: "Hi.", reply: "Yes.", turn: "t1" });
    const found = async ({ sort, ...filter }: NonNullable<Parameters<typeof store.conversations.counterparts>[1]>) => {
      const listed = await store.conversations.counterparts(agent, { ...filter, sort });
      expect(await store.conversations.countCounterparts(agent, filter)).toBe(listed.length);
      return listed.map(({ user, turns, failed, messages }) => [user, turns, failed, messages]);
    };
    const sender = ["counterpart:0xa", 0, 0, 1];
    expect(await found({})).toEqual([sender, ["bo", 2, 0, 0], ["cy", 1, 1, 0]]);
    expect(await found({ sort: "oldest" })).toEqual([["cy", 1, 1, 0], ["bo", 2, 0, 0], sender]);
    expect(await found({ words: "figs" })).toEqual([
      ["bo", 1, 0, 0],
      ["cy", 1, 1, 0],
    ]);
    expect(await found({ words: "figs", state: "failed" })).toEqual([["cy", 1, 1, 0]]);
    expect(await found({ user: "bo", channel: "web" })).toEqual([["bo", 1, 0, 0]]);
    expect(await found({ user: "counterpart:0xa" })).toEqual([sender]);
    expect(await found({ model: "nobody/nothing" })).toEqual([]);
  });

  test("whatever was said, the numbers are those of the turns themselves", async () => {
    const one = fc.record({
      user: fc.constantFrom("bo", "cy", "a/b", "🦊"),
      channel: fc.constantFrom("web", "telegram", "scheduled"),
      state: fc.constantFrom("answered", "failed"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(one, { maxLength: 12 }), async (turns) => {
        const agent = await given.agent();
        for (const { user, channel, state } of turns) await take(agent, user, channel, `Said on ${channel}.`, state);
        const listed = await given.store.conversations.counterparts(agent, { unspoken });
        const byUser = Map.groupBy(turns, ({ user }) => user);
        const latest = [...byUser.keys()].toSorted(
          (left, right) =>
            turns.findLastIndex(({ user }) => user === right) - turns.findLastIndex(({ user }) => user === left),
        );
        expect(listed.map(({ user, turns: count, failed, channels }) => ({ user, count, failed, channels }))).toEqual(
          latest.map((user) => {
            const own = byUser.get(user) ?? [];
            const channels = [...new Set(own.map(({ channel }) => channel))].sort();
            return { user, count: own.length, failed: own.filter(({ state }) => state === "failed").length, channels };
          }),
        );
        expect(await given.store.conversations.countCounterparts(agent)).toBe(latest.length);
      }),
      { numRuns: 12 },
    );
  });
});
