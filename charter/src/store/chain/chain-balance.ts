import type { StoreDeps } from "../deps.ts";
import { matching, putInto, recordOf } from "../home/query.ts";
import { sql } from "../home/sql.ts";
import type { RecordOf } from "../home/table.ts";
import { isInUse } from "./chain-cursor.ts";
import { chainBalances } from "./chain-tables.ts";

/** What an agent's address has on a chain, as it was last read. */
export type ChainBalance = Omit<RecordOf<typeof chainBalances>, "agent">;

/** `store.chain.balances`: what an agent has on chains. */
export type ChainBalances = {
  /** Replaces what was known. */
  readonly set: (agent: string, chain: number, balance: Omit<ChainBalance, "readAt">) => Promise<void>;
  readonly list: (agent: string, chain?: number) => Promise<ChainBalance[]>;
};

export function createChainBalances({ home, now }: Pick<StoreDeps, "home" | "now">): ChainBalances {
  return {
    set: (agent, chain, balance) =>
      home.write("everything", async (db) => {
        if (await isInUse(db, agent)) await db.run(putInto(chainBalances, { agent, chain, ...balance, readAt: now() }));
      }),
    list: (agent, chain) =>
      home.read("everything", async (db) => {
        const rows = await db.all<object>(sql`select * from chain_balances where ${matching({ agent, chain })}
          order by case when asset = 'ETH' then 0 else 1 end, asset`);
        return rows.map((row) => {
          const { agent: _, ...balance } = recordOf(chainBalances, row);
          return balance;
        });
      }),
  };
}
