import { expect, test } from "vitest";
import type { ClaimedRun, Run, Store } from "../../../src/store/index.ts";
import { onEveryHome, problemOf } from "./given.ts";

onEveryHome("runs", (given) => {
  const minute = 60_000;
  const inMinutes = (count: number) => new Date(given.clock.now().getTime() + count * minute).toISOString();
  const me = { runner: "me", leaseMs: minute };
  const you = { runner: "you", leaseMs: minute };

  /** Schedules with one run each that is due now, the first the longest. */
  async function due(agent: string, count = 1, about: { maxTries?: number; user?: string } = {}): Promise<Run[]> {
    const { user = "bo", maxTries = 3 } = about;
    const scope = { agent, user };
    for (let index = 0; index < count; index++)
      await given.store.schedules.add({
        scope,
        title: `${index}`,
        input: "Go.",
        nextAt: inMinutes(index - count),
        maxTries: maxTries,
      });
    const plan = ({ nextAt }: { nextAt: string | null }) =>
      ({ runs: [{ dueAt: nextAt as string, state: "waiting" }], nextAt: null }) as const;
    await given.store.schedules.plan(plan);
    return (await given.store.runs.list({ agent, user, state: "waiting" })).reverse();
  }
  const dueOf = async (runs: readonly Run[], isGone?: (runner: string) => boolean) =>
    (await given.store.runs.due({ limit: 1000, ...(isGone ? { isGone } : {}) }))
      .filter(({ id }) => runs.some((run) => run.id === id))
      .map(({ id, tries }) => [runs.findIndex((run) => run.id === id), tries]);
  const take = async (run: Run, taker = me, store: Store = given.store) =>
    (await store.runs.claim(run.id, taker)) as ClaimedRun;

  test("those that are due are told, the longest due first, and each is one worker's", async () => {
    const agent = await given.agent();
    const other = await given.another();
    const runs = await due(agent, 3);
    expect(await dueOf(runs)).toEqual([
      [0, 0],
      [1, 0],
      [2, 0],
    ]);
    const [first] = runs as [Run];
    const from = await given.store.schedules.get(first.schedule);
    const taken = await take(first);
    expect(taken).toEqual({
      ...first,
      state: "running",
      tries: 1,
      nextTryAt: null,
      turn: `${first.id}-run-1`,
      runner: "me",
      startedAt: given.clock.text(),
      from,
      previousTurn: null,
      exhausted: false,
    });
    expect(await take(first, you, other)).toBeUndefined();
    expect(await dueOf(runs)).toEqual([
      [1, 0],
      [2, 0],
    ]);
  });

  test("of many who want a run at once one gets it", async () => {
    const agent = await given.agent();
    const stores = await given.three();
    const runs = await due(agent, 5);
    const got = await Promise.all(
      runs.flatMap((run) => stores.map((store, index) => take(run, { ...me, runner: `w${index}` }, store))),
    );
    expect(
      got
        .filter(Boolean)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(runs.map(({ id }) => id).sort());
  });

  test("an answer is recorded once, with what is sent for it", async () => {
    const agent = await given.agent();
    const [run] = (await due(agent)) as [Run];
    const taken = await take(run);
    const scope = { agent, user: "bo" };
    const dispatches = [{ scope, channel: "telegram", address: "7", body: "Hello.", turn: taken.turn as string }];
    const ended = await given.store.runs.finishTry(taken, { state: "answered", dispatches });
    const { from, previousTurn, exhausted, ...rest } = taken;
    expect(ended).toEqual({ ...rest, state: "answered", runner: null, endedAt: given.clock.text() });
    expect(await given.store.runs.get(run.id)).toEqual(ended);
    expect(await given.store.runs.finishTry(taken, { state: "answered", dispatches })).toBeUndefined();
    expect((await given.store.dispatches.list({ agent })).map(({ body, turn }) => [body, turn])).toEqual([
      ["Hello.", `${run.id}-run-1`],
    ]);
    expect(await dueOf([run])).toEqual([]);
  });

  test("a piece that cannot be written leaves the run as it was", async () => {
    const agent = await given.agent();
    const [run] = (await due(agent)) as [Run];
    const taken = await take(run);
    const dispatches = [{ scope: { agent, user: "bo" }, channel: "", address: "7", body: "Hello." }];
    expect(await problemOf(given.store.runs.finishTry(taken, { state: "answered", dispatches }))).toMatch(
      /^bad-name: /,
    );
    expect(await given.store.runs.get(run.id)).toMatchObject({ state: "running", endedAt: null });
  });

  test("one that failed is tried again then, by anyone, with a turn of its own", async () => {
    const agent = await given.agent();
    const [run] = (await due(agent)) as [Run];
    const taken = await take(run);
    const nextTryAt = inMinutes(2);
    const waits = await given.store.runs.finishTry(taken, {
      state: "waiting",
      reason: "The model was busy.",
      nextTryAt,
    });
    expect(waits).toMatchObject({
      state: "waiting",
      tries: 1,
      nextTryAt,
      reason: "The model was busy.",
      endedAt: null,
    });
    expect([await dueOf([run]), await take(run, you)]).toEqual([[], undefined]);
    given.clock.move(2 * minute);
    expect(await dueOf([run])).toEqual([[0, 1]]);
    expect(await take(run, you)).toMatchObject({
      tries: 2,
      turn: `${run.id}-run-2`,
      previousTurn: `${run.id}-run-1`,
      startedAt: taken.startedAt,
    });
  });

  test("one that failed for good says so in an event", async () => {
    const agent = await given.agent();
    const [run] = (await due(agent)) as [Run];
    const taken = await take(run);
    await given.store.runs.finishTry(taken, { state: "failed", code: "model-busy", reason: "It was busy." });
    expect(await given.store.runs.get(run.id)).toMatchObject({ state: "failed", reason: "It was busy." });
    const { id, schedule, dueAt } = run;
    const detail = { run: id, schedule, dueAt, tries: 1, code: "model-busy" };
    const turn = `${id}-run-1`;
    expect(await given.store.events.list({ agent, user: "bo" })).toMatchObject([{ kind: "run-failed", turn, detail }]);
  });

  test("a worker that is silent for longer than its lease loses its run, and what it says then is not heard", async () => {
    const agent = await given.agent();
    const [run] = (await due(agent)) as [Run];
    const taken = await take(run);
    given.clock.move(minute / 2);
    expect(await given.store.runs.renew(taken, minute)).toBe(true);
    given.clock.move(minute);
    expect([await dueOf([run]), await take(run, you)]).toEqual([[], undefined]);
    given.clock.move(1);
    expect(await dueOf([run])).toEqual([[0, 1]]);
    const again = await take(run, you);
    expect(again).toMatchObject({ tries: 2, previousTurn: taken.turn, exhausted: false });
    expect(await given.store.runs.renew(taken, minute)).toBe(false);
    expect(await given.store.runs.finishTry(taken, { state: "answered" })).toBeUndefined();
    expect(await given.store.runs.get(run.id)).toMatchObject({ state: "running", runner: "you" });
  });

  test("the lease of a worker that is known to be gone is not waited for", async () => {
    const agent = await given.agent();
    const [run] = (await due(agent)) as [Run];
    await take(run);
    const isGone = (runner: string) => runner === "me";
    expect([await dueOf([run]), await dueOf([run], isGone)]).toEqual([[], [[0, 1]]]);
    expect(await given.store.runs.claim(run.id, { ...you, isGone: () => false })).toBeUndefined();
    expect(await given.store.runs.claim(run.id, { ...you, isGone })).toMatchObject({ tries: 2, runner: "you" });
    expect(await given.store.runs.claim(run.id, { ...me, isGone })).toBeUndefined();
  });

  test("when the worker of the last try is gone, there is no other try, but someone to say so", async () => {
    const agent = await given.agent();
    const [run] = (await due(agent, 1, { maxTries: 1 })) as [Run];
    const taken = await take(run);
    given.clock.move(2 * minute);
    const again = await take(run, you);
    expect(again).toMatchObject({ tries: 1, exhausted: true, turn: taken.turn, previousTurn: taken.turn });
    await given.store.runs.finishTry(again, { state: "failed", code: "worker-lost", reason: "Gone." });
    expect(await given.store.runs.finishTry(taken, { state: "answered" })).toBeUndefined();
  });

  test("of one schedule's runs the next waits for the one before it", async () => {
    const agent = await given.agent();
    const scope = { agent, user: "bo" };
    const nextAt = inMinutes(-2);
    await given.store.schedules.add({ scope, title: "q", input: "Go.", nextAt, cron: "* * * * *", overlap: "queue" });
    const both = [nextAt, inMinutes(-1)];
    await given.store.schedules.plan(() => ({
      runs: both.map((dueAt) => ({ dueAt, state: "waiting" })),
      nextAt: null,
    }));
    const runs = (await given.store.runs.list({ agent })).reverse();
    const [first, second] = runs as [Run, Run];
    expect(await dueOf(runs)).toEqual([[0, 0]]);
    expect(await take(second)).toBeUndefined();
    const taken = await take(first);
    expect([await dueOf(runs), await take(second)]).toEqual([[], undefined]);
    await given.store.runs.finishTry(taken, { state: "quiet", reason: null });
    expect(await dueOf(runs)).toEqual([[1, 0]]);
    expect(await take(second)).toMatchObject({ state: "running" });
  });

  test("runs are listed by agent, user, schedule and state, the newest first, and read within a reach", async () => {
    const agent = await given.agent();
    const [first, second] = (await due(agent, 2)) as [Run, Run];
    const [others] = (await due(agent, 1, { user: "cy" })) as [Run];
    const ids = async (about: object) => (await given.store.runs.list({ agent, ...about })).map(({ id }) => id);
    await given.store.runs.finishTry(await take(first), { state: "quiet", reason: "Nothing new." });
    expect(await ids({ user: "bo" })).toEqual([second.id, first.id]);
    expect(await ids({ user: "bo", limit: 1, offset: 1 })).toEqual([first.id]);
    expect(await ids({ user: "cy" })).toEqual([others.id]);
    expect(await ids({ state: "quiet" })).toEqual([first.id]);
    expect(await ids({ schedule: second.schedule })).toEqual([second.id]);
    expect((await given.store.runs.get(first.id, first.scope)).reason).toBe("Nothing new.");
    const unknown = `unknown-run: There is no run “${first.id}” here. Check the id.`;
    expect(await problemOf(given.store.runs.get(first.id, { agent, user: "cy" }))).toBe(unknown);
  });
});
