import { afterEach, describe, expect, test } from "vitest";
import { planSchedule } from "../../src/channels/scheduled/scheduler.ts";
import { meeting } from "../agent/stage.ts";
import { eventually } from "../eventually.ts";
import { connectAsOwner, queryAsOwner } from "../homes.ts";
import { newScheduled, type ScheduledStage } from "./stage.ts";

let stage: ScheduledStage | undefined;
afterEach(() => stage?.close());

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
