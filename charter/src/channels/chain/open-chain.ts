import { runnerName } from "../../agent/agent.ts";
import { sleep as usualSleep } from "../../agent/limits.ts";
import { Problem } from "../../prompt/problem.ts";
import type { ChainBalance, Payment } from "../../store/chain/chain.ts";
import type { ChainPlace } from "../../store/chain/chain-message.ts";
import type { Store } from "../../store/store.ts";
import { createLoop, createPresence, type Sleep } from "../loop.ts";
import type { ChainSettings } from "./chain-config.ts";
import { createChainReader } from "./chain-reader.ts";
import { type AskNode, findBlock, NonsenseAnswer, readHead, readHex, readQuantity, refusalOf } from "./node-answer.ts";
import { createReplySender } from "./reply-sender.ts";
import { createRpcClient, type RpcClient, RpcError } from "./rpc-client.ts";
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
  readonly log?: (entry: Readonly<Record<string, unknown>>) => void;
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
  readonly log?: (entry: Readonly<Record<string, unknown>>) => void;
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
export async function finalPayments(ask: AskNode, payments: readonly Payment[]): Promise<Payment[]> {
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
export async function readEther(ask: AskNode, { address }: Pick<ChainSettings, "address">): Promise<ReadBalance> {
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
