import type { Database } from "../home/database.ts";
import { type Query, sql } from "../home/sql.ts";

/** What an agent's replies that were signed since then cost, or may cost, in wei. */
export async function sumFees(db: Database, agent: string, since: string): Promise<bigint> {
  const rows = await db.all<{ fee: string }>(sql`select fee from chain_replies where agent = ${agent}
    and at >= ${since} and fee is not null`);
  return rows.reduce((sum, { fee }) => sum + BigInt(fee), 0n);
}

/** So many days it stays known what an erased user's replies have cost: more than the one whose sum it is part of. */
export const erasedFeesDays = 2;

/**
 * Before a user's replies are deleted: what an agent paid for them of late, or may have to, counts as nobody's. So no
 * limit is won by it. Nothing else of them stays.
 */
export async function disownFees(db: Database, own: Query, at: string): Promise<void> {
  const since = new Date(Date.parse(at) - erasedFeesDays * 86_400_000).toISOString();
  await db.run(sql`update chain_replies set user_id = '', message = '', on_chain = '', state = 'erased', raw = ${null},
      tx = ${null}, nonce = ${null}, sent_at = ${null}, block = ${null}, block_hash = ${null}, reason = ${null}
    where fee is not null and at >= ${since} and ${own}`);
  await db.run(sql`delete from chain_replies where state = 'erased' and at < ${since}`);
}
