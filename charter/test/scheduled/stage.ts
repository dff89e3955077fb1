import {
  createScheduler,
  type Scheduler,
  type SchedulerEvent,
  type SchedulerOptions,
} from "../../src/channels/scheduled/scheduler.ts";
import { createSchedule } from "../../src/schedules/schedule.ts";
import type { Run } from "../../src/store/index.ts";
import type { PlaceName } from "../homes.ts";
import { type HostStage, newHost } from "../host/stage.ts";

/** A house whose schedules are run by a clock the test sets. */
export type ScheduledStage = HostStage & {
  readonly scheduling: Scheduler;
  /** What happened, in order. */
  readonly told: SchedulerEvent[];
  /** Another worker on the same database, as another machine would have it. */
  readonly worker: (options?: Partial<SchedulerOptions>) => Promise<Scheduler>;
  /** Sets the clock and lets the worker do what is due by then; gives how many tries were made. */
  readonly at: (time: string) => Promise<number>;
  readonly schedule: (asked: Partial<Parameters<typeof createSchedule>[0]>) => ReturnType<typeof createSchedule>;
  /** A user's runs, the oldest first. */
  readonly runs: (user?: string) => Promise<Run[]>;
  /** What was written to be sent to a user, in order. */
  readonly sent: (user?: string) => Promise<string[]>;
  /** Links a chat to a user. */
  readonly link: (user: string, address: string) => Promise<void>;
};

export async function newScheduled(
  home: PlaceName,
  options: Partial<SchedulerOptions> = {},
  about: Parameters<typeof newHost>[1] = {},
): Promise<ScheduledStage> {
  const stage = await newHost(home, about);
  const { store, time } = stage;
  const told: SchedulerEvent[] = [];
  const workers: Scheduler[] = [];
  const worker = async (more: Partial<SchedulerOptions> = {}) => {
    const host = more.host ?? (workers.length === 0 ? stage.host : await stage.another());
    const usual = { host, random: () => 1, on: (event: SchedulerEvent) => told.push(event) };
    const made = createScheduler({ ...usual, ...options, ...more });
    workers.push(made);
    return made;
  };
  const scheduling = await worker();
  return {
    ...stage,
    scheduling,
    told,
    worker,
    at: async (now) => {
      time.now = new Date(now);
      return scheduling.tick();
    },
    schedule: (asked) =>
      createSchedule(
        { scope: { agent: "ada", user: "bo" }, title: "Digest", input: "Write the digest.", ...asked },
        store,
        time.now,
      ),
    runs: async (user = "bo") => (await store.runs.list({ agent: "ada", user, limit: 1000 })).reverse(),
    sent: async (user = "bo") =>
      (await store.dispatches.list({ agent: "ada", user, limit: 1000 })).reverse().map(({ body }) => body),
    link: async (user, address) => {
      const { code } = await store.links.createCode({ agent: "ada", user }, "telegram");
      await store.links.redeem("ada", "telegram", code, address);
    },
    close: async () => {
      for (const one of workers) await one.stop(0);
      await stage.close();
    },
  };
}
