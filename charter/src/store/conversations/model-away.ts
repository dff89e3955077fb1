import { findAutomaton } from "../automata/automaton.ts";
import type { ModelAway } from "../automata/automaton-tables.ts";
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
  await lockInbox(db, agent);
  const before = await findAutomaton(db, agent);
  if (!before) return;
  const away: ModelAway = { since: before.away?.since ?? at, because, turn };
  await db.run(sql`update automata set away = ${JSON.stringify(away)} where agent = ${agent}`);
  if (!before.away) await recordEvent(db, at, { scope: { agent }, kind: "model-away", turn, detail: { because } });
}

/**
 * It answers, within a transaction. Where that is the first it was asked since a turn failed, it was there then: the
 * messages of that turn have had a try.
 */
export async function markBack(db: Database, at: string, agent: string): Promise<void> {
  await lockInbox(db, agent);
  const away = (await findAutomaton(db, agent))?.away;
  if (!away) return;
  if (away.turn !== null) await countTries(db, at, agent, away.turn);
  await db.run(sql`update automata set away = ${null} where agent = ${agent}`);
  await recordEvent(db, at, { scope: { agent }, kind: "model-back", detail: { since: away.since } });
}
