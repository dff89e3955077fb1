import { expect, test } from "vitest";
import type { Run, SchedulePlanner, Store } from "../../../src/store/index.ts";
import { onEveryHome, problemOf } from "./given.ts";

onEveryHome("schedules", (given) => {
  const minute = 60_000;
  const inMinutes = (count: number) => new Date(given.clock.now().getTime() + count * minute).toISOString();
  const add = (
    agent: string,
    title: string,
    nextAt: string,
    more: { user?: string; cron?: string; zone?: string } = {},
  ) => {
    const { user = "bo", ...rest } = more;
    return given.store.schedules.add({ scope: { agent, user }, title, input: `Do ${title}.`, nextAt, ...rest });
  };
  /** Every due one runs; those with a cron line come again in an hour. */
  const hourly: SchedulePlanner = ({ nextAt, cron }) => ({
    runs: [{ dueAt: nextAt as string, state: "waiting" }],
    nextAt: cron === null ? null : inMinutes(60),
  });
  const plan = (store: Store = given.store, how: SchedulePlanner = hourly, zone?: string) =>
    store.schedules.plan(how, { limit: 1000, ...(zone === undefined ? {} : { zone }) });
  const runsOf = async (agent: string) => (await given.store.runs.list({ agent, limit: 1000 })).reverse();

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
      missed: "skip",
      overlap: "queue",
      maxTries: 5,
    });
    expect(schedule).toEqual({
      id: expect.any(String),
      scope,
      title: "Digest",
      cron: "0 9 * * *",
      zone: "Europe/Berlin",
      input: "Write the digest.",
      channel: "mail",
      missed: "skip",
      overlap: "queue",
      maxTries: 5,
      nextAt: "2031-01-01T08:00:00.000Z",
      lastAt: null,
      endedAt: null,
      tainted: false,
    });
    const once = await add(agent, "Once", "2030-01-01T00:00:00Z");
    const usual = { cron: null, zone: null, channel: "scheduled", missed: "once", overlap: "skip", maxTries: 3 };
    expect(once).toMatchObject(usual);
    expect(await given.store.schedules.list({ agent })).toEqual([once, schedule]);
    expect(await given.store.schedules.list({ agent, limit: 1, offset: 1 })).toEqual([schedule]);
    expect(await given.store.schedules.list({ agent, user: "cy" })).toEqual([]);
    expect(await given.store.schedules.get(schedule.id)).toEqual(schedule);
    expect(await given.store.schedules.get(schedule.id, scope)).toEqual(schedule);
    expect(await problemOf(given.store.schedules.get(schedule.id, { agent, user: "cy" }))).toBe(
      `unknown-schedule: There is no schedule “${schedule.id}” here. Check the id.`,
    );
  });

  test("those whose time has come are planned: a run is written, the next time is set", async () => {
    const agent = await given.agent();
    const later = await add(agent, "later", inMinutes(60));
    const again = await add(agent, "again", inMinutes(2), { cron: "0 * * * *", zone: "UTC" });
    const once = await add(agent, "once", inMinutes(1));
    expect(await plan()).toBe(0);
    given.clock.move(2 * minute);
    const at = given.clock.text();
    expect(await plan()).toBe(2);
    const run = { id: expect.any(String), scope: again.scope, state: "waiting", tries: 0, nextTryAt: at };
    const fresh = { turn: null, reason: null, runner: null, startedAt: null, endedAt: null };
    expect(await runsOf(agent)).toEqual([
      { ...run, ...fresh, schedule: once.id, dueAt: once.nextAt },
      { ...run, ...fresh, schedule: again.id, dueAt: again.nextAt },
    ]);
    const next = { ...again, lastAt: again.nextAt, nextAt: inMinutes(60) };
    expect(await given.store.schedules.list({ agent })).toEqual([later, next]);
    expect(await given.store.schedules.get(once.id)).toEqual({
      ...once,
      lastAt: once.nextAt,
      nextAt: null,
      endedAt: at,
    });
    expect(await plan()).toBe(0);
  });

  test("of many who plan at once each schedule is one's, and each time has one run", async () => {
    const agent = await given.agent();
    const stores = await given.three();
    const due = inMinutes(-1);
    for (let index = 0; index < 20; index++) await add(agent, `${index}`, due);
    const all = await Promise.all(Array.from({ length: 9 }, (_, index) => plan(stores[index % 3])));
    expect(all.reduce((sum, count) => sum + count, 0)).toBe(20);
    const schedules = (await runsOf(agent)).map(({ schedule }) => schedule);
    expect([schedules.length, new Set(schedules).size]).toEqual([20, 20]);
  });

  test("a time that has a run gets no second one", async () => {
    const agent = await given.agent();
    const { id } = await add(agent, "x", inMinutes(-1), { cron: "* * * * *" });
    const same: SchedulePlanner = ({ nextAt }) => ({
      runs: [{ dueAt: nextAt as string, state: "waiting" }],
      nextAt,
    });
    await plan(given.store, same);
    await plan(given.store, same);
    expect((await runsOf(agent)).map(({ schedule }) => schedule)).toEqual([id]);
    await given.store.schedules.cancel({ agent, user: "bo" }, id);
  });

  test("what was missed or skipped is kept with its reason, and an event tells of it", async () => {
    const agent = await given.agent();
    const [one, two, three] = [inMinutes(-3), inMinutes(-2), inMinutes(-1)];
    const { id, scope } = await add(agent, "x", one);
    const runs = [
      { dueAt: one, state: "missed", reason: "Nobody ran." },
      { dueAt: two, state: "missed", reason: "Nobody ran." },
      { dueAt: three, state: "skipped", reason: "Another was going." },
    ] as const;
    await plan(given.store, () => ({ runs, unlisted: true, nextAt: null }));
    const over = { nextTryAt: null, endedAt: given.clock.text() };
    expect(await runsOf(agent)).toMatchObject(runs.map((run) => ({ ...run, ...over })));
    expect(
      (await given.store.events.list({ agent, user: "bo" })).map(({ scope, kind, detail }) => ({
        scope,
        kind,
        detail,
      })),
    ).toEqual([
      { scope, kind: "run-skipped", detail: { schedule: id, count: 1, from: three, to: three } },
      { scope, kind: "run-missed", detail: { schedule: id, count: 2, from: one, to: two, andBefore: true } },
    ]);
    expect(await given.store.runs.list({ agent, state: "waiting" })).toEqual([]);
  });

  test("whoever plans is told the zone that holds, and since when a run is open", async () => {
    const agent = await given.agent();
    const eva = `${agent}-eva`;
    await given.store.agents.put({ name: eva, charter: "test", settings: { zone: "Asia/Tokyo" } });
    const user = `${agent}-user`;
    await given.store.users.put({ id: user, zone: "Europe/Berlin" });
    const told: [string, string, string | null][] = [];
    const tell: SchedulePlanner = (schedule, { zone, openSince }) => {
      told.push([schedule.title, zone, openSince]);
      return { runs: [{ dueAt: schedule.nextAt as string, state: "waiting" }], nextAt: null };
    };
    const due = inMinutes(-1);
    const cron = "0 * * * *";
    await add(agent, "own", due, { user, cron, zone: "America/New_York" });
    await add(agent, "the user's", due, { user, cron });
    await add(eva, "the agent's", due, { user: "nobody-known", cron });
    const last = await add(agent, "the usual", due, { user: "nobody-known", cron });
    await plan(given.store, tell, "Asia/Kolkata");
    expect(told.sort()).toEqual([
      ["own", "America/New_York", null],
      ["the agent's", "Asia/Tokyo", null],
      ["the user's", "Europe/Berlin", null],
      ["the usual", "Asia/Kolkata", null],
    ]);
    expect((await given.store.schedules.get(last.id)).endedAt).toBe(given.clock.text());
  });

  test("a run that is open is told to whoever plans the next", async () => {
    const agent = await given.agent();
    const first = inMinutes(-1);
    await add(agent, "x", first, { cron: "0 * * * *" });
    const told: (string | null)[] = [];
    const tell: SchedulePlanner = ({ nextAt }, { openSince }) => {
      told.push(openSince);
      return {
        runs: [{ dueAt: nextAt as string, state: "waiting" }],
        nextAt: told.length < 3 ? inMinutes(told.length) : null,
      };
    };
    await plan(given.store, tell);
    for (let count = 0; count < 2; count++) {
      given.clock.move(2 * minute);
      await plan(given.store, tell);
    }
    expect(told).toEqual([null, first, first]);
  });

  test("cancelled, it is over: what waits does not run any more", async () => {
    const agent = await given.agent();
    const { schedules, runs } = given.store;
    const { id, scope } = await add(agent, "mine", inMinutes(-1), { cron: "0 * * * *" });
    await plan();
    const unknown = `unknown-schedule: There is no schedule “${id}” here. Check the id.`;
    expect(await problemOf(schedules.cancel({ agent, user: "cy" }, id))).toBe(unknown);
    expect(await problemOf(schedules.cancel({ agent }, id))).toBe(unknown);
    await schedules.cancel(scope, id);
    expect(await problemOf(schedules.cancel(scope, id))).toBe(unknown);
    expect(await runs.list({ agent })).toMatchObject([
      { state: "skipped", reason: "The schedule was cancelled.", nextTryAt: null, endedAt: given.clock.text() },
    ]);
    given.clock.move(90 * minute);
    await plan();
    expect((await runs.list({ agent })).length).toBe(1);
    expect(await schedules.list({ agent })).toEqual([]);
    expect((await schedules.get(id)).endedAt).not.toBeNull();
  });

  test("a reminder that is planned and not yet tried can still be cancelled", async () => {
    const agent = await given.agent();
    const { id, scope } = await add(agent, "once", inMinutes(-1));
    await plan();
    await given.store.schedules.cancel(scope, id);
    const [run] = (await runsOf(agent)) as [Run];
    expect(run.state).toBe("skipped");
    expect(await given.store.runs.claim(run.id, { runner: "me", leaseMs: minute })).toBeUndefined();
  });

  test("when a user moves, what has no zone of its own moves with them", async () => {
    const agent = await given.agent();
    const user = `${agent}-mover`;
    const cron = "0 8 * * *";
    const nextAt = inMinutes(600);
    const theirs = await add(agent, "theirs", nextAt, { user, cron });
    const own = await add(agent, "own", nextAt, { user, cron, zone: "Asia/Kolkata" });
    const once = await add(agent, "once", nextAt, { user });
    const others = await add(agent, "others", nextAt, { user: "someone-else", cron });
    const asked: { cron: string; zone: string }[] = [];
    const next = ({ cron, zone }: { cron: string; zone: string }) => {
      asked.push({ cron, zone });
      return inMinutes(zone === "Europe/Berlin" ? 300 : 400);
    };
    const move = () => given.store.schedules.followZones(next, { user });
    // Nobody has said yet in which zone it was worked out.
    expect([await move(), await move(), asked.splice(0)]).toEqual([1, 0, [{ cron, zone: "UTC" }]]);
    await given.store.users.put({ id: user, zone: "Europe/Berlin" });
    expect([await move(), await move(), asked]).toEqual([1, 0, [{ cron, zone: "Europe/Berlin" }]]);
    expect((await given.store.schedules.get(theirs.id)).nextAt).toBe(inMinutes(300));
    for (const { id } of [own, once, others]) expect((await given.store.schedules.get(id)).nextAt).toBe(nextAt);
  });

  test("a line nobody understands keeps no other from moving, and is looked at once", async () => {
    const agent = await given.agent();
    const user = `${agent}-odd`;
    const odd = await add(agent, "odd", inMinutes(600), { user, cron: "every now and then" });
    const sound = await add(agent, "sound", inMinutes(600), { user, cron: "0 8 * * *" });
    const asked: string[] = [];
    const next = ({ cron }: { cron: string }) => {
      asked.push(cron);
      if (cron !== "0 8 * * *") throw new TypeError("CronPattern: no such thing");
      return inMinutes(300);
    };
    await given.store.schedules.followZones(next, { user });
    expect((await given.store.schedules.get(sound.id)).nextAt).toBe(inMinutes(300));
    expect(await given.store.schedules.get(odd.id)).toEqual(odd);
    asked.length = 0;
    expect([await given.store.schedules.followZones(next, { user }), asked]).toEqual([0, []]);
  });

  test("what is due already is run first, and moves afterwards", async () => {
    const agent = await given.agent();
    const user = `${agent}-late`;
    const { id, nextAt } = await add(agent, "x", inMinutes(-1), { user, cron: "0 8 * * *" });
    await given.store.users.put({ id: user, zone: "Asia/Tokyo" });
    expect(await given.store.schedules.followZones(() => inMinutes(300), { user })).toBe(0);
    await plan();
    expect((await runsOf(agent)).map(({ dueAt }) => dueAt)).toEqual([nextAt]);
    expect(await given.store.schedules.followZones(() => inMinutes(300), { user })).toBe(0);
    expect((await given.store.schedules.get(id)).nextAt).toBe(inMinutes(60));
  });

  test("a time that is none, and an agent that is none, are problems", async () => {
    const agent = await given.agent();
    const bad = "bad-time: “soon” is no time. Give an ISO 8601 time, as in 2026-02-18T15:04:00Z.";
    expect(await problemOf(add(agent, "x", "soon"))).toBe(bad);
    expect(await problemOf(add("nobody", "x", inMinutes(1)))).toBe(
      "unknown-agent: There is no agent “nobody”. See them with `charter agents`.",
    );
  });
});
