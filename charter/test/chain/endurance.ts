import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { keyOf } from "../../../chain/accounts.ts";
import type { LocalInbox } from "../../../chain/local-inbox.ts";
import { createStore, type Store } from "../../src/store/index.ts";
import { createFastClock } from "../automaton/endurance-clock.ts";
import type { Place } from "../homes.ts";
import { startInbox } from "./chain-process.ts";
import { type ChainMessageCounts, findChainFaults } from "./endurance-check.ts";
import type { ChainWorkerOrders } from "./endurance-worker.ts";
import { type RpcProxy, rpcFaults, startRpcProxy } from "./rpc-proxy.ts";
import { createSignedPosts, type SignedPost, type SignedPosts } from "./signed-posts.ts";

export type ChainEnduranceOptions = {
  readonly posts: number;
  /** So many workers are killed, and so often the newest blocks are replaced, evenly over the posts. */
  readonly kills: number;
  readonly reorganisations: number;
  readonly random: () => number;
};

export type ChainEnduranceResult = ChainMessageCounts & {
  readonly posts: number;
  readonly kills: number;
  readonly reorganisations: number;
  readonly includedAgain: number;
  readonly rpcFaults: number;
  readonly faults: readonly string[];
};

const agent = "nova";
const counterparts = 20;
const program = new URL("./endurance-worker.ts", import.meta.url).pathname;

/**
 * Two processes let one agent live on a real chain and are killed at random. Meanwhile the newest blocks are replaced, with
 * some of what stood in them and without the rest; one address of the node fails now and then. In the end each message on
 * the chain has one reply there or is dead with all reasons, and nothing waits.
 */
export async function endureChain(place: Place, options: ChainEnduranceOptions): Promise<ChainEnduranceResult> {
  const { posts, random } = options;
  const inbox = await startInbox();
  const proxy = await startRpcProxy(inbox.process.url);
  const clock = createFastClock();
  const store = await createStore(place.open(), { now: clock.now });
  await store.agents.add({ name: agent, charter: "sovereign" });
  const { contract, agent: address } = inbox;
  const chain = { rpc: [proxy.url, `${proxy.url}/second`], id: 31337, contract, address, from: 0, confirmations: 2 };
  const caps = { maxFeePerReply: "1", maxFeePerDay: "1000" };
  const workers = createWorkers({
    ...{ url: place.url, agent, clock: clock.orders(), chain: { ...chain, ...caps }, faults: 4 },
  });
  const signed = createSignedPosts(inbox);
  const all: SignedPost[] = [];
  const counts = { kills: 0, reorganisations: 0, includedAgain: 0 };
  const isDue = (done: number, of: number) => done < Math.floor(Math.min(1, all.length / posts) * of);
  const isMore = () =>
    all.length < posts || counts.kills < options.kills || counts.reorganisations < options.reorganisations;
  const tooMany = async () => (await store.inbox.countWaiting(agent)) > 60;
  try {
    await Promise.all([workers.start(), workers.start()]);
    proxy.meet(() => (random() < 0.04 ? rpcFaults[Math.floor(random() * rpcFaults.length)] : undefined));
    while (isMore()) {
      all.push(...(await postSome(signed, 10, all.length, random)));
      await inbox.chain.mine();
      if (isDue(counts.kills, options.kills)) {
        counts.kills += 1;
        await Promise.all([workers.killOneAtWork(random), workers.start()]);
      }
      if (isDue(counts.reorganisations, options.reorganisations)) {
        counts.reorganisations += 1;
        const replaced = await reorganise(inbox, signed, all.length, random);
        all.push(...replaced.posts);
        counts.includedAgain += replaced.again;
      }
      while (await tooMany()) {
        await wait(100);
        await inbox.chain.mine();
      }
    }
    const stuck = await allOver(store, inbox);
    const found = await findChainFaults(store, { agent, inbox, posts: all });
    const faults = [...workers.complaints, ...stuck, ...found.faults];
    return { ...found, ...counts, posts: all.length, rpcFaults: metBy(proxy), faults };
  } finally {
    await workers.stop();
    await store.close();
    await proxy.close();
    await inbox.process.kill();
  }
}

/** Some of twenty counterparts, some words twice, some that no model takes, some that are no words. */
async function postSome(signed: SignedPosts, count: number, from: number, random: () => number): Promise<SignedPost[]> {
  const posted: SignedPost[] = [];
  for (let number = from; number < from + count; number++) {
    const who = 2 + Math.floor(random() * counterparts);
    const chance = random();
    const body =
      chance < 0.02 ? "poison" : chance < 0.04 ? Buffer.from([0xff, 0xfe, number % 256]) : wordsOf(number, random);
    posted.push(await signed.post(who, body, BigInt(Math.floor(random() * 1000))));
  }
  return posted;
}

function wordsOf(number: number, random: () => number): string {
  return random() < 0.1 ? "The same words." : `Message ${number}. ${"word ".repeat(random() < 0.05 ? 600 : 3)}`;
}

/**
 * Blocks are there, are read, and are gone: as many others and one more stand in their place. Of each sender the first few
 * of their messages stand in them again.
 */
async function reorganise(inbox: LocalInbox, signed: SignedPosts, from: number, random: () => number) {
  const { chain } = inbox;
  const depth = 1 + Math.floor(random() * 20);
  const [snapshot, before] = [await chain.snapshot(), await chain.block()];
  const posts = await postSome(signed, Math.min(depth, 12), from, random);
  await chain.mine(Math.max(1, depth - posts.length));
  // Long enough for some of it to be read, worked on or answered.
  await wait(random() * 3_000);
  const length = (await chain.block()) - before;
  await chain.revert(snapshot);
  const share = random();
  let again = 0;
  for (const [, ofSender] of Map.groupBy(posts, ({ sender }) => sender))
    for (const post of ofSender.slice(0, Math.round(ofSender.length * share))) if (await signed.again(post)) again += 1;
  await chain.mine(length + 1);
  return { posts, again };
}

/** Until nothing is open any more. Where nothing changes for three minutes, what is still open is one of the faults. */
async function allOver(store: Store, inbox: LocalInbox): Promise<readonly string[]> {
  const place = placeOf(inbox);
  let [seen, since] = ["", Date.now()];
  for (; Date.now() - since < 180_000; await wait(200)) {
    await inbox.chain.mine();
    const open = (await store.inbox.countWaiting(agent)) + (await store.inbox.listTaken(agent)).length;
    const last = (await store.chain.cursor(place))?.last;
    const isNear = (last?.block ?? 0) > (await inbox.chain.block()) - 20;
    // What was read may be of blocks that others stand in the place of by now.
    const read = isNear && last !== undefined && (await hashAt(inbox, last.block)) === last.hash;
    const unanswered = (await openPosts(store, inbox)).length;
    if (open === 0 && read && unanswered === 0) return [];
    const { included, replies } = await store.chain.counts(place);
    const now = JSON.stringify([open, unanswered, included, replies.final, replies.failed]);
    if (now !== seen) [seen, since] = [now, Date.now()];
  }
  const open = (await openPosts(store, inbox)).map(({ tx, message }) => `${tx} (${message?.status ?? "not read"})`);
  return [
    `it is stuck: ${open.join(", ")} ${JSON.stringify([await store.chain.cursor(place), await store.chain.counts(place)])}`,
  ];
}

async function hashAt({ chain }: LocalInbox, block: number): Promise<string | undefined> {
  const found = await chain.request<{ hash: string } | null>("eth_getBlockByNumber", `0x${block.toString(16)}`, false);
  return found?.hash;
}

const placeOf = ({ contract }: LocalInbox) => ({ agent, chain: 31337, contract });

/** Posts on the chain that have no reply there and are not dead. */
async function openPosts(store: Store, inbox: LocalInbox) {
  const replied = new Set((await inbox.replies()).map(({ id }) => id));
  const open = (await inbox.posted()).filter(({ id }) => !replied.has(id));
  const idOf = (tx: string) => `chain:31337:${inbox.contract}:${tx}:0`;
  const all = await Promise.all(open.map(async ({ tx }) => ({ tx, message: await store.inbox.find(agent, idOf(tx)) })));
  return all.filter(({ message }) => message?.status !== "dead");
}

function metBy(proxy: RpcProxy): number {
  return Object.values(proxy.met()).reduce((sum, count) => sum + count, 0);
}

/** Processes that let an agent live on a chain. */
export function createWorkers(orders: ChainWorkerOrders) {
  const living = new Set<ChildProcess>();
  const complaints: string[] = [];
  let hear: (worker: ChildProcess) => void = () => {};
  const end = async (worker: ChildProcess) => {
    living.delete(worker);
    const ended = once(worker, "close");
    worker.kill("SIGKILL");
    await ended;
  };
  return {
    complaints,
    start: async () => {
      const worker = spawn(process.execPath, ["--conditions=charter-source", program, JSON.stringify(orders)], {
        env: {
          NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache"),
          ...process.env,
          CHARTER_CHAIN_KEY: keyOf(0),
        },
      });
      worker.stderr.on("data", (chunk) => complaints.push(`complaint: ${chunk}`));
      worker.stdin.on("error", () => {});
      await new Promise<void>((resolve, reject) => {
        worker.once("close", (code, signal) => reject(new Error(`A worker ended: ${code ?? signal}.`)));
        createInterface({ input: worker.stdout }).on("line", (line) => {
          if (line === "ready") resolve();
          else hear(worker);
        });
      });
      living.add(worker);
    },
    /** Kills whose model is asked next, a little later: in the middle of a turn, or while its reply is sent. */
    killOneAtWork: async (random: () => number) => {
      const worker = await Promise.race([
        new Promise<ChildProcess>((resolve) => {
          hear = (one) => living.has(one) && resolve(one);
        }),
        wait(3_000).then(() => [...living][Math.floor(random() * living.size)] as ChildProcess),
      ]);
      await wait(random() ** 2 * 1_000);
      if (living.has(worker)) await end(worker);
    },
    stop: async () => {
      for (const worker of [...living]) await end(worker);
    },
  };
}
