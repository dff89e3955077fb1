import type { ChainBalance } from "../store/chain/chain.ts";

/** Writes an amount of the smallest units as people do: 1500000000000000000 of 18 places is 1.5. */
export function unitsText(amount: bigint, decimals: number): string {
  const sign = amount < 0n ? "-" : "";
  const digits = String(amount < 0n ? -amount : amount).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const part = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return `${sign}${whole}${part === "" ? "" : `.${part}`}`;
}

/** Writes wei as ETH. */
export function etherText(wei: bigint): string {
  return unitsText(wei, 18);
}

/** Reads ETH, as people write it, in wei; undefined where it is no such amount. */
export function weiOf(text: string): bigint | undefined {
  const [, whole, part = ""] = /^(\d{1,12})(?:\.(\d{1,18}))?$/.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole) * 10n ** 18n + BigInt(part.padEnd(18, "0"));
}

/** Tells whether a text is an address: twenty bytes in hex. Upper and lower case are the same address. */
export function isAddress(text: string): boolean {
  return /^0x[0-9a-f]{40}$/i.test(text);
}

/** A balance of an agent on its chain, as it is shown: in whole units, with the time of reading. */
export type ShownBalance = {
  /** The asset: “ETH”, or a token's address. */
  readonly asset: string;
  readonly symbol: string;
  /** The amount in whole units, as in “1.5”. */
  readonly amount: string;
  readonly block: number;
  readonly readAt: string;
  /** Says that it was read more than ten minutes ago, and may have changed. */
  readonly stale: boolean;
};

const staleMs = 10 * 60_000;
/** Milliseconds after its last reading at which a balance is no longer shown as the agent's: its chain is not read any more. */
const maxShownMs = 24 * 60 * 60_000;

/** Returns the newest balance of each kind: an agent may have lived on another chain before. */
export function shownBalances(balances: readonly ChainBalance[], now: Date): readonly ShownBalance[] {
  const newest = (some: readonly ChainBalance[]) =>
    some.reduce<ChainBalance | undefined>((best, one) => (best && best.readAt >= one.readAt ? best : one), undefined);
  const kinds = [balances.filter(({ asset }) => asset === "ETH"), balances.filter(({ asset }) => asset !== "ETH")];
  return kinds.flatMap((some) => {
    const balance = newest(some);
    if (balance === undefined) return [];
    const { asset, symbol, amount, decimals, block, readAt } = balance;
    const stale = Math.abs(now.getTime() - Date.parse(readAt)) > staleMs;
    return [{ asset, symbol, amount: unitsText(BigInt(amount), decimals), block, readAt, stale }];
  });
}

/**
 * Returns the balances for the agent itself, as lines of its state; empty where it has no chain, or one that is not read any
 * more.
 */
export function balanceFacts(
  balances: readonly ChainBalance[],
  now: Date,
): { readonly eth_balance?: string; readonly token_balance?: string } {
  const read = balances.filter(({ readAt }) => now.getTime() - Date.parse(readAt) <= maxShownMs);
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
