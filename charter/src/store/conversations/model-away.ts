import type { Database } from "../home/database.ts";
import { sql } from "../home/sql.ts";
import { countTries } from "./finish-messages.ts";
import { lockInbox } from "./post-message.ts";

/** Why a model gave no answer: to a turn, or, without one, when it was asked whether it is back. */
export type NoAnswer = { readonly because: string; readonly turn?: string };

/** An agent's model gave no answer, within a transaction. Since when stays as it was first. */
export async function markAway(db: Database, at: string, agent: string, { because, turn }: NoAnswer): Promise<void> {
  await db.run(sql`update automata set away_since = coalesce(away_since, ${at}), away_because = ${because},
    away_turn = ${turn ?? null} where agent = ${agent}`);
}

/**
 * It answers, within a transaction. Where that is the first it was asked since a turn failed, it was there then: the
 * messages of that turn have had a try.
 */
export async function markBack(db: Database, at: string, agent: string): Promise<void> {
  await lockInbox(db, agent);
  const row = await db.one<{ turn: string | null }>(sql`select away_turn as turn from automata where agent = ${agent}`);
  if (row?.turn) await countTries(db, at, agent, row.turn);
  await db.run(sql`update automata set away_since = ${null}, away_because = ${null}, away_turn = ${null}
    where agent = ${agent}`);
}
