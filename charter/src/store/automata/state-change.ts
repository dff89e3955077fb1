import { recordEvents } from "../event.ts";
import type { Database } from "../home/database.ts";
import { sql } from "../home/sql.ts";

/** One step of an agent's state machine. */
export type StateChange = {
  readonly from: string;
  readonly to: string;
  /** What happened. */
  readonly cause: string;
  readonly turn: string | null;
  readonly at: string;
  /** Nothing like it was foreseen in that state. */
  readonly fault?: true;
};

/** Records changes of an agent's state within a transaction; the last one is where it is now. */
export async function recordChanges(db: Database, agent: string, changes: readonly StateChange[]): Promise<void> {
  await recordEvents(
    db,
    changes.map(({ from, to, cause, turn, at, fault }) => {
      const kind = fault ? "automaton-fault" : "automaton-state";
      return { at, scope: { agent }, kind, turn, detail: { from, to, cause } };
    }),
  );
  const last = changes.at(-1);
  if (last)
    await db.run(sql`update automata set state = ${last.to}, state_at = ${last.at}, turn = ${last.turn}
      where agent = ${agent}`);
}
