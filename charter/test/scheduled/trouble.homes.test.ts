import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { planSchedule } from "../../src/channels/scheduled/scheduler.ts";
import type { Host } from "../../src/host/host.ts";
import { Problem } from "../../src/index.ts";
import type { ClaimedRun } from "../../src/store/index.ts";
import { type Doing, hangs, type Line } from "../agent/model.ts";
import { meeting } from "../agent/stage.ts";
import { homes } from "../homes.ts";
import { newScheduled, type ScheduledStage } from "./stage.ts";

const fault: Line = { fault: { code: "model-unreachable", message: "No route to the model.", retry: false } };

describe.each(homes)("what goes wrong with schedules on %s", (home) => {
  let stage: ScheduledStage;
  let day = 0;
  let user = "";
  /** Each test has a user and a day of its own. */
  const next = async (more: Partial<Parameters<ScheduledStage["schedule"]>[0]> = {}) => {
    day += 1;
    user = `user-${day}`;
    stage.time.now = new Date(Date.UTC(2026, 2, day));
    stage.model.say("Fine.");
    await stage.link(user, `${7000 + day}`);
    return stage.schedule({ scope: { agent: "ada", user }, at: clock("08:00"), ...more });
  };
  const clock = (time: string, later = 0) =>
    new Date(
      Date.parse(`2026-03-01T${time.length === 5 ? `${time}:00` : time}Z`) + (day - 1 + later) * 86_400_000,
    ).toISOString();
  const states = async () => (await stage.runs(user)).map(({ state, tries }) => [state, tries]);

  beforeAll(async () => {
    stage = await newScheduled(home);
  });
  afterAll(() => stage.close());

  test("a model that cannot be reached: tried again later and later, then it answers", async () => {
    await next();
    stage.model.say(fault, fault, "At last.");
    expect(await stage.at(clock("08:00"))).toBe(1);
    expect(await stage.runs(user)).toMatchObject([
      {
        state: "waiting",
        tries: 1,
        nextTryAt: clock("08:01"),
        reason: "“test/one” gave no answer: No route to the model.",
        endedAt: null,
      },
    ]);
    expect(await stage.at(clock("08:00:59"))).toBe(0);
    expect(await stage.at(clock("08:01"))).toBe(1);
    expect(await stage.runs(user)).toMatchObject([{ state: "waiting", tries: 2, nextTryAt: clock("08:03") }]);
    expect(await stage.at(clock("08:03"))).toBe(1);
    const [run] = await stage.runs(user);
    expect(run).toMatchObject({ state: "answered", tries: 3, reason: null, turn: `${run?.id}-run-3` });
    expect(await stage.sent(user)).toEqual(["At last."]);
  });

  test("after its last try it has failed: the run says why, an event says so, nothing is sent", async () => {
    await next({ maxTries: 2 });
    stage.model.say(fault);
    await stage.at(clock("08:00"));
    await stage.at(clock("09:00"));
    expect(await stage.at(clock("12:00"))).toBe(0);
    const [run] = await stage.runs(user);
    expect(run).toMatchObject({ state: "failed", tries: 2, nextTryAt: null, endedAt: clock("09:00") });
    expect(await stage.store.events.list({ agent: "ada", user, kind: "run-failed" })).toMatchObject([
      { turn: `${run?.id}-run-2`, detail: { run: run?.id, tries: 2, code: "model-unreachable" } },
    ]);
    expect(await stage.sent(user)).toEqual([]);
  });

  test("what does not get better by itself is not tried again", async () => {
    await next({ channel: "smoke-signals" });
    await stage.at(clock("08:00"));
    expect(await stage.runs(user)).toMatchObject([
      { state: "failed", tries: 1, reason: "There is no channel “smoke-signals”." },
    ]);
  });

  test("a frozen agent's run waits, and happens when it is thawed in time", async () => {
    await next();
    await stage.store.agents.freeze("ada", "agent");
    await stage.at(clock("08:00"));
    expect(await states()).toEqual([["waiting", 1]]);
    await stage.store.agents.thaw("ada");
    await stage.at(clock("08:01"));
    expect(await states()).toEqual([["answered", 2]]);
  });

  /** A worker that takes what is due and does no more than it is told. */
  const deadWorker = async (): Promise<ClaimedRun> => {
    stage.time.now = new Date(clock("08:00"));
    await stage.store.schedules.plan(planSchedule);
    const [run] = await stage.runs(user);
    return (await stage.store.runs.claim(run?.id as string, { runner: "dead", leaseMs: 60_000 })) as ClaimedRun;
  };
  const turnOf = (house: Host, run: ClaimedRun) =>
    house.runTurn({
      agent: "ada",
      user,
      channel: "scheduled",
      session: "none",
      input: run.from.input,
      id: run.turn as string,
    });

  test("answered, and its worker died before it could say so: it is recorded and sent, not asked again", async () => {
    await next({ maxTries: 1 });
    const run = await deadWorker();
    await turnOf(stage.host, run);
    const before = stage.model.requests.length;
    stage.model.say("A second answer.");
    expect(await stage.at(clock("08:00:30"))).toBe(0);
    expect(await stage.at(clock("08:02"))).toBe(1);
    expect(stage.model.requests.length).toBe(before);
    expect(await stage.runs(user)).toMatchObject([{ state: "answered", tries: 1, turn: run.turn }]);
    expect(await stage.sent(user)).toEqual(["Fine."]);
  });

  test("died in the middle of its turn: another tries again, and the dead one's answer comes too late", async () => {
    await next();
    const run = await deadWorker();
    let answer: (line: Line) => void = () => {};
    const slow: Doing = () => new Promise((resolve) => (answer = resolve));
    const { met: began, meet: begin } = meeting();
    stage.model.say((request, asking) => {
      begin();
      return slow(request, asking);
    }, "The second's.");
    const dead = turnOf(await stage.another(), run);
    await began;
    expect(await stage.at(clock("08:02"))).toBe(1);
    answer("The first's, too late.");
    expect(await dead).toMatchObject({ state: "failed", reply: null });
    expect(await stage.store.runs.finishTry(run, { state: "answered" })).toBeUndefined();
    expect(await stage.runs(user)).toMatchObject([{ state: "answered", tries: 2, turn: `${run.id}-run-2` }]);
    expect(await stage.store.turns.get(run.turn as string)).toMatchObject({ state: "interrupted", reply: null });
    expect(await stage.sent(user)).toEqual(["The second's."]);
  });

  test("a store that kept the answer and went away before it could say so: the run is answered, not failed", async () => {
    await next({ maxTries: 1 });
    const runTurn: Host["runTurn"] = async (...asked) => {
      await stage.host.runTurn(...asked);
      throw new Problem("store-unreachable", "PostgreSQL went away.", "Look before you repeat it.");
    };
    const worker = await stage.worker({ host: { ...stage.host, runTurn } });
    stage.time.now = new Date(clock("08:00"));
    expect(await worker.tick()).toBe(1);
    expect(await states()).toEqual([["answered", 1]]);
    expect(await stage.sent(user)).toEqual(["Fine."]);
  });

  test("died in its only try: it is not tried again, and that is reported", async () => {
    await next({ maxTries: 1 });
    await deadWorker();
    const before = stage.model.requests.length;
    await stage.at(clock("08:02"));
    expect(stage.model.requests.length).toBe(before);
    expect(await stage.runs(user)).toMatchObject([
      { state: "failed", tries: 1, reason: "The worker that ran it did not come back, and it was its last try." },
    ]);
    expect(await stage.store.events.list({ agent: "ada", user, kind: "run-failed" })).toMatchObject([
      { detail: { code: "worker-lost" } },
    ]);
  });

  test("a worker that is told to stop finishes what runs; what takes too long is left to others at once", async () => {
    await next();
    const { met: began, meet: begin } = meeting();
    stage.model.say(hangs(begin), "Finished by another.");
    const other = await stage.worker();
    stage.time.now = new Date(clock("08:00"));
    await other.start();
    await began;
    await other.stop(0);
    expect(await stage.runs(user)).toMatchObject([{ state: "waiting", tries: 1, nextTryAt: clock("08:00") }]);
    expect(await stage.at(clock("08:00:01"))).toBe(1);
    expect(await states()).toEqual([["answered", 2]]);
  });

  test("a store that fails under a worker is trouble that is told, and does not end it", async () => {
    await next();
    const host: Host = { ...stage.host, store: { ...stage.store, runs: { ...stage.store.runs, due } } };
    let failures = 0;
    async function due(...about: Parameters<typeof stage.store.runs.due>) {
      if (failures++ < 2) throw Object.assign(new Error("someone's words"), { code: "EIO" });
      return stage.store.runs.due(...about);
    }
    stage.time.now = new Date(clock("08:00"));
    const { met: ended, meet: end } = meeting();
    const told: object[] = [];
    const worker = await stage.worker({
      host,
      pollMs: 5,
      on: (event) => {
        told.push(event);
        if (event.kind === "run-end") end();
      },
    });
    await worker.start();
    await ended;
    await worker.stop();
    expect(await states()).toEqual([["answered", 1]]);
    expect(told.filter((event) => "kind" in event && event.kind === "trouble")).toEqual([
      { kind: "trouble", code: "EIO", reason: "An unexpected Error." },
      { kind: "trouble", code: "EIO", reason: "An unexpected Error." },
    ]);
  });
});
