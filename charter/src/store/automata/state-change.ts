import { type EventRow, recordEvents } from "../event.ts";
import type { Database } from "../home/database.ts";
import type { Page } from "../home/page.ts";
import { listOf, sql } from "../home/sql.ts";

/** One step of an agent's state machine. */
export type StateChange = {
  readonly from: string;
  readonly to: string;
  /** What happened. */
  readonly cause: string;
  readonly turn: string | null;
  readonly at: string;
  /** The event was not expected in that state. */
  readonly fault?: true;
};

const kinds = { change: "automaton-state", fault: "automaton-fault" } as const;

/** Records changes of an agent's state within a transaction; the last one is where it is now. */
export async function recordChanges(db: Database, agent: string, changes: readonly StateChange[]): Promise<void> {
  await recordEvents(
    db,
    changes.map(({ from, to, cause, turn, at, fault }) => {
      const kind = fault ? kinds.fault : kinds.change;
      return { at, scope: { agent }, kind, turn, detail: { from, to, cause } };
    }),
  );
  const last = changes.at(-1);
  if (last)
    await db.run(sql`update automata set state = ${last.to}, state_at = ${last.at}, turn = ${last.turn}
      where agent = ${agent}`);
}

/** What was recorded so, newest first. */
export async function readChanges(
  db: Database,
  agent: string,
  { limit, offset }: Required<Page>,
): Promise<StateChange[]> {
  const rows = await db.all<
    Pick<EventRow, "at" | "kind" | "turn" | "detail">
  >(sql`select at, kind, turn, detail from events
    where agent = ${agent} and user_id = '' and kind in ${listOf(Object.values(kinds))}
    order by id desc limit ${limit} offset ${offset}`);
  return rows.map(({ at, kind, turn, detail }) => {
    const { from, to, cause }: Record<string, unknown> = JSON.parse(detail);
    const change = { from: String(from), to: String(to), cause: String(cause), turn, at };
    return kind === kinds.fault ? { ...change, fault: true } : change;
  });
}
