import fc from "fast-check";
import { expect, test } from "vitest";
import { onEveryHome } from "./given.ts";

const usage = { input: 10, read: 4, written: 2, output: 3 };

onEveryHome("what an operator of all agents looks at", (given) => {
  const take = async (agent: string, user: string | undefined, channel: string, micros: number, state = "answered") => {
    given.clock.move(1000);
    const scope = { agent, ...(user === undefined ? {} : { user }) };
    const { id } = await given.store.turns.open({ scope, input: "Hello.", channel });
    const spent = { day: given.clock.text().slice(0, 10), receiver: `model-${micros % 2}`, micros, usage };
    await given.store.turns.close(id, { state: state as "answered", reply: null, scope, spent });
    return id;
  };
  const sum = (rows: readonly { readonly micros: number }[]) => rows.reduce((all, { micros }) => all + micros, 0);

  test("what was spent comes to the same by agent, user, model, day, also after someone was erased", async () => {
    const one = fc.record({
      user: fc.constantFrom(undefined, "bo", "cy"),
      channel: fc.constantFrom("web", "telegram"),
      micros: fc.nat(1000),
    });
    const property = fc.asyncProperty(fc.array(one, { maxLength: 8 }), async (turns) => {
      const agent = await given.agent();
      for (const { user, channel, micros } of turns) await take(agent, user, channel, micros);
      const all = turns.reduce((sum, { micros }) => sum + micros, 0);
      const { overview } = given.store;
      const before = await overview.money({ agent });
      for (const group of ["agents", "users", "models", "days", "channels"] as const)
        expect([group, sum(before[group])]).toEqual([group, all]);
      expect(before.turns).toBe(turns.length);
      await given.store.erase({ user: "bo", agent });
      const after = await overview.money({ agent });
      for (const group of ["agents", "users", "models", "days"] as const)
        expect([group, sum(after[group])]).toEqual([group, all]);
      expect(after.users.some(({ name }) => name === "bo")).toBe(false);
    });
    await fc.assert(property, { numRuns: 8 });
  });

  test("a range of days has what was spent on them, the first and the last included", async () => {
    const agent = await given.agent();
    for (const day of ["2026-01-01", "2026-01-02", "2026-01-03"])
      await given.store.spending.add({ agent }, { day, receiver: "m", micros: 5, usage });
    const { days, turns, channels } = await given.store.overview.money({ agent, from: "2026-01-02", to: "2026-01-03" });
    expect(days).toEqual(["2026-01-02", "2026-01-03"].map((name) => ({ name, micros: 5, ...usage })));
    expect([turns, channels]).toEqual([0, []]);
  });

  test("a person is what they come to with every agent, and nothing of them is left when they are erased", async () => {
    const [ada, sol] = [await given.agent(), await given.agent()];
    await take(ada, "eve", "web", 10);
    await take(ada, "eve", "telegram", 20, "failed");
    const first = given.clock.text();
    await take(sol, "eve", "web", 5);
    const last = given.clock.text();
    const { overview } = given.store;
    expect(await overview.person("eve")).toEqual([
      { agent: sol, turns: 1, failed: 0, micros: 5, lastAt: last, channels: ["web"] },
      { agent: ada, turns: 2, failed: 1, micros: 30, lastAt: first, channels: ["telegram", "web"] },
    ]);
    expect((await overview.people(["eve", "nobody"])).get("eve")).toEqual({
      ...{ turns: 3, failed: 1, micros: 35, lastAt: last },
      agents: [ada, sol].sort(),
    });
    await given.store.erase({ user: "eve" });
    expect([await overview.person("eve"), (await overview.people(["eve"])).size]).toEqual([[], 0]);
  });

  test("what failed needs a person, a message nobody answers and a schedule nobody ran", async () => {
    const agent = await given.agent();
    const since = given.clock.text();
    const turn = await take(agent, "dan", "web", 1, "failed");
    const { id: schedule } = await given.store.schedules.add({
      ...{ scope: { agent, user: "dan" }, title: "Digest", input: "Do it." },
      nextAt: "2020-01-01T00:00:00.000Z",
    });
    const needs = await given.store.overview.needs({ since, late: "2020-01-02T00:00:00.000Z", limit: 1000 });
    const own = <Row extends { readonly agent: string }>(rows: readonly Row[]) =>
      rows.filter((one) => one.agent === agent);
    expect(own(needs.failures.rows).map((one) => [one.turn, one.user, one.input])).toEqual([[turn, "dan", "Hello."]]);
    expect(own(needs.lateSchedules.rows).map((one) => [one.id, one.title])).toEqual([[schedule, "Digest"]]);
    expect(own(needs.deadLetters.rows)).toEqual([]);
    expect(await given.store.users.agentsOf("dan")).toEqual([agent]);
    const none = await given.store.overview.needs({
      since: given.clock.text(),
      late: "2019-01-01T00:00:00.000Z",
      limit: 1,
    });
    expect([own(none.failures.rows).length, none.lateSchedules.total]).toEqual([1, 0]);
  });

  test("turns are counted day by day for many agents at once", async () => {
    const [ada, sol] = [await given.agent(), await given.agent()];
    for (const agent of [ada, ada, sol]) await take(agent, undefined, "web", 1);
    const day = given.clock.text().slice(0, 10);
    const found = await given.store.overview.turnsByDay([ada, sol], day);
    expect([found.get(ada)?.get(day), found.get(sol)?.get(day)]).toEqual([2, 1]);
    expect((await given.store.overview.turnsByDay([], day)).size).toBe(0);
  });
});
