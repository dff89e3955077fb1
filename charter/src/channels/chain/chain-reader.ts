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

/** Options of `createChainReader`: the store, the agent, and where its inbox on a chain is. */
export type ChainReaderOptions = {
  readonly store: Store;
  readonly agent: string;
  readonly settings: ChainSettings;
  readonly clock: () => Date;
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly random?: () => number;
  readonly fetch?: typeof globalThis.fetch;
  /** A client of the chain's nodes that others use as well. */
  readonly rpc?: RpcClient;
  /** Maximum milliseconds of one request; 10 seconds by default. */
  readonly timeoutMs?: number;
  /** Milliseconds between checks for new blocks; 4 seconds by default. */
  readonly everyMs?: number;
  /** Milliseconds without a sign after which a process counts as dead, and another takes charge; one minute by default. */
  readonly leaseMs?: number;
  /** Name of this process (“host:pid”). */
  readonly runner?: string;
  /** Receives news for the operator; never anyone's text. */
  readonly log?: (entry: Readonly<Record<string, unknown>>) => void;
};

/**
 * Reads messages to an agent from a chain into its inbox, where the automaton finds them. Several processes may do this for one
 * agent; one of them is in charge at a time.
 */
export type ChainReader = {
  /** Begins to read. Nodes of another chain, or without the contract, are a Problem; unreachable nodes are waited for. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** Reads everything there is now, and returns the number of newly waiting messages. */
  readonly tick: () => Promise<number>;
  /** Checks now, if it was started. */
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
  /** Loads the decoders on first use; after a failure it tries again. */
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
  /** Takes charge of the inbox; a process in charge already only checks whether it still is. */
  const takeCharge = async (): Promise<ChainCursor | undefined> => {
    const now = clock().getTime();
    const row = Math.abs(now - renewedAt) < leaseMs / 3 ? await store.chain.cursor(place) : undefined;
    if (row?.runner === runner) return row;
    const claimed = await store.chain.claim(place, { runner, leaseMs, isGone: isRunnerGone });
    renewedAt = claimed ? now : Number.NEGATIVE_INFINITY;
    return claimed;
  };

  /**
   * Returns the views of all nodes that answer. A node that turns out to be of another chain is reported, and not asked again.
   */
  const readViews = async (signal: AbortSignal): Promise<ChainView[]> => {
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
          // Prefers a Problem for the operator to fix over an unreachable node.
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
  const readOnce = async (signal: AbortSignal) => {
    let result = nothing;
    await presence.whileThere(async (present) => {
      const about = await prepare();
      const cursor = await takeCharge();
      if (!cursor) return 0;
      try {
        const views = inOrder(await readViews(present));
        // Puts nodes that are behind last, also for other users of the client.
        rpc.prefer(views.map(({ node }) => node));
        result = { ...(await readChain(about, cursor, views, present)), waitMs: everyMs };
      } catch (error) {
        if (present.aborted) return 0;
        if (!(error instanceof RpcError || error instanceof Problem)) throw error;
        if (error instanceof Problem && !chainProblems.has(error.code)) throw error;
        if (cursor.problem !== error.message) await store.chain.note(place, { problem: error.message });
        const asked = error instanceof RpcError ? (error.retryAfterMs ?? 0) : 0;
        result = { ...nothing, waitMs: Math.max(everyMs, asked) };
      }
      return 0;
    })(signal);
    return result;
  };

  const onError = (error: unknown) => log("trouble", { code: error instanceof Problem ? error.code : "internal" });
  const loop = createLoop({
    round: async (signal) => {
      const { again, waitMs } = await readOnce(signal);
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
        const result = await readOnce(never);
        posted += result.posted;
        more = result.again;
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
      // Leaves the lease to run out where the store is away.
      await store.chain.release(place, runner).catch(() => {});
    },
  };
}

/** Codes of faults that an operator fixes in the settings or at the chain: they are recorded, and checked again. */
const chainProblems = new Set(["wrong-chain", "no-contract"]);
