import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { newPostgres } from "../../charter/test/homes.ts";
import { startPostgres } from "../../charter/test/postgres.ts";
import { root, run } from "../process.ts";
import type { Report, Row } from "../report.ts";
import { type Contender, inRounds, ratioOf, slopeOf, timeOf } from "../rounds.ts";
import type { CrowdOrders, Way } from "../workloads/crowd-work.ts";
import type { ManyTurns, Sample } from "../workloads/many-turns.ts";

/**
 * How many turns a second so many users at once get; and a thousand users' turns at once in one process, then wave after
 * wave of others': is all of it let go?
 */
export async function concurrent(rounds: number, quick: boolean): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "charter-many-"));
  const [atOnce, more] = quick ? [500, 6] : [1000, 10];
  try {
    const program = join(root, "bench/workloads/many-turns-run.ts");
    const args = ["--expose-gc", program, join(folder, "charter.db"), String(atOnce), String(more + 1)];
    const { code, output, errors } = await run(args, { ...process.env });
    if (code !== 0) throw new Error(`The process of many turns ended with ${code}: ${errors}`);
    const { samples, seconds, wrong }: ManyTurns = JSON.parse(output);
    const [first, last] = [samples[0] as Sample, samples.at(-1) as Sample];
    const all = (more * atOnce).toLocaleString("en");
    const megabytes = (bytes: number) => Math.round(bytes / 1e5) / 10;
    // While caches fill and code is compiled the heap goes up and down by itself.
    const settled = samples.slice(2);
    const waiting = Math.max(...samples.map((sample) => sample.waiting));
    const rates = await measureRates(folder, rounds);
    return {
      title: `Concurrent  1 to 64 users at once; ${atOnce.toLocaleString("en")} in one process, then ${all} more in waves`,
      about: `1 to 64: sovereign-turns, a model that answers at once, on ${availableParallelism()} cores for all processes, load ${loadavg()[0]?.toFixed(1)}; waves: three steps, a model that pauses, SQLite`,
      rows: [
        ...rates.rows,
        { case: "concurrent", what: "waves: turns a second", figure: Math.round(atOnce / middle(seconds)) },
        { case: "concurrent", what: "heap after the first wave, MB", figure: megabytes(first.heap) },
        { case: "concurrent", what: `heap after ${all} more, MB`, figure: megabytes(last.heap) },
        { case: "concurrent", what: "resident memory then, MB", figure: megabytes(last.resident) },
        {
          case: "concurrent",
          what: "growth, MB for 1,000 turns",
          figure: Math.round((slopeOf(settled.map(({ turns, heap }) => [turns, heap])) / 1e6) * 1000 * 1000) / 1000,
          target: 0.1,
          note: `a line through the last ${settled.length} waves`,
        },
        { case: "concurrent", what: "timers left waiting", figure: waiting, target: 0 },
      ],
      wrong: [...wrong, ...rates.wrong],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const homes = ["SQLite", "PostgreSQL"] as const;
const ways: readonly Way[] = ["charter", "by hand"];
const counts = [1, 4, 16, 64];
const countsOfTwo = [16, 64];

/** On each home beside a loop by hand that keeps its prompt too; on PostgreSQL two processes beside one. */
async function measureRates(folder: string, rounds: number): Promise<Omit<Report, "title" | "about">> {
  const server = await startPostgres({ isDurable: true });
  const workers: ChildProcess[] = [];
  const wrong: string[] = [];
  try {
    await server.ready;
    const contenders: Contender[] = [];
    const contend = (name: string, processes: readonly ChildProcess[], users: number) => {
      const turns = Math.max(40, users * 10);
      let round = 0;
      const take = async () => {
        const share = { users: users / processes.length, turns: turns / processes.length };
        const said = await Promise.all(
          processes.map((worker, index) => order(worker, { ...share, name: `${users}-${round}-${index}` })),
        );
        round++;
        wrong.push(...said.filter((words) => words !== "done"));
      };
      contenders.push({ name, units: turns, prepare: () => [take] });
    };
    for (const home of homes)
      for (const way of ways) {
        const place = home === "SQLite" ? join(folder, `${way}.db`) : (await newPostgres(server.url, "empty")).url;
        const start = () => startWorker(place, way, workers);
        const first = await start();
        for (const users of counts) contend(`${home} ${users} ${way}`, [first], users);
        if (home === "SQLite") continue;
        const both = [first, await start()];
        for (const users of countsOfTwo) contend(`two ${users} ${way}`, both, users);
      }
    const times = await inRounds(contenders, rounds);
    const rate = (name: string) => Math.round(1000 / timeOf(times, name).median).toLocaleString("en");
    const row = (what: string, [name, base]: readonly [string, string], of: string): Row => ({
      case: "concurrent",
      what,
      time: timeOf(times, name),
      ratio: { ...ratioOf(times, name, base), of },
      note: `${rate(name)} turns a second; ${of} ${rate(base)}`,
    });
    const rows = homes.flatMap((home) =>
      counts.map((users) => {
        const names = [`${home} ${users} charter`, `${home} ${users} by hand`] as const;
        return row(`${home}, ${users} at once`, names, "by hand");
      }),
    );
    for (const way of ways)
      for (const users of countsOfTwo) {
        const names = [`two ${users} ${way}`, `PostgreSQL ${users} ${way}`] as const;
        rows.push(row(`PostgreSQL, ${users} at once, two processes, ${way}`, names, "one process"));
      }
    return { rows, wrong: wrong.slice(0, 5) };
  } finally {
    for (const worker of workers) if (worker.connected) worker.disconnect();
    await Promise.all(workers.map((worker) => worker.exitCode ?? once(worker, "exit")));
    await server.stop();
  }
}

async function startWorker(place: string, way: Way, workers: ChildProcess[]): Promise<ChildProcess> {
  const execArgv = ["--conditions", "charter-source"];
  const worker = fork(join(root, "bench/workloads/crowd-work.ts"), [place, way], { execArgv });
  workers.push(worker);
  await answerOf(worker);
  return worker;
}

function order(worker: ChildProcess, orders: CrowdOrders): Promise<string> {
  worker.send(orders);
  return answerOf(worker);
}

function answerOf(worker: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const end = (code: number | null) => reject(new Error(`A process of users at once ended with ${code}.`));
    worker.once("exit", end);
    worker.once("message", (words) => {
      worker.off("exit", end);
      resolve(String(words));
    });
  });
}

function middle(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] as number;
}
