import { isRunnerGone, runnerName } from "../../agent/agent.ts";
import { sleep as usualSleep } from "../../agent/limits.ts";
import { checkNeeded, isFunction, isObject, isText } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import type { ChainBalance, Payment } from "../../store/chain/chain.ts";
import type { ChainCursor, ChainPlace } from "../../store/chain/chain-message.ts";
import type { Store } from "../../store/store.ts";
import { createLoop, createPresence, type Sleep, type Tell } from "../loop.ts";
import type { ChainSettings } from "./chain-config.ts";
import { type ChainView, checkNode, inOrder, viewFrom } from "./chain-view.ts";
import { type AskNode, findBlock, NonsenseAnswer, readHead, readHex, readQuantity, refusalOf } from "./node-answer.ts";
import { loadPostedLogs, loadPostProofs } from "./posts.ts";
import { type ChainReading, type ReadResult, readChain } from "./read-chain.ts";
import { createReplySender } from "./reply-sender.ts";
import { allResting, createRpcClient, type RpcClient, RpcError, type RpcNode } from "./rpc-client.ts";
import { loadReplyCodec, type ReplyCodec, type ReplySigner, readChainKey } from "./transaction.ts";

/** Options of `openChain`. */
type OpenChainOptions = {
  readonly store: Store;
  readonly agent: string;
  readonly settings: ChainSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: () => Date;
  readonly sleep?: Sleep;
  /** Maximum milliseconds of a node's answer. */
  readonly timeoutMs?: number;
  readonly log?: Tell;
};

/** An agent's chain: its messages are read, and its replies are sent where there is a key. */
export type OpenedChain = {
  /** Starts both. A chain that differs from the settings is a Problem; unreachable nodes are waited for. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** Reads the key, if replies are to be sent: a missing or wrong key is a Problem. No node is asked before `start`. */
export async function openChain(options: OpenChainOptions): Promise<OpenedChain> {
  const { store, agent, settings, env, clock, sleep, timeoutMs, log } = options;
  const codec = await loadReplyCodec();
  const addressOf = (key: `0x${string}`) => codec.signer(key).address;
  const { address, keyFile, replies } = settings;
  const key = replies === "poll" ? undefined : await readChainKey({ agent, address, keyFile, env, addressOf });
  if (replies === "send" && key === undefined)
    throw new Problem(
      "key-missing",
      `“${agent}” has to send its replies to its chain, and has no key.`,
      'Name the file in automaton.chain.keyFile, set CHARTER_CHAIN_KEY, or write replies: "poll".',
    );
  const rpc = createRpcClient({ addresses: settings.rpc, clock, random: Math.random, ...(timeoutMs && { timeoutMs }) });
  const shared = { store, agent, settings, rpc, clock, ...(sleep && { sleep }), ...(log && { log }) };
  const reader = createChainReader(shared);
  const account = createChainAccount({ ...shared, codec, signer: key === undefined ? undefined : codec.signer(key) });
  return {
    start: async () => {
      const { id: chain, contract, address, token } = settings;
      await store.chain.leaveOthers(agent, {
        chain,
        contract,
        address,
        assets: ["ETH", ...(token === undefined ? [] : [token])],
      });
      await reader.start();
      await account.start();
    },
    stop: async () => {
      // Stops the sender first: it needs the chain to be ours until it ends.
      await account.stop();
      await reader.stop();
    },
  };
}

/** Options of an agent's account on a chain. */
type ChainAccountOptions = {
  readonly store: Store;
  readonly agent: string;
  readonly settings: ChainSettings;
  readonly rpc: Pick<RpcClient, "request">;
  readonly codec: ReplyCodec;
  /** Signs replies; undefined: replies are only polled. */
  readonly signer?: ReplySigner | undefined;
  readonly clock: () => Date;
  readonly sleep?: Sleep;
  readonly random?: () => number;
  readonly runner?: string;
  /** Receives news for the operator; never anyone's text, and never a key. */
  readonly log?: Tell;
};

/** Sends an agent's replies to its chain, reads its balances and turns payments into cycles, while in charge of the chain. */
type ChainAccount = {
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** Runs one round. */
  readonly tick: () => Promise<void>;
};

const idleMs = 2000;
/** Milliseconds between checks of balances and payments. */
const accountMs = 60_000;

export function createChainAccount(options: ChainAccountOptions): ChainAccount {
  const { store, agent, settings, rpc, codec, signer, clock } = options;
  const { sleep = usualSleep, random = Math.random, runner = runnerName() } = options;
  const place: ChainPlace = { agent, chain: settings.id, contract: settings.contract };
  const log = (kind: string, about: Readonly<Record<string, unknown>> = {}) => {
    try {
      options.log?.({ about: "chain", kind, agent, ...about });
    } catch {}
  };
  const ask = rpc.request;
  const send = signer && createReplySender({ store, agent, settings, signer, codec, ask, runner, clock, log });
  const isInCharge = async () => (await store.chain.cursor(place))?.runner === runner;
  let balancesAt = Number.NEGATIVE_INFINITY;
  const updateBalances = async () => {
    const now = clock().getTime();
    // A clock that was set back does not reveal how long it has been.
    if (Math.abs(now - balancesAt) < accountMs) return;
    if (!(await isInCharge())) return;
    const { address, token } = settings;
    // Reads ETH first: a token that does not answer must not hide it.
    const ether = await readEther(ask, settings);
    await store.chain.balances.set(agent, settings.id, ether);
    balancesAt = now;
    if (token) await store.chain.balances.set(agent, settings.id, await readToken(ask, codec, { address, token }));
  };
  let paymentsAt = Number.NEGATIVE_INFINITY;
  const creditPayments = async () => {
    const { address, earns } = settings;
    const now = clock().getTime();
    if (earns === undefined || Math.abs(now - paymentsAt) < accountMs || !(await isInCharge())) return;
    const rule = { address, ...earns };
    const final = await finalPayments(ask, await store.chain.payments.listDue(place, rule));
    paymentsAt = now;
    if (final.length > 0) await store.chain.payments.credit(place, { runner, rule, final });
  };
  const presence = createPresence(store, agent, () => {});
  /** Runs all three, so that a failure of one does not stop the others. */
  const round = presence.whileThere(async (signal) => {
    const results = await Promise.allSettled([send?.(signal), updateBalances(), creditPayments()]);
    for (const result of results) if (result.status === "rejected") throw result.reason;
    return idleMs;
  });
  const onError = (error: unknown) => {
    const code = error instanceof Problem ? error.code : error instanceof RpcError ? error.fault : "internal";
    log("trouble", { code });
  };
  const loop = createLoop({ round, sleep, random, onError });
  let unwatch: (() => Promise<void>)[] = [];
  return {
    tick: async () => {
      await round(new AbortController().signal);
    },
    start: async () => {
      unwatch = [
        await presence.watch(),
        await store.events.watch(({ scope, kind }) => {
          if (scope.agent === agent && kind === "message-answered") loop.wake();
        }),
      ];
      loop.start();
    },
    stop: async () => {
      await loop.stop();
      for (const one of unwatch.splice(0)) await one();
    },
  };
}

/**
 * Returns the payments that nothing can take back: the chain calls their block final, and that block is the very one they were
 * seen in. On a chain that calls no block final, there are none.
 */
async function finalPayments(ask: AskNode, payments: readonly Payment[]): Promise<Payment[]> {
  if (payments.length === 0) return [];
  const last = await lastFinal(ask);
  const early = payments.filter(({ block }) => block <= last);
  const hashes = new Map<number, string | undefined>();
  for (const block of new Set(early.map(({ block }) => block))) hashes.set(block, (await findBlock(ask, block))?.hash);
  return early.filter(({ block, hash }) => hashes.get(block) === hash);
}

async function lastFinal(ask: AskNode): Promise<number> {
  try {
    return (await findBlock(ask, "finalized"))?.number ?? -1;
  } catch (error) {
    if (refusalOf(error) === undefined) throw error;
    return -1;
  }
}

type ReadBalance = Omit<ChainBalance, "readAt">;
type Hex = `0x${string}`;

/** Reads the ETH of an agent's address. */
async function readEther(ask: AskNode, { address }: Pick<ChainSettings, "address">): Promise<ReadBalance> {
  const [{ number: block }, answer] = await Promise.all([readHead(ask), ask("eth_getBalance", [address, "latest"])]);
  return { asset: "ETH", amount: String(readQuantity("the balance", answer)), decimals: 18, symbol: "ETH", block };
}

/** Reads a token's balance. Not every token tells its decimals and its symbol. */
export async function readToken(
  ask: AskNode,
  codec: ReplyCodec,
  { address, token }: { readonly address: Hex; readonly token: Hex },
): Promise<ReadBalance> {
  const call = async <Read>(what: "balanceOf" | "decimals" | "symbol", read: (answer: Hex) => Read): Promise<Read> => {
    const answer = await ask("eth_call", [{ to: token, data: codec.tokenData(what, address) }, "latest"]);
    const hex = readHex(`the token's ${what}`, answer);
    try {
      return read(hex);
    } catch {
      throw new NonsenseAnswer(`the token's ${what}`);
    }
  };
  const instead =
    <Usual>(usual: Usual) =>
    (error: unknown): Usual => {
      if (error instanceof NonsenseAnswer || refusalOf(error) !== undefined) return usual;
      throw error;
    };
  const [{ number: block }, amount, decimals, symbol] = await Promise.all([
    readHead(ask),
    call("balanceOf", codec.readNumber),
    call("decimals", codec.readNumber).catch(instead(0n)),
    call("symbol", codec.readText).catch(instead("")),
  ]);
  return {
    asset: token,
    amount: String(amount),
    decimals: decimals > maxDecimals ? maxDecimals : Number(decimals),
    symbol: symbolText(symbol),
    block,
  };
}

/** Maximum decimals: a contract has one byte for them. */
const maxDecimals = 255;

/** Cleans a token's symbol: only a short plain name is repeated. */
function symbolText(symbol: string): string {
  const plain = symbol.replace(/\0+$/, "");
  return /^[A-Za-z0-9.$_-]{1,16}$/.test(plain) ? plain : "token";
}

/** Options of `createChainReader`: the store, the agent, and where its inbox on a chain is. */
export type ChainReaderOptions = {
  readonly store: Store;
  readonly agent: string;
  readonly settings: ChainSettings;
  readonly clock: () => Date;
  readonly sleep?: Sleep;
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
  readonly log?: Tell;
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
