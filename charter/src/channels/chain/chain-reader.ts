import { isRunnerGone, runnerName } from "../../agent/agent.ts";
import { sleep as usualSleep } from "../../agent/limits.ts";
import { checkNeeded, isFunction, isObject, isText } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import type { ChainCursor, ChainPlace } from "../../store/chain/chain-message.ts";
import type { Store } from "../../store/store.ts";
import { createLoop, createPresence } from "../loop.ts";
import type { ChainSettings } from "./chain-config.ts";
import { type ChainView, checkNode, inOrder, viewFrom } from "./chain-view.ts";
import { loadPostedLogs, loadPostProofs } from "./posts.ts";
import { type ChainReading, type ReadResult, readChain } from "./read-chain.ts";
import { allResting, createRpcClient, type RpcClient, RpcError, type RpcNode } from "./rpc-client.ts";

/** What `createChainReader` is given: the store, the agent, and where its inbox on a chain is. */
export type ChainReaderOptions = {
  readonly store: Store;
  readonly agent: string;
  readonly settings: ChainSettings;
  readonly clock: () => Date;
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly random?: () => number;
  readonly fetch?: typeof globalThis.fetch;
  /** The addresses of the chain, where someone else asks them as well. */
  readonly rpc?: RpcClient;
  /** So long one request may take; 10 seconds, unless given. */
  readonly timeoutMs?: number;
  /** How often it is looked whether there is something new; 4 seconds, unless given. */
  readonly everyMs?: number;
  /** A process that is silent for so long is taken for dead, and another takes charge; a minute, unless given. */
  readonly leaseMs?: number;
  /** The name of this process (“host:pid”). */
  readonly runner?: string;
  /** Called with what the operator should know; never with anyone's text. */
  readonly log?: (entry: Readonly<Record<string, unknown>>) => void;
};

/**
 * Reads what is posted to an agent on a chain into its inbox, where the automaton finds it. Several processes may do this
 * for one agent; one of them is in charge at a time.
 */
export type ChainReader = {
  /** Begins to read. Addresses of another chain, or without the contract, are a Problem; those that are away are waited for. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** Reads all there is now, and returns how many messages wait that did not before. */
  readonly tick: () => Promise<number>;
  /** Looks now, if it was started. */
  readonly wake: () => void;
};

/** Reads an agent's inbox on a chain. Call `start`, or `tick` yourself. */
export function createChainReader(options: ChainReaderOptions): ChainReader {
  checkNeeded<ChainReaderOptions>("createChainReader", options, {
    store: [isObject, "Give what createStore gives."],
    agent: [isText, "Give the name of the agent."],
    settings: [isObject, "Give where its inbox on a chain is."],
    clock: [isFunction, "Give a function: () => new Date()."],
  });
  const { store, agent, settings, clock, leaseMs = 60_000, everyMs = 4000 } = options;
  const { sleep = usualSleep, random = Math.random, runner = runnerName() } = options;
  const place: ChainPlace = { agent, chain: settings.id, contract: settings.contract };
  const rpc = options.rpc ?? createRpcClient({ ...options, addresses: settings.rpc, random });
  const log = (kind: string, about: Readonly<Record<string, unknown>> = {}) => {
    try {
      options.log?.({ about: "chain", kind, agent, ...about });
    } catch {}
  };
  const sound = new Set<RpcNode>();
  const doubt = (node: RpcNode) => void sound.delete(node);
  let reading: Promise<ChainReading> | undefined;
  /** Loaded when it is wanted; what could not be loaded is looked for again. */
  const prepare = () => {
    reading ??= Promise.all([loadPostedLogs(settings), loadPostProofs(settings)]).then(
      ([logs, proofs]) => ({ store, place, settings, runner, logs, proofs, spans: new Map(), doubt, clock, log }),
      (error) => {
        reading = undefined;
        throw error;
      },
    );
    return reading;
  };

  let renewedAt = Number.NEGATIVE_INFINITY;
  /** In charge already, it only looks whether that is still so. */
  const takeCharge = async (): Promise<ChainCursor | undefined> => {
    const now = clock().getTime();
    const row = Math.abs(now - renewedAt) < leaseMs / 3 ? await store.chain.cursor(place) : undefined;
    if (row?.runner === runner) return row;
    const claimed = await store.chain.claim(place, { runner, leaseMs, isGone: isRunnerGone });
    renewedAt = claimed ? now : Number.NEGATIVE_INFINITY;
    return claimed;
  };

  /** How those addresses that answer see the chain. One that turns out to be of another chain is told of, and not asked. */
  const lookAround = async (signal: AbortSignal): Promise<ChainView[]> => {
    const well = rpc.nodes.filter((node) => node.restsFor() === 0);
    let last: Error | undefined;
    const views = await Promise.all(
      well.map(async (node) => {
        try {
          if (!sound.has(node)) await checkNode(node, settings, signal);
          sound.add(node);
          return await viewFrom(node, settings, signal);
        } catch (error) {
          if (!(error instanceof RpcError || error instanceof Problem)) throw error;
          if (error instanceof Problem) node.rest(error.message);
          log("address-trouble", { host: node.host, code: error instanceof RpcError ? error.fault : error.code });
          // What an operator has to mend says more than who is away.
          if (!(last instanceof Problem)) last = error;
          return undefined;
        }
      }),
    );
    const seen = views.filter((view) => view !== undefined);
    if (seen.length > 0) return seen;
    throw last ?? allResting(rpc.nodes);
  };

  const presence = createPresence(store, agent, () => log("agent-removed"));
  const nothing: ReadResult & { readonly waitMs: number } = { posted: 0, again: false, waitMs: everyMs };
  const look = async (signal: AbortSignal) => {
    let came = nothing;
    await presence.whileThere(async (present) => {
      const about = await prepare();
      const cursor = await takeCharge();
      if (!cursor) return 0;
      try {
        const views = inOrder(await lookAround(present));
        // Whoever else asks the chain is not told of one that is behind.
        rpc.prefer(views.map(({ node }) => node));
        came = { ...(await readChain(about, cursor, views, present)), waitMs: everyMs };
      } catch (error) {
        if (present.aborted) return 0;
        if (!(error instanceof RpcError || error instanceof Problem)) throw error;
        if (error instanceof Problem && !chainProblems.has(error.code)) throw error;
        if (cursor.problem !== error.message) await store.chain.note(place, { problem: error.message });
        const asked = error instanceof RpcError ? (error.retryAfterMs ?? 0) : 0;
        came = { ...nothing, waitMs: Math.max(everyMs, asked) };
      }
      return 0;
    })(signal);
    return came;
  };

  const onError = (error: unknown) => log("trouble", { code: error instanceof Problem ? error.code : "internal" });
  const loop = createLoop({
    round: async (signal) => {
      const { again, waitMs } = await look(signal);
      return again ? 0 : waitMs;
    },
    ...{ sleep, random, onError },
  });
  const never = new AbortController().signal;
  let unwatch: (() => Promise<void>) | undefined;
  return {
    wake: loop.wake,
    tick: async () => {
      let posted = 0;
      for (let more = true; more; ) {
        const came = await look(never);
        posted += came.posted;
        more = came.again;
      }
      return posted;
    },
    start: async () => {
      await prepare();
      await Promise.all(
        rpc.nodes.map(async (node) => {
          try {
            await checkNode(node, settings);
            sound.add(node);
          } catch (error) {
            if (!(error instanceof RpcError)) throw error;
            log("address-trouble", { host: node.host, code: error.fault });
          }
        }),
      );
      unwatch ??= await presence.watch();
      loop.start();
    },
    stop: async () => {
      await loop.stop();
      await unwatch?.();
      unwatch = undefined;
      // Where the store is away, the lease runs out by itself.
      await store.chain.release(place, runner).catch(() => {});
    },
  };
}

/** What an operator mends in the settings or at the chain: it is told, and looked for again. */
const chainProblems = new Set(["wrong-chain", "no-contract"]);
