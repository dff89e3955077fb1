import type { StoreDeps } from "../deps.ts";
import { sql } from "../home/sql.ts";

/** What an agent's address has on a chain, as it was last read. */
export type ChainBalance = {
  /** “ETH”, or a token's address. */
  readonly asset: string;
  /** In the smallest unit. */
  readonly amount: string;
  readonly decimals: number;
  readonly symbol: string;
  readonly block: number;
  readonly readAt: string;
};

type BalanceRow = Omit<ChainBalance, "readAt"> & { read_at: string };

/** `store.chain.balances`: what an agent has on chains. */
export type ChainBalances = {
  /** Replaces what was known. */
  readonly set: (agent: string, chain: number, balance: Omit<ChainBalance, "readAt">) => Promise<void>;
  readonly list: (agent: string, chain?: number) => Promise<ChainBalance[]>;
};

export function createChainBalances({ home, now }: Pick<StoreDeps, "home" | "now">): ChainBalances {
  return {
    set: async (agent, chain, { asset, amount, decimals, symbol, block }) => {
      await home.write("everything", (db) =>
        db.run(sql`insert into chain_balances (agent, chain, asset, amount, decimals, symbol, block, read_at)
          select name, ${chain}, ${asset}, ${amount}, ${decimals}, ${symbol}, ${block}, ${now()}
            from agents where name = ${agent} and removed_at is null
          on conflict (agent, chain, asset) do update set amount = excluded.amount, decimals = excluded.decimals,
            symbol = excluded.symbol, block = excluded.block, read_at = excluded.read_at`),
      );
    },
    list: (agent, chain) =>
      home.read("everything", async (db) => {
        const which = chain === undefined ? sql`` : sql`and chain = ${chain}`;
        const rows = await db.all<BalanceRow>(sql`select asset, amount, decimals, symbol, block, read_at
          from chain_balances where agent = ${agent} ${which}
          order by case when asset = 'ETH' then 0 else 1 end, asset`);
        return rows.map(({ read_at, ...balance }) => ({ ...balance, readAt: read_at }));
      }),
  };
}
