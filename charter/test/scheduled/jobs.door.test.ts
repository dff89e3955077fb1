import { afterEach, describe, expect, test } from "vitest";
import { planSchedule } from "../../src/channels/scheduled/plan.ts";
import type { Scheduler } from "../../src/channels/scheduled/scheduler.ts";
import type { SchedulerEvent } from "../../src/channels/scheduled/scheduler-event.ts";
import { meeting } from "../agent/stage.ts";
import { eventually } from "../eventually.ts";
import { connectAsOwner, homes, queryAsOwner, whole } from "../homes.ts";
import { newScheduled, type ScheduledStage } from "./stage.ts";

let stage: ScheduledStage | undefined;
afterEach(() => stage?.close());

const count = whole ? 30 : 12;

/** So many users with something due at eight. */
async function dueForMany({ schedule, time }: ScheduledStage): Promise<void> {
  for (let index = 0; index < count; index++)
    await schedule({
      scope: { agent: "ada", user: `user-${index}` },
      input: `Do ${index}.`,
      at: "2026-02-19T08:00:00Z",
    });
  time.now = new Date("2026-02-19T08:00:00Z");
}

describe.each(homes)("workers on %s", (home) => {
  test("three share the work: each run happens once, and everyone does some", async () => {
    stage = await newScheduled(home, { concurrency: 2 });
    const told = [0, 1, 2].map((): SchedulerEvent[] => []);
    const workers = await Promise.all(told.map((events) => stage?.worker({ on: (event) => events.push(event) })));
    for (const worker of workers) expect(await worker?.tick()).toBe(0);
    await dueForMany(stage);
    await stage.store.schedules.plan(planSchedule);
    const tried = await Promise.all((workers as Scheduler[]).map((worker) => worker.tick()));
    const ended = told.map((events) => events.filter(({ kind }) => kind === "run-end"));
    expect(ended.flat().map((event) => "state" in event && event.state)).toEqual(Array(count).fill("answered"));
    expect(tried.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(count);
    expect(ended.every((events) => events.length > 0)).toBe(true);
    const asked = stage.model.requests.map((request) => /Do \d+\./.exec(JSON.stringify(request.messages))?.[0]);
    expect(asked.sort()).toEqual(Array.from({ length: count }, (_, index) => `Do ${index}.`).sort());
  });

  test("one that is always there does what is due by itself, as soon as there is room", async () => {
    stage = await newScheduled(home, { concurrency: 2, pollMs: 50 });
    await dueForMany(stage);
    let most = 0;
    let left = count;
    const { met: all, meet: done } = meeting();
    const going = new Set<string>();
    const worker = await stage.worker({
      on: (event) => {
        if (event.kind === "run-start") going.add(event.run);
        most = Math.max(most, going.size);
        if (event.kind !== "run-end") return;
        going.delete(event.run);
        left -= 1;
        if (left === 0) done();
      },
    });
    await worker.start();
    await worker.start();
    await all;
    await worker.stop();
    expect(most).toBe(2);
    expect(await stage.store.runs.list({ agent: "ada", state: "answered", limit: 1000 })).toHaveLength(count);
  });
});

describe("jobs on PostgreSQL", () => {
  const inDatabase = <Row extends object>(words: string, url = stage?.url as string) => queryAsOwner<Row>(url, words);

  test("a job holds the id of its run, and nothing else; each try is one job however often it is offered", async () => {
    stage = await newScheduled("postgres");
    await stage.schedule({ at: "2026-02-19T08:00:00Z", title: "Private", input: "Very private." });
    const jobs = await stage.store.home.jobs(() => {});
    const other = await stage.store.home.jobs(() => {});
    const run = { id: "some-run", tries: 0 };
    await jobs.offer([]);
    await Promise.all([jobs.offer([run]), other.offer([run]), jobs.offer([run])]);
    const [mine, theirs] = [await jobs.claim(5), await other.claim(5)];
    expect([mine.map((job) => job.run), theirs]).toEqual([["some-run"], []]);
    await other.offer([run]);
    expect(await other.claim(5)).toEqual([]);
    await mine[0]?.complete();
    await other.offer([{ ...run, tries: 1 }]);
    expect((await other.claim(5)).map((job) => job.run)).toEqual(["some-run"]);
    await stage.at("2026-02-19T08:00:00Z");
    const [ran] = await stage.runs();
    const all = await inDatabase<{ data: object; key: string }>("select data, singleton_key as key from pgboss.job");
    expect(all.map(({ data, key }) => [data, key]).sort()).toEqual(
      [
        [{ run: "some-run" }, "some-run/0"],
        [{ run: "some-run" }, "some-run/1"],
        [{ run: ran?.id }, `${ran?.id}/0`],
      ].sort(),
    );
    await jobs.close();
    await other.close();
  });

  test("however many jobs are asked for at once, a connection stays free for what has to be done besides", async () => {
    stage = await newScheduled("postgres");
    const jobs = await stage.store.home.jobs(() => {});
    const takes = () => Promise.all(Array.from({ length: 5 }, () => jobs.claim(1)));
    await takes();
    const taking = `select count(*)::int as count from pg_stat_activity where application_name = 'charter-jobs'
      and datname = current_database() and wait_event_type = 'Lock' and query like '%FOR UPDATE OF j SKIP LOCKED%' and query not like '%locked_parents%'`;
    const owner = await connectAsOwner(stage.url);
    // One table, not pgboss.job and its parts: two locks in a row could meet pg-boss's own, the other way round.
    await owner.query("begin; lock table pgboss.job_common in access exclusive mode");
    const waiting = takes();
    const counted = async () => (await inDatabase<{ count: number }>(taking))[0]?.count;
    await eventually(async () => ((await counted()) ?? 0) >= 2);
    expect(await counted()).toBe(2);
    await owner.query("rollback");
    await owner.end();
    expect(await waiting).toEqual([[], [], [], [], []]);
    await jobs.close();
  });

  test("a worker that died with a job in its hands, before it took the run: the job is given to another", async () => {
    stage = await newScheduled("postgres");
    await stage.schedule({ at: "2026-02-19T08:00:00Z" });
    const dead = await stage.store.home.jobs(() => {});
    stage.time.now = new Date("2026-02-19T08:00:00Z");
    await stage.store.schedules.plan(planSchedule);
    const [run] = await stage.runs();
    await dead.offer([{ id: run?.id as string, tries: 0 }]);
    expect(await dead.claim(1)).toHaveLength(1);
    expect(await stage.scheduling.tick()).toBe(0);
    await inDatabase("update pgboss.job set heartbeat_on = now() - interval '31 seconds'");
    const { PgBoss } = await import("pg-boss");
    const boss = new PgBoss(stage.url);
    await boss.start();
    await boss.supervise("charter-runs");
    await boss.stop({ graceful: false });
    expect(await stage.scheduling.tick()).toBe(1);
    expect(await stage.runs()).toMatchObject([{ state: "answered", tries: 1 }]);
    await dead.close();
  });

  test("a database that goes away and comes back: the worker is still there, and does what was due", async () => {
    stage = await newScheduled("postgres", { pollMs: 20 });
    await stage.schedule({ at: "2026-02-19T08:00:00Z" });
    let troubles = 0;
    const { met: troubled, meet: notice } = meeting();
    const { met: ended, meet: end } = meeting();
    const worker = await stage.worker({
      on: (event) => {
        if (event.kind === "trouble" && ++troubles === 3) notice();
        if (event.kind === "run-end") end();
      },
    });
    await worker.start();
    const name = new URL(stage.url).pathname.slice(1);
    const server = stage.url.replace(/\/[^/]*$/, "/postgres");
    const allow = (whether: boolean) => inDatabase(`alter database ${name} with allow_connections ${whether}`, server);
    await allow(false);
    await inDatabase(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`, server);
    await troubled;
    await allow(true);
    stage.time.now = new Date("2026-02-19T08:00:00Z");
    await ended;
    await worker.stop();
    expect(await stage.runs()).toMatchObject([{ state: "answered" }]);
  });
});
