import type { Host } from "../host/host.ts";
import { backoffMs } from "../prompt/bounds.ts";
import { Problem } from "../prompt/problem.ts";
import type { Dispatch } from "../store/channels/dispatches.ts";
import { isTransient, type Sleep } from "./loop.ts";
import { sentInto } from "./turn-record.ts";

/** A channel of an agent: what its parts share. */
export type ChannelDeps = {
  readonly host: Host;
  readonly agent: string;
  /** Name of the channel. */
  readonly channel: string;
  readonly clock: () => Date;
  readonly sleep: Sleep;
  readonly random: () => number;
  /** Reports to the operator; never a user's words, nor a token. */
  readonly log: (kind: string, about?: Readonly<Record<string, unknown>>) => void;
};

/**
 * The reason why a service did not take a message: `refused` for good; `busy`, so that the whole channel waits; `unreachable`,
 * so that the message is tried again. `reason` goes into the log: no token, and nobody's words.
 */
export type SendFault = {
  readonly kind: "refused" | "busy" | "unreachable";
  readonly reason: string;
  /** Milliseconds after which the service takes the next message. */
  readonly afterMs?: number;
};

/** Posts a message to the service. No fault means that the service has it. */
type Post = (dispatch: Dispatch, signal: AbortSignal) => Promise<SendFault | undefined>;

const idleMs = 1000;
const concurrency = 20;
/** Milliseconds of a lease, longer than any answer of a service is waited for. */
const leaseMs = 120_000;

/**
 * Makes the round that sends: the next message of each chat, in the order in which they were written. It returns the milliseconds
 * until the next round.
 *
 * A message that the service accepted is sent once more if we died before we recorded that: few services have ids for messages
 * that would detect it.
 */
export function createSendRound(deps: ChannelDeps, post: Post): (signal: AbortSignal) => Promise<number> {
  const { agent, channel, host, clock } = deps;
  let silentUntil = 0;
  const pause = (ms: number) => {
    silentUntil = Math.max(silentUntil, clock().getTime() + ms);
  };
  return async (signal) => {
    const silent = silentUntil - clock().getTime();
    if (silent > 0) return silent;
    const due = await host.store.dispatches.claim(agent, channel, { limit: concurrency, leaseMs });
    if (due.length === 0) return idleMs;
    const sent = await Promise.all(due.map((one) => send(deps, post, one, pause, signal)));
    return sent.some((outcome) => outcome) ? 0 : idleMs;
  };
}

/** Sends one message; returns true if it is settled, so that the next message of its chat may be sent. */
async function send(
  deps: ChannelDeps,
  post: Post,
  dispatch: Dispatch,
  pause: (ms: number) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const { agent, channel, host, clock, random, log } = deps;
  const { dispatches, links } = host.store;
  const { id, scope, address, tries } = dispatch;
  const dead = async (reason: string) => {
    await dispatches.markDead(id, reason);
    log("dispatch-dead", { dispatch: id, reason });
    return true;
  };
  const link = await links.find(agent, channel, address);
  if (!link || link.scope.user !== scope.user) return dead("the chat is not this user's any more");
  const fault = await post(dispatch, signal);
  if (!fault) {
    const into = async () => (dispatch.turn === undefined ? {} : sentInto(host.store, agent, clock()));
    await keepTrying(deps, signal, async () => dispatches.markSent(id, await into()));
    return true;
  }
  if (fault.kind === "refused") return dead(fault.reason);
  const wait = fault.afterMs ?? backoffMs(tries, random, { max: 300_000 });
  // Pauses the whole channel, because services limit messages per bot, not per chat.
  if (fault.kind === "busy") pause(wait);
  await dispatches.retryAt(id, fault.reason, new Date(clock().getTime() + wait).toISOString());
  return false;
}

/**
 * Records that the service has the message. While the store is away only this process knows, so it retries until its lease is
 * nearly over.
 */
async function keepTrying(
  { sleep, random, clock }: ChannelDeps,
  signal: AbortSignal,
  keep: () => Promise<void>,
): Promise<void> {
  const until = clock().getTime() + leaseMs - 5000;
  for (let failures = 0; ; failures++)
    try {
      return await keep();
    } catch (error) {
      const wait = backoffMs(failures, random, { min: 200, max: 5000 });
      const passing = error instanceof Problem && isTransient(error);
      if (!passing || signal.aborted || clock().getTime() + wait > until) throw error;
      await sleep(wait, signal);
    }
}
