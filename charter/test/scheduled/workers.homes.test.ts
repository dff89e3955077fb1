import { afterEach, describe, expect, test } from "vitest";
import { planSchedule, type Scheduler, type SchedulerEvent } from "../../src/channels/scheduled/scheduler.ts";
import { meeting } from "../agent/stage.ts";
import { homes } from "../homes.ts";
import { newScheduled, type ScheduledStage } from "./stage.ts";

let stage: ScheduledStage | undefined;
afterEach(() => stage?.close());

const count = 12;

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
