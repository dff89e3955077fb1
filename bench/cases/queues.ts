import { loadavg } from "node:os";
import { inbox } from "../../charter/src/store/conversations/inbox-row.ts";
import type { Database } from "../../charter/src/store/home/database.ts";
import { insertAll } from "../../charter/src/store/home/query.ts";
import { chunks } from "../../charter/src/store/home/sql.ts";
import { runs, schedules } from "../../charter/src/store/schedules/runs.ts";
import { counterpartKey } from "../../charter/src/store/scope.ts";
import { createStore } from "../../charter/src/store/store.ts";
import { makeTemplate, newPostgres, type Place, queryAsOwner } from "../../charter/test/homes.ts";
import { type Server, startPostgres } from "../../charter/test/postgres.ts";
import type { Report, Row } from "../report.ts";
import { spreadOf } from "../rounds.ts";
import { startCrew } from "../workloads/queue-crew.ts";
import type { Way } from "../workloads/queue-worker.ts";
import { rng } from "../workloads/rng.ts";

const agent = "ada";
const runWays: readonly Way[] = ["pg-boss", "leases", "skip locked", "listen"];
const ways: readonly Way[] = [...runWays, "inbox", "inbox, skip locked"];
const [due, messages] = [10_000, 10_000];
/** On the clock is what is done after the first of them, and until it is this many or so many seconds are over. */
const [first, last, seconds] = [100, 1_600, 12];
/** One for each place of four workers, which make four runs at a time. */
const together = 16;

/** How workers share a queue on PostgreSQL: as they do, and in other ways. Each worker is a process. */
export async function queues(rounds: number, quick: boolean): Promise<Report> {
  const server = await startPostgres();
  const wrong: string[] = [];
  try {
    await server.ready;
    await makeTemplate(server.url);
    const full = await fill(server);
    const rows: Row[] = [];
    const found = new Map<string, Figures[]>();
    const random = rng(1);
    for (let round = 0; round < (quick ? 1 : Math.min(rounds, 3)); round++)
      for (const workers of [1, 2, 4, 8])
        for (const way of ways.toSorted(() => random.next() - 0.5)) {
          const key = `${way}, ${workers} worker${workers === 1 ? "" : "s"}`;
          found.set(key, [...(found.get(key) ?? []), await measure(full, { way, workers, wrong })]);
        }
    for (const way of ways)
      for (const [key, figures] of found)
        if (key.startsWith(`${way}, `) && !key.startsWith(`${way}, skip`)) rows.push(rowOf(key, figures));
    for (const way of runWays) rows.push(await measureBursts(server, way, quick ? 1 : 5));
    for (const where of ["here", "elsewhere"] as const)
      rows.push(...(await Promise.all(runWays.map((way) => killTwo(server, way, where)))));
    return {
      title: `Queues  ${due.toLocaleString("en")} due runs, and as many messages of one inbox, shared by processes on PostgreSQL`,
      about: "a run is through at once, a message is answered; the time is that between two of them, by all workers",
      rows,
      wrong,
    };
  } finally {
    await server.stop();
  }
}

/** A database with everything that is to be done, which others are copied from. */
async function fill(server: Server): Promise<() => Promise<Place>> {
  const place = await newPostgres(server.url);
  const store = await createStore(place.open());
  await store.agents.add({ name: agent, charter: "sovereign" });
  const numbers = Array.from({ length: due }, (_, number) => number);
  const at = new Date(Date.now() - 60_000).toISOString();
  const scopeOf = (number: number) => ({ agent, user: `user-${number % 100}` });
  const schedule = { title: "Digest", input: "Write it.", channel: "scheduled", zone: "UTC", missed: "once" } as const;
  const insert = async (db: Database, some: readonly number[]) => {
    const planned = { ...schedule, overlap: "skip", maxTries: 3, lastAt: at, endedAt: at } as const;
    await db.run(
      insertAll(
        db,
        schedules,
        some.map((n) => ({ ...planned, id: `s${n}`, scope: scopeOf(n) })),
      ),
    );
    const waiting = { dueAt: at, state: "waiting", tries: 0, nextTryAt: at } as const;
    await db.run(
      insertAll(
        db,
        runs,
        some.map((n) => ({ ...waiting, id: `r${n}`, schedule: `s${n}`, scope: scopeOf(n) })),
      ),
    );
  };
  const post = (db: Database, some: readonly number[]) => {
    const message = { body: "Are you open?", at, status: "waiting", lane: "" } as const;
    const all = some.map((n) => {
      const sender = `shop/user-${n % 100}`;
      const scope = { agent, user: counterpartKey(sender) };
      return { ...message, tries: 0, failures: [], id: `m${n}`, scope, sender, round: Math.floor(n / 100) };
    });
    return db.run(insertAll(db, inbox, all));
  };
  await store.home.write("everything", async (db) => {
    for (const some of chunks(numbers)) await insert(db, some);
    for (const some of chunks(numbers.slice(0, messages))) await post(db, some);
  });
  await store.close();
  await queryAsOwner(place.url, "vacuum analyze");
  const template = place.url.replace(/^.*\//, "");
  return () => newPostgres(server.url, { template });
}

/** Milliseconds and queries for one of them, and how busy the machine was. */
type Figures = { readonly took: number; readonly queries: number; readonly load: number };

function rowOf(what: string, figures: readonly Figures[]): Row {
  const time = spreadOf(figures.map(({ took }) => took));
  const [queries, load] = [spreadOf(figures.map((one) => one.queries)), spreadOf(figures.map((one) => one.load))];
  const all = figures.map(({ took }) => (1000 / took).toFixed(0)).join(", ");
  const note = `${(1000 / time.median).toFixed(0)} a second (${all}), ${queries.median.toFixed(1)} queries each; load ${load.median.toFixed(1)}`;
  return { case: "queues", what, time, note };
}

type Measuring = { readonly way: Way; readonly workers: number; readonly wrong: string[] };

async function measure(full: () => Promise<Place>, { way, workers, wrong }: Measuring): Promise<Figures> {
  const place = await full();
  const crew = await startCrew({ url: place.url, agent, way, turnMs: 0 }, workers);
  try {
    crew.go();
    await crew.until(() => crew.ended.length >= first);
    const [began, before, asked] = [performance.now(), crew.ended.length, crew.queries()];
    await crew.until(() => crew.ended.length >= last, seconds * 1000);
    const done = crew.ended.length - before;
    const twice = crew.ended.length - new Set(crew.ended).size;
    if (twice > 0) wrong.push(`${way}: of ${crew.ended.length}, ${twice} were done twice.`);
    const took = (performance.now() - began) / done;
    return { took, queries: (crew.queries() - asked) / done, load: loadavg()[0] as number };
  } finally {
    await crew.kill();
    await place.remove();
  }
}

/** From the moment at which 16 schedules are due to that at which four workers with nothing else to do have begun all. */
async function measureBursts(server: Server, way: Way, times: number): Promise<Row> {
  const place = await newPostgres(server.url);
  const crew = await startCrew({ url: place.url, agent, way, turnMs: 3_000 }, 4);
  try {
    crew.go();
    const waits: number[] = [];
    for (let burst = 1; burst <= times; burst++) {
      const at = await schedule(place, 2_000 + burst * 137);
      await crew.until(() => crew.began.length === together * burst);
      waits.push(Date.now() - at);
      await crew.until(() => crew.ended.length === together * burst);
    }
    const what = `${way}: ${together} due at once, until four idle workers have begun all`;
    return { case: "queues", what, time: spreadOf(waits), note: waits.join(", ") };
  } finally {
    await crew.kill();
    await place.remove();
  }
}

/** From the moment at which two of four workers are killed to those at which others, who have room, have begun what they had. */
async function killTwo(server: Server, way: Way, where: "here" | "elsewhere"): Promise<Row> {
  const place = await newPostgres(server.url);
  const crew = await startCrew({ url: place.url, agent, way, turnMs: 600_000 }, 4, where);
  try {
    crew.go();
    const count = together / 2;
    await schedule(place, 3_000, count);
    await crew.until(() => crew.began.length === count);
    const { had, at } = await crew.kill(2);
    const waits: number[] = [];
    await crew.until(() => {
      for (const _ of crew.began.slice(count + waits.length)) waits.push((Date.now() - at) / 1000);
      return waits.length === had;
    });
    const machine = where === "here" ? "this machine" : "another machine";
    const what = `${way}: two of four workers of ${machine} killed, with ${had} runs`;
    const shown = (one = Number.NaN) => one.toFixed(1);
    const note = `others have the first after ${shown(waits[0])} s, the last after ${shown(waits.at(-1))} s`;
    return { case: "queues", what, note };
  } finally {
    await crew.kill();
    await place.remove();
  }
}

/** Schedules that are due together in a while; gives when. */
async function schedule(place: Place, inMs: number, count = together): Promise<number> {
  const store = await createStore(place.open());
  await store.agents.put({ name: agent, charter: "sovereign" });
  const at = Date.now() + inMs;
  const nextAt = new Date(at).toISOString();
  for (let number = 0; number < count; number++)
    await store.schedules.add({
      scope: { agent, user: `user-${number}` },
      title: "Digest",
      input: "Do.",
      zone: "UTC",
      nextAt,
    });
  await store.close();
  return at;
}
