import pg from "pg";
import { isRunnerGone, runnerName } from "../../charter/src/agent/agent.ts";
import { sleep } from "../../charter/src/agent/limits.ts";
import { createScheduler } from "../../charter/src/channels/scheduled/scheduler.ts";
import type { Host } from "../../charter/src/host/host.ts";
import { inboxWork } from "../../charter/src/store/conversations/inbox-row.ts";
import { messageTaken, recordEvents } from "../../charter/src/store/event.ts";
import { type Database, leaseJobs } from "../../charter/src/store/home/database.ts";
import { postgres } from "../../charter/src/store/home/postgres/postgres.ts";
import { matching, recordOf } from "../../charter/src/store/home/query.ts";
import { joinQueries, listOf, raw, sql } from "../../charter/src/store/home/sql.ts";
import type { RowOf } from "../../charter/src/store/home/table.ts";
import { type ClaimedRun, runs, runWork, schedules } from "../../charter/src/store/schedules/runs.ts";
import { createStore, type Store } from "../../charter/src/store/store.ts";
import { goneAmong, isOpen, isSpent, listFree, take } from "../../charter/src/store/work.ts";

/** How the workers of a queue share it. */
export type Way = "pg-boss" | "leases" | "skip locked" | "listen" | "inbox" | "inbox, skip locked";

export type WorkerOrders = {
  readonly url: string;
  readonly agent: string;
  readonly way: Way;
  /** So long a turn takes. */
  readonly turnMs: number;
  /** A name nobody can ask about, as of another machine; its own, unless given. */
  readonly runner?: string;
};

/** What it tells: that it waits for its start; what it begins and ends, and how many queries it has asked so far. */
export type WorkerTold = { readonly said: "ready" | "began" | "ended"; readonly id?: string; readonly queries: number };

const leaseMs = 60_000;
const channel = "bench_runs";
const { url, agent, way, turnMs, runner = runnerName() } = JSON.parse(process.argv[2] as string) as WorkerOrders;

let queries = 0;
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function counted(this: pg.Client, ...given: unknown[]) {
  queries += 1;
  return Reflect.apply(query, this, given);
} as typeof query;
const tell = (said: WorkerTold["said"], id?: string) => process.send?.({ said, queries, ...(id ? { id } : {}) });

process.on("disconnect", () => process.exit(0));
const store = await createStore(postgres(url));
const begun = new Promise((resolve) => process.once("message", resolve));
if (way.startsWith("inbox")) {
  tell("ready");
  await begun;
  await workOffInbox(way === "inbox" ? claimMessage : claimMessageSkipping);
} else await runSchedules();

/** The real scheduler. Of a run all is done but the turn, and asking where its words are to be sent. */
async function runSchedules(): Promise<void> {
  const ways = { "pg-boss": () => store, leases: leasesOnly, "skip locked": skipLocked, listen: skipLocked };
  const sharing = ways[way as keyof typeof ways]();
  const none = { of: async () => [] };
  const [wake, schedulesOf] = way === "listen" ? await listening() : [undefined, store.schedules];
  const host = {
    clock: () => new Date(),
    store: { ...sharing, steps: none, links: none, schedules: schedulesOf },
    runTurn: async ({ id }: { id: string }) => {
      await sleep(turnMs, new AbortController().signal);
      return { turn: id, state: "answered", reply: "" };
    },
  } as unknown as Host;
  const scheduler = createScheduler({
    host,
    runner,
    leaseMs,
    ...(wake ? { sleep: wake } : {}),
    on: (event) => {
      if (event.kind === "run-start") tell("began", event.run);
      if (event.kind === "run-end" && event.state === "answered") tell("ended", event.run);
    },
  });
  tell("ready");
  await begun;
  await scheduler.start();
}

/** As on SQLite: each looks for itself. */
function leasesOnly(): Store {
  return { ...store, home: { ...store.home, jobs: async () => leaseJobs() } };
}

/** What is due is found, locked and taken at once, with all else that taking a run does. */
function skipLocked(): Store {
  const taken = new Map<string, ClaimedRun>();
  const claim = (limit: number) =>
    store.home.write("everything", async (db) => {
      const at = new Date().toISOString();
      const gone = await goneAmong(db, "runs", isOpen(runWork), { isGone: isRunnerGone });
      const skipping: Database = {
        ...db,
        all: (asked) => db.all(joinQueries([asked, raw("for update of w skip locked")], " ")),
      };
      const free = await listFree(skipping, runWork, { among: matching({}), at, limit, gone });
      if (free.length === 0) return [];
      const rows = await db.all<RowOf<typeof schedules>>(
        sql`select * from schedules where id in ${listOf(free.map(({ schedule }) => schedule))}`,
      );
      const plans = new Map(rows.map((row) => [row.id, row]));
      const before = new Map(free.map((row) => [row.id, row]));
      const set = {
        runner,
        next_try_at: null,
        started_at: sql`coalesce(started_at, ${at})`,
        turn: sql`id || '-run-' || (tries + 1)`,
      };
      const got = await take(db, runWork, free, { among: matching({}), at, leaseMs, gone, set });
      return got.map((row): ClaimedRun => {
        const [was, from] = [before.get(row.id) as RowOf<typeof runs>, plans.get(row.schedule)];
        if (!from || isSpent(runWork, was, from.max_tries)) throw new Error("No run here had its last try.");
        const rest = { from: recordOf(schedules, from), previousTurn: was.turn, exhausted: false };
        return { ...recordOf(runs, row), ...rest };
      });
    });
  const nothing = async () => {};
  const jobs = {
    offer: nothing,
    claim: async (most: number) => {
      const all = await claim(most);
      for (const run of all) taken.set(run.id, run);
      return all.map(({ id }) => ({ run: id, heartbeat: nothing, complete: nothing }));
    },
    close: nothing,
  };
  return {
    ...store,
    home: { ...store.home, jobs: async () => jobs },
    runs: { ...store.runs, due: async () => [], claim: async (id) => taken.get(id) },
  };
}

/** Whoever has planned runs wakes the others; a worker with nothing to do waits for that, or for its next look. */
async function listening() {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`listen ${channel}`);
  let heard = new AbortController();
  client.on("notification", () => {
    heard.abort();
    heard = new AbortController();
  });
  const wake = (ms: number, signal: AbortSignal) =>
    sleep(ms, ms === 1000 ? AbortSignal.any([signal, heard.signal]) : signal);
  const plan: Store["schedules"]["plan"] = async (...given) => {
    const planned = await store.schedules.plan(...given);
    if (planned > 0) await client.query(`notify ${channel}`);
    return planned;
  };
  return [wake, { ...store.schedules, plan }] as const;
}

/** Takes one message after the other, and answers it. */
async function workOffInbox(claim: (turn: string) => Promise<string | undefined>): Promise<void> {
  for (let number = 1; ; number++) {
    const turn = `turn-${process.pid}-${number}`;
    const message = await claim(turn);
    if (message === undefined) await sleep(1000, new AbortController().signal);
    else {
      await store.inbox.finish({ agent, turn, replies: [{ message, body: "Fine." }], failures: [] });
      tell("ended", message);
    }
  }
}

async function claimMessage(turn: string): Promise<string | undefined> {
  return (await store.inbox.claim(agent, turn, { limit: 1 }))[0]?.id;
}

/** Whoever comes next in the round, without waiting for who takes another message; there is one lane. */
function claimMessageSkipping(turn: string): Promise<string | undefined> {
  return store.home.write("everything", async (db) => {
    const at = new Date().toISOString();
    const row = await db.one<RowOf<typeof inboxWork.table>>(sql`select * from inbox where agent = ${agent}
      and status = 'waiting' and lane = '' order by round, at, id limit 1 for update skip locked`);
    if (!row) return undefined;
    await take(db, inboxWork, [row], { among: matching({ agent }), at, leaseMs: 300_000, set: { turn } });
    const scope = { agent, user: row.user_id };
    await recordEvents(db, [{ at, scope, kind: messageTaken, turn, detail: { message: row.id } }]);
    return row.id;
  });
}
