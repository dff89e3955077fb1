import { expect, test } from "vitest";
import { onEveryHome, problemOf } from "./given.ts";

const usage = { input: 10, read: 4, written: 2, output: 3 };
const day = "2026-02-18";
const nothing = { micros: 0, input: 0, read: 0, written: 0, output: 0 };

onEveryHome("spending", (given) => {
  test("adds up for each user, and for the agent as a whole, day by day", async () => {
    const agent = await given.agent();
    const { add, of } = given.store.spending;
    expect(await of({ agent, user: "bo", day })).toEqual({ user: nothing, agent: nothing });
    await add({ agent, user: "bo" }, { day, receiver: "m1", micros: 100, usage });
    await add({ agent, user: "bo" }, { day, receiver: "m1", micros: 50, usage });
    await add(
      { agent, user: "bo" },
      { day, receiver: "m2", micros: 1, usage: { ...usage, read: null, written: null } },
    );
    await add({ agent, user: "cy" }, { day, receiver: "m1", micros: 1000, usage });
    await add({ agent }, { day, receiver: "m1", micros: 5, usage });
    await add({ agent, user: "bo" }, { day: "2026-02-19", receiver: "m1", micros: 9, usage });
    await add(await given.scope(), { day, receiver: "m1", micros: 7, usage });
    const all = { micros: 1156, input: 50, read: 16, written: 8, output: 15 };
    expect(await of({ agent, user: "bo", day })).toEqual({
      user: { micros: 151, input: 30, read: 8, written: 4, output: 9 },
      agent: all,
    });
    expect(await of({ agent, day })).toEqual({ user: { micros: 5, ...usage }, agent: all });
    expect(await of({ agent, user: "di", day })).toEqual({ user: nothing, agent: all });
    const next = { micros: 9, ...usage };
    expect(await of({ agent, user: "bo", day: "2026-02-19" })).toEqual({ user: next, agent: next });
  });

  test("is summed over a range of days, by day and by model, with the turns that started in it", async () => {
    const agent = await given.agent();
    const { add, sums } = given.store.spending;
    await add({ agent, user: "bo" }, { day: "2026-02-17", receiver: "m1", micros: 100, usage });
    await add({ agent, user: "bo" }, { day, receiver: "m1", micros: 50, usage });
    await add({ agent, user: "cy" }, { day, receiver: "m2", micros: 7, usage });
    await add({ agent }, { day: "2026-02-20", receiver: "m1", micros: 1, usage });
    await add(await given.scope(), { day, receiver: "m1", micros: 9, usage });
    expect(given.clock.text().slice(0, 10)).toBe(day);
    for (const user of ["bo", "bo", "cy"]) await given.store.turns.open({ scope: { agent, user }, input: "Hello." });
    const zero = { turns: 0, priced: 0 };
    const twice = { input: 20, read: 8, written: 4, output: 6 };
    expect(await sums({ agent, from: "2026-02-18", to: "2026-02-19" })).toEqual({
      days: [{ day, turns: 3, priced: 0, micros: 57, ...twice }],
      models: [
        { model: "m1", micros: 50, ...usage },
        { model: "m2", micros: 7, ...usage },
      ],
    });
    expect(await sums({ agent, user: "bo", to: "2026-02-18" })).toEqual({
      days: [
        { day: "2026-02-17", ...zero, micros: 100, ...usage },
        { day, turns: 2, priced: 0, micros: 50, ...usage },
      ],
      models: [{ model: "m1", micros: 150, ...twice }],
    });
    const turnsOf = async (range: { readonly user?: string; readonly from?: string; readonly to?: string }) =>
      (await sums({ agent, ...range })).days.reduce((sum, { turns }) => sum + turns, 0);
    expect(await turnsOf({})).toBe(3);
    expect(await turnsOf({ user: "cy", from: day, to: day })).toBe(1);
    expect(await turnsOf({ to: "2026-02-17" })).toBe(0);
    expect(await turnsOf({ from: "2026-02-19" })).toBe(0);
  });

  test("of many at once nothing is lost, and sums may be large", async () => {
    const scope = await given.scope();
    const stores = [given.store, await given.another()];
    const micros = 2_000_000_000_000;
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        stores[index % 2]?.spending.add(scope, { day, receiver: `m${index % 3}`, micros, usage }),
      ),
    );
    const { user } = await given.store.spending.of({ ...scope, day });
    expect(user).toEqual({ micros: 20 * micros, input: 200, read: 80, written: 40, output: 60 });
  });

  test("what was spent for a user who is erased is nobody's, and still the agent's: no limit is won by it", async () => {
    const agent = await given.agent();
    const { add, of } = given.store.spending;
    const user = `spender-${given.name}`;
    for (const receiver of ["m1", "m2"]) await add({ agent, user }, { day, receiver, micros: 100, usage });
    await add({ agent }, { day, receiver: "m1", micros: 5, usage });
    const before = (await of({ agent, day })).agent;
    await given.store.erase({ user });
    expect(await of({ agent, user, day })).toEqual({ user: nothing, agent: before });
    expect(await of({ agent, day })).toEqual({ user: before, agent: before });
    expect((await given.store.erasable({ user })).rows.spending).toBeUndefined();
  });

  test("what cannot be spent is refused, and so is what nobody spends", async () => {
    const scope = await given.scope();
    const good = { day, receiver: "m1", micros: 1, usage };
    const hint = "Give a day as in 2026-02-18, and whole numbers from 0 up: millionths of a dollar, and tokens.";
    for (const bad of [
      { ...good, micros: 0.5 },
      { ...good, micros: -1 },
      { ...good, day: "today" },
      { ...good, usage: { ...usage, output: 1.5 } },
    ])
      expect(await problemOf(given.store.spending.add(scope, bad))).toBe(
        `bad-spending: ${JSON.stringify(bad)} is nothing that can be spent. ${hint}`,
      );
    expect(await problemOf(given.store.spending.add(scope, { ...good, receiver: "" }))).toMatch(/^bad-name: /);
    expect(await problemOf(given.store.spending.add({ agent: "nobody" }, good))).toMatch(/^unknown-agent: /);
    expect(await given.store.spending.of({ ...scope, day })).toEqual({ user: nothing, agent: nothing });
  });
});
