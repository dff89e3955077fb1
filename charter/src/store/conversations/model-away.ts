import { recordEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import { sql } from "../home/sql.ts";
import { countTries } from "./finish-messages.ts";
import { lockInbox } from "./post-message.ts";

/** Why a model gave no answer: to a turn, or, without one, when it was asked whether it is back. */
export type NoAnswer = { readonly because: string; readonly turn?: string | null };

/** An agent's model gave no answer, within a transaction. Since when stays as it was first. */
export async function markAway(
  db: Database,
  at: string,
  agent: string,
  { because, turn = null }: NoAnswer,
): Promise<void> {
  const began = await db.run(sql`update automata set away_since = ${at} where agent = ${agent} and away_since is null`);
  await db.run(sql`update automata set away_because = ${because}, away_turn = ${turn} where agent = ${agent}`);
  if (began > 0) await recordEvent(db, at, { scope: { agent }, kind: "model-away", turn, detail: { because } });
}

/**
 * It answers, within a transaction. Where that is the first it was asked since a turn failed, it was there then: the
 * messages of that turn have had a try.
 */
export async function markBack(db: Database, at: string, agent: string): Promise<void> {
  await lockInbox(db, agent);
  const row = await db.one<{ since: string | null; turn: string | null }>(sql`select away_since as since,
    away_turn as turn from automata where agent = ${agent}`);
  if (!row?.since) return;
  if (row.turn !== null) await countTries(db, at, agent, row.turn);
  await db.run(sql`update automata set away_since = ${null}, away_because = ${null}, away_turn = ${null}
    where agent = ${agent}`);
  await recordEvent(db, at, { scope: { agent }, kind: "model-back", detail: { since: row.since } });
}
