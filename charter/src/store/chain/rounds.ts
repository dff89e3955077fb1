import type { Database } from "../home/database.ts";
import { listOf, sql } from "../home/sql.ts";

/** The rounds of messages that come together, in their order. */
type Rounds = { readonly next: (user: string) => number };

/** As for one message alone (see `post-message.ts`): each further message of a sender is served a round later. */
export async function createRounds(db: Database, agent: string, users: readonly string[]): Promise<Rounds> {
  const front = await db.one<{ round: number }>(sql`select round from inbox where agent = ${agent}
    and status = 'waiting' and lane = 'chain' order by round limit 1`);
  const rows = await db.all<{ user_id: string; round: number }>(sql`select user_id, max(round) as round from inbox
    where agent = ${agent} and user_id in ${listOf([...new Set(users)])} and status = 'waiting' group by user_id`);
  const last = new Map(rows.map(({ user_id, round }) => [user_id, round]));
  return {
    next: (user) => {
      const before = last.get(user);
      const round = Math.max(front?.round ?? 0, before === undefined ? 0 : before + 1);
      last.set(user, round);
      return round;
    },
  };
}
