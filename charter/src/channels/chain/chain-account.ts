import { runnerName } from "../../agent/runner.ts";
import { sleep as usualSleep } from "../../agent/timeout.ts";
import { Problem } from "../../prompt/problem.ts";
import type { ChainPlace } from "../../store/chain/chain-message.ts";
import type { Store } from "../../store/store.ts";
import { createLoop, type Sleep } from "../loop.ts";
import { createPresence } from "../presence.ts";
import type { ChainSettings } from "./chain-settings.ts";
import { finalPayments } from "./payments.ts";
import { readEther, readToken } from "./read-balances.ts";
import type { ReplyCodec, ReplySigner } from "./replies/reply-codec.ts";
import { createReplySender } from "./replies/reply-sender.ts";
import type { RpcClient } from "./rpc-client.ts";
import { RpcError } from "./rpc-error.ts";

/** What an agent's account on a chain is looked after with. */
type ChainAccountOptions = {
  readonly store: Store;
  readonly agent: string;
  readonly settings: ChainSettings;
  readonly rpc: Pick<RpcClient, "request">;
  readonly codec: ReplyCodec;
  /** Nothing: replies are only polled. */
  readonly signer?: ReplySigner | undefined;
  readonly clock: () => Date;
  readonly sleep?: Sleep;
  readonly random?: () => number;
  readonly runner?: string;
  /** Called with what the operator should know; never with anyone's text, and never with a key. */
  readonly log?: (entry: Readonly<Record<string, unknown>>) => void;
};

/** Puts an agent's replies onto its chain, reads what it has there and makes cycles of payments, while in charge of the chain. */
type ChainAccount = {
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** Looks once. */
  readonly tick: () => Promise<void>;
};

const idleMs = 2000;
/** So often it is looked at what it has there, and what was paid. */
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
  const lookAtBalances = async () => {
    const now = clock().getTime();
    // A clock that was set back says nothing of how long it has been.
    if (Math.abs(now - balancesAt) < accountMs) return;
    if (!(await isInCharge())) return;
    const { address, token } = settings;
    // A token that does not answer does not keep ETH from being known.
    const ether = await readEther(ask, settings);
    await store.chain.balances.set(agent, settings.id, ether);
    balancesAt = now;
    if (token) await store.chain.balances.set(agent, settings.id, await readToken(ask, codec, { address, token }));
  };
  let paymentsAt = Number.NEGATIVE_INFINITY;
  const lookAtPayments = async () => {
    const { address, earns } = settings;
    const now = clock().getTime();
    if (earns === undefined || Math.abs(now - paymentsAt) < accountMs || !(await isInCharge())) return;
    const rule = { address, ...earns };
    const final = await finalPayments(ask, await store.chain.payments.listDue(place, rule));
    paymentsAt = now;
    if (final.length > 0) await store.chain.payments.credit(place, { runner, rule, final });
  };
  const presence = createPresence(store, agent, () => {});
  /** None of them keeps another from being looked at. */
  const look = presence.whileThere(async (signal) => {
    const results = await Promise.allSettled([send?.(signal), lookAtBalances(), lookAtPayments()]);
    for (const result of results) if (result.status === "rejected") throw result.reason;
    return idleMs;
  });
  const onError = (error: unknown) => {
    const code = error instanceof Problem ? error.code : error instanceof RpcError ? error.fault : "internal";
    log("trouble", { code });
  };
  const loop = createLoop({ round: look, sleep, random, onError });
  let unwatch: (() => Promise<void>)[] = [];
  return {
    tick: async () => {
      await look(new AbortController().signal);
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
