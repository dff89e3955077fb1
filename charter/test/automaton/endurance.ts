import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { createStore, type Store } from "../../src/store/index.ts";
import type { Place } from "../homes.ts";
import { findMessageFaults, type MessageCounts } from "./endurance-check.ts";
import { createFastClock, type FastClock } from "./endurance-clock.ts";
import type { WorkerOrders, WorkerTold } from "./endurance-worker.ts";

export type EnduranceResult = MessageCounts & {
  readonly turns: number;
  readonly posted: number;
  readonly kills: number;
  readonly jumps: number;
  /** Times its state was found in the middle of a turn that nobody was at, and mended. */
  readonly stateFaults: number;
  readonly faults: readonly string[];
};

export type EnduranceOptions = {
  readonly turns: number;
  /** So many workers are killed, evenly over the turns. */
  readonly kills: number;
  readonly random: () => number;
};

const agent = "nova";
const program = new URL("./endurance-worker.ts", import.meta.url).pathname;

/**
 * Two processes let one agent live and are killed at random; others take their place. Meanwhile messages come, some twice,
 * some are withdrawn, the model fails, the clock jumps. In the end nothing may be left over, doubled or unexplained.
 */
export async function endure(place: Place, options: EnduranceOptions): Promise<EnduranceResult> {
  const { turns, kills, random } = options;
  const clock = createFastClock();
  const folder = mkdtempSync(join(tmpdir(), "charter-endurance-"));
  const paid = join(folder, "paid");
  writeFileSync(paid, "");
  const store = await createStore(place.open(), { now: clock.now });
  await store.agents.add({ name: agent, charter: "sovereign" });
  const workers = createWorkers({ url: place.url, agent, paid, faults: 6 }, clock);
  const posted: string[] = [];
  let [killed, jumps] = [0, 0];
  try {
    await Promise.all([workers.start(), workers.start()]);
    for (let taken = 0; taken < turns || killed < kills; taken = (await store.automata.find(agent))?.turns ?? 0) {
      if ((await store.inbox.countWaiting(agent)) < 30) posted.push(...(await postSome(store, posted.length, random)));
      else await wait(5);
      if (killed >= Math.min(1, taken / turns) * kills) continue;
      killed += 1;
      jumps += 1;
      // Up to an hour on; back for less than a lease.
      const ms = random() < 0.5 ? random() * 3_600_000 : random() * -50_000;
      clock.jump(ms);
      workers.jump(ms);
      const kill = workers.killOneAtWork(random);
      posted.push(...(await postSome(store, posted.length, random)));
      await Promise.all([kill, workers.start()]);
    }
    const stuck = await allOver(store);
    const found = await findMessageFaults(store, { agent, posted, paid });
    const faults = [...workers.complaints, ...stuck, ...found.faults];
    return { ...found, posted: posted.length, kills: killed, jumps, faults };
  } finally {
    await workers.stop();
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

/** Ten messages of 260 counterparts of both kinds: some long, some posted twice, some withdrawn, some that no model takes. */
async function postSome(store: Store, from: number, random: () => number): Promise<string[]> {
  const ids: string[] = [];
  for (let number = from; number < from + 10; number++) {
    const who = Math.floor(random() ** 2 * 260);
    const sender = who % 2 === 0 ? `0x${who.toString(16).padStart(40, "0")}` : `shop/user-${who}`;
    const id = `m${number}${random() < 0.2 ? "-pay" : ""}`;
    const body = random() < 0.01 ? "poison" : `Message ${number}. ${"word ".repeat(random() < 0.1 ? 700 : 3)}`;
    const message = { agent, sender, body, id };
    await Promise.all([store.inbox.post(message), ...(random() < 0.1 ? [store.inbox.post(message)] : [])]);
    if (random() < 0.01) await store.inbox.discard(agent, id, "the operator").catch(() => {});
    ids.push(id);
  }
  return ids;
}

/** Until no message is open any more; what is still open after four minutes is one of the faults. */
async function allOver(store: Store): Promise<readonly string[]> {
  const waiting = () => store.inbox.countWaiting(agent);
  // A message that is given back between two looks was waiting in neither: it is looked for once more.
  for (const end = Date.now() + 240_000; Date.now() < end; await wait(50))
    if ((await waiting()) + (await store.inbox.listTaken(agent)).length + (await waiting()) === 0) return [];
  return [`it is stuck: ${JSON.stringify(await store.automata.find(agent))}`];
}

function createWorkers(about: Omit<WorkerOrders, "clock" | "runner">, clock: FastClock) {
  const living = new Set<ChildProcess>();
  const complaints: string[] = [];
  let count = 0;
  let hear: (worker: ChildProcess) => void = () => {};
  const end = async (worker: ChildProcess) => {
    living.delete(worker);
    const ended = new Promise<void>((resolve) => worker.once("close", () => resolve()));
    worker.kill("SIGKILL");
    await ended;
  };
  return {
    complaints,
    jump: (ms: number) => {
      for (const worker of living) worker.stdin?.write(`${ms}\n`);
    },
    start: async () => {
      count += 1;
      // Every third has a name nobody can ask about: others have to wait for its lease.
      const name = count % 3 === 0 ? { runner: `elsewhere:${count}` } : {};
      const orders: WorkerOrders = { ...about, ...name, clock: clock.orders() };
      const worker = spawn(process.execPath, ["--conditions=charter-source", program, JSON.stringify(orders)], {
        env: { NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache"), ...process.env },
      });
      worker.stderr.on("data", (chunk) => complaints.push(`complaint: ${chunk}`));
      worker.stdin.on("error", () => {});
      await new Promise<void>((resolve, reject) => {
        worker.once("close", (code, signal) => reject(new Error(`A worker ended: ${code ?? signal}.`)));
        createInterface({ input: worker.stdout }).on("line", (line) => {
          const { said } = JSON.parse(line) as WorkerTold;
          if (said === "ready") resolve();
          else hear(worker);
        });
      });
      living.add(worker);
    },
    /** Kills whose model is asked next, a little later: in the middle of the turn, or of what comes after. */
    killOneAtWork: async (random: () => number) => {
      const worker = await new Promise<ChildProcess>((resolve) => {
        hear = (one) => living.has(one) && resolve(one);
      });
      await wait(random() * 20);
      await end(worker);
    },
    stop: async () => {
      for (const worker of [...living]) await end(worker);
    },
  };
}
