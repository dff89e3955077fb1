import { expect, test } from "vitest";
import { onEveryHome, problemOf } from "./given.ts";

onEveryHome("schedules", (given) => {
  const minute = 60_000;
  const inMinutes = (count: number) => new Date(given.clock.now().getTime() + count * minute).toISOString();
  const add = (agent: string, title: string, nextAt: string, user = "bo") =>
    given.store.schedules.add({ scope: { agent, user }, title, input: `Do ${title}.`, nextAt });
  /** Those that are due, of one agent; the others are put back by nobody, so every test has an agent of its own. */
  const due = async (agent: string, store = given.store) =>
    (await store.schedules.due({ limit: 1000, leaseMs: 5 * minute }))
      .filter(({ scope }) => scope.agent === agent)
      .map(({ title }) => title);

  test("a schedule is kept with when it is next, whatever zone that was told in", async () => {
    const agent = await given.agent();
    const scope = { agent, user: "bo" };
    const schedule = await given.store.schedules.add({
      scope,
      title: "Digest",
      input: "Write the digest.",
      nextAt: "2031-01-01T09:00:00+01:00",
      cron: "0 9 * * *",
      zone: "Europe/Berlin",
      channel: "mail",
    });
    expect(schedule).toEqual({
      id: expect.any(String),
      scope,
      title: "Digest",
      cron: "0 9 * * *",
      zone: "Europe/Berlin",
      input: "Write the digest.",
      channel: "mail",
      nextAt: "2031-01-01T08:00:00.000Z",
      lastAt: null,
      endedAt: null,
    });
    const once = await add(agent, "Once", "2030-01-01T00:00:00Z");
    expect(once).toMatchObject({ cron: null, zone: null, channel: "scheduled" });
    expect(await given.store.schedules.list({ agent })).toEqual([once, schedule]);
    expect(await given.store.schedules.list({ agent, limit: 1, offset: 1 })).toEqual([schedule]);
    expect(await given.store.schedules.list({ agent, user: "cy" })).toEqual([]);
  });

  test("one whose time has come is one process's until it ran, or its lease is over", async () => {
    const agent = await given.agent();
    const other = await given.another();
    await add(agent, "later", inMinutes(60));
    await add(agent, "second", inMinutes(2));
    await add(agent, "first", inMinutes(1));
    expect(await due(agent)).toEqual([]);
    given.clock.move(2 * minute);
    const [one, two] = [await due(agent), await due(agent, other)];
    expect([one, two]).toEqual([["first", "second"], []]);
    given.clock.move(4 * minute);
    expect(await due(agent, other)).toEqual([]);
    given.clock.move(2 * minute);
    expect(await due(agent, other)).toEqual(["first", "second"]);
  });

  test("of many who ask at once each schedule is one's", async () => {
    const agent = await given.agent();
    const stores = [given.store, await given.another(), await given.another()];
    for (let index = 0; index < 20; index++) await add(agent, `${index}`, inMinutes(-1));
    const all = await Promise.all(Array.from({ length: 9 }, (_, index) => due(agent, stores[index % 3])));
    expect(all.flat().sort()).toEqual(Array.from({ length: 20 }, (_, index) => `${index}`).sort());
  });

  test("it ran: it comes again at its next time, or is over", async () => {
    const agent = await given.agent();
    const { schedules } = given.store;
    const again = await add(agent, "again", inMinutes(-1));
    const over = await add(agent, "over", inMinutes(-1));
    expect(await due(agent)).toEqual(["again", "over"]);
    const lastAt = given.clock.text();
    const nextAt = inMinutes(10);
    await schedules.ran(again.id, nextAt.replace("Z", "+00:00"));
    await schedules.ran(over.id, null);
    expect(await schedules.list({ agent })).toEqual([{ ...again, lastAt, nextAt }]);
    expect(await due(agent)).toEqual([]);
    given.clock.move(10 * minute);
    expect(await due(agent)).toEqual(["again"]);
  });

  test("cancelled, it is over, and stays so when it was running at the time", async () => {
    const agent = await given.agent();
    const { schedules } = given.store;
    const { id, scope } = await add(agent, "mine", inMinutes(-1));
    expect(await due(agent)).toEqual(["mine"]);
    const unknown = `unknown-schedule: There is no schedule “${id}” here. Check the id.`;
    expect(await problemOf(schedules.cancel({ agent, user: "cy" }, id))).toBe(unknown);
    expect(await problemOf(schedules.cancel({ agent }, id))).toBe(unknown);
    await schedules.cancel(scope, id);
    expect(await problemOf(schedules.cancel(scope, id))).toBe(unknown);
    await schedules.ran(id, inMinutes(1));
    given.clock.move(60 * minute);
    expect(await schedules.list({ agent })).toEqual([]);
    expect(await due(agent)).toEqual([]);
  });

  test("a time that is none, and an agent that is none, are problems", async () => {
    const agent = await given.agent();
    const bad = "bad-time: “soon” is no time. Give an ISO 8601 time, as in 2026-02-18T15:04:00Z.";
    expect(await problemOf(add(agent, "x", "soon"))).toBe(bad);
    const { id } = await add(agent, "x", inMinutes(1));
    expect(await problemOf(given.store.schedules.ran(id, "soon"))).toBe(bad);
    expect(await problemOf(add("nobody", "x", inMinutes(1)))).toBe(
      "unknown-agent: There is no agent “nobody”. See them with `charter agents`.",
    );
  });
});
