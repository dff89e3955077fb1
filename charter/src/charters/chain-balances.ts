import type { ChainBalance } from "../store/chain/chain.ts";
import { unitsText } from "./ether.ts";

/** What an agent has on its chain, as it is shown: in whole units, with the time of reading. */
export type ShownBalance = {
  /** “ETH”, or a token's address. */
  readonly asset: string;
  readonly symbol: string;
  /** In whole units, as in “1.5”. */
  readonly amount: string;
  readonly block: number;
  readonly readAt: string;
  /** It was read more than ten minutes ago: it may be another by now. */
  readonly stale: boolean;
};

const staleMs = 10 * 60_000;
/** So long after its last reading a balance is told to nobody as the agent's: its chain is not read any more. */
const goneMs = 24 * 60 * 60_000;

/** Of each kind the newest: an agent may have lived on another chain before. */
export function shownBalances(balances: readonly ChainBalance[], now: Date): readonly ShownBalance[] {
  const newest = (some: readonly ChainBalance[]) =>
    some.reduce<ChainBalance | undefined>((best, one) => (best && best.readAt >= one.readAt ? best : one), undefined);
  const kinds = [balances.filter(({ asset }) => asset === "ETH"), balances.filter(({ asset }) => asset !== "ETH")];
  return kinds.flatMap((some) => {
    const found = newest(some);
    if (found === undefined) return [];
    const { asset, symbol, amount, decimals, block, readAt } = found;
    const stale = Math.abs(now.getTime() - Date.parse(readAt)) > staleMs;
    return [{ asset, symbol, amount: unitsText(BigInt(amount), decimals), block, readAt, stale }];
  });
}

/** The same for the agent itself, in the lines of its state; nothing, where it has no chain, or one that is not read any more. */
export function balanceFacts(
  balances: readonly ChainBalance[],
  now: Date,
): { readonly eth_balance?: string; readonly token_balance?: string } {
  const read = balances.filter(({ readAt }) => now.getTime() - Date.parse(readAt) <= goneMs);
  const lines = shownBalances(read, now).map((balance) => {
    const name = balance.asset === "ETH" ? "eth_balance" : "token_balance";
    return [
      name,
      `${balance.amount} ${balance.symbol}, read ${ageText(balance, now)}${balance.stale ? ": stale" : ""}`,
    ];
  });
  return Object.fromEntries(lines);
}

function ageText({ readAt }: ShownBalance, now: Date): string {
  const minutes = Math.floor((now.getTime() - Date.parse(readAt)) / 60_000);
  if (minutes < 1) return "less than a minute ago";
  return minutes === 1 ? "a minute ago" : `${minutes} minutes ago`;
}
