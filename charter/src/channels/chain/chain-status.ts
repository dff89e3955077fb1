import { etherText, type ShownBalance, shownBalances } from "../../charters/ether.ts";
import { chainKeyVariable, hasKeyIn } from "../../sources/core-memory/key-source.ts";
import type { ChainCursor } from "../../store/chain/chain-message.ts";
import type { ChainReply, ChainReplyState } from "../../store/chain/chain-replies.ts";
import type { Store } from "../../store/store.ts";
import { automataOf } from "../automata.ts";
import { type ChainSettings, chainSettings } from "./chain-config.ts";

/** The settings of an agent's chain, and where its key is. Never the key itself. */
export type KnownChain = Pick<
  ChainSettings,
  "rpc" | "id" | "contract" | "address" | "maxFeePerReply" | "maxFeePerDay"
> & {
  readonly key: "file" | "environment" | null;
  readonly keyFile: string | undefined;
  readonly sends: boolean;
};

/** A reply that is not on the chain, and why. */
type StoppedReply = Pick<ChainReply, "reply" | "message" | "to" | "reason">;

/** The status of an agent's chain: how far it was read, what waits, what was paid. Amounts are in ETH. */
export type ChainStatus = {
  readonly chain: number;
  readonly contract: string;
  /** The last block that was read, the newest one then, and the number between them. */
  readonly block: number | null;
  readonly head: number | null;
  readonly lag: number | null;
  readonly readAt: string | null;
  /** The reason why it cannot be read, if there is one. */
  readonly problem: string | null;
  /** Number of posts in blocks that are not lasting yet. */
  readonly unconfirmed: number;
  readonly replies: Readonly<Record<ChainReplyState, number>>;
  /** The first replies that are held, have failed, or have not reached the chain for ten minutes. */
  readonly held: readonly StoppedReply[];
  readonly failed: readonly StoppedReply[];
  readonly stuck: readonly StoppedReply[];
  readonly feesToday: string;
  /** The settings; null where they are not known here. */
  readonly address: string | null;
  readonly key: KnownChain["key"];
  readonly sends: boolean | null;
  readonly maxFeePerReply: string | null;
  readonly maxFeePerDay: string | null;
  readonly balances: readonly ShownBalance[];
};

/** Collects the chains of a config's agents. */
export function knownChains(
  config: Parameters<typeof automataOf>[0],
  env: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, KnownChain> {
  const chains = automataOf(config).flatMap(({ agent, chain }) => {
    if (chain === undefined) return [];
    const { rpc, id, contract, address, maxFeePerReply, maxFeePerDay, keyFile, replies } = chainSettings(agent, chain);
    const hasVariable = hasKeyIn(chainKeyVariable, env);
    const key = keyFile !== undefined ? ("file" as const) : hasVariable ? ("environment" as const) : null;
    const sends = replies === "send" || (replies === undefined && key !== null);
    return [[agent, { rpc, id, contract, address, maxFeePerReply, maxFeePerDay, key, keyFile, sends }] as const];
  });
  return new Map(chains);
}

const maxShownReplies = 5;
const stuckMs = 10 * 60_000;
const noReplies = { waiting: 0, signed: 0, sent: 0, mined: 0, final: 0, held: 0, failed: 0 };

/** Reads the status of an agent's chain; undefined, where it has none. */
export async function chainStatus(
  { chain: store }: Pick<Store, "chain">,
  agent: string,
  known: KnownChain | undefined,
  now: Date,
): Promise<ChainStatus | undefined> {
  const cursor = cursorOf(await store.cursors(agent), known);
  const [chain, contract] = [known?.id ?? cursor?.chain, known?.contract ?? cursor?.contract];
  if (chain === undefined || contract === undefined) return undefined;
  const place = { agent, chain, contract };
  const [first, late] = [{ limit: maxShownReplies }, new Date(now.getTime() - stuckMs).toISOString()];
  const [counts, held, failed, stuck, fees, balances] = await Promise.all([
    store.counts(place),
    store.replies.list(place, "held", first).then(stopped),
    store.replies.list(place, "failed", first).then(stopped),
    store.replies.listStuck(place, late, first).then(stopped),
    store.replies.feesSince(agent, `${now.toISOString().slice(0, 10)}T00:00:00.000Z`),
    store.balances.list(agent, chain),
  ]);
  const { head = null, readAt = null, problem = null, unconfirmed = 0 } = cursor ?? {};
  const block = cursor?.last?.block ?? null;
  return {
    ...{ chain, contract, block, head, lag: head === null || block === null ? null : Math.max(0, head - block) },
    ...{ readAt, problem, unconfirmed, replies: { ...noReplies, ...counts.replies }, held, failed, stuck },
    feesToday: etherText(fees),
    address: known?.address ?? null,
    key: known?.key ?? null,
    sends: known?.sends ?? null,
    maxFeePerReply: known === undefined ? null : etherText(known.maxFeePerReply),
    maxFeePerDay: known === undefined ? null : etherText(known.maxFeePerDay),
    balances: shownBalances(balances, now),
  };
}

function stopped(replies: readonly ChainReply[]): readonly StoppedReply[] {
  return replies.map(({ reply, message, to, reason }) => ({ reply, message, to, reason }));
}

/** Returns the cursor of the settings' chain; without settings, the one that was read last, if it was not left. */
function cursorOf(cursors: readonly ChainCursor[], known: KnownChain | undefined): ChainCursor | undefined {
  if (known) return cursors.find(({ chain, contract }) => chain === known.id && contract === known.contract);
  const read = cursors.filter(({ readAt, problem }) => readAt !== null || problem !== null);
  return read.sort((one, other) => ((one.readAt ?? "") < (other.readAt ?? "") ? 1 : -1))[0];
}
