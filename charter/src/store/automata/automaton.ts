import { type EventRow, recordEvents } from "../event.ts";
import { code, count, id, json, name, time } from "../home/column.ts";
import type { Database } from "../home/database.ts";
import { type Page, recordOf } from "../home/query.ts";
import { listOf, sql } from "../home/sql.ts";
import { type RecordOf, type RowOf, table } from "../home/table.ts";

/** Since when an agent's model has given no answer, and what was said of it last. */
export type ModelAway = {
  readonly since: string;
  readonly because: string;
  /** The turn that failed, while nothing else was asked since: whether its messages were at fault is not known yet. */
  readonly turn: string | null;
};

/** What an agent with a life of its own needs: its state and means. */
export const automata = table(
  "automata",
  { of: "agent", key: ["agent"], isByKey: true },
  {
    state: code(),
    stateAt: time(),
    /** The turn that brought it into that state. */
    turn: id().nullable(),
    tier: code(),
    /** Checks in a row that found it better off than its tier says. */
    goodChecks: count().usual(0),
    /** All it was granted, in millionths of a dollar; null: nothing ever. */
    granted: count().nullable(),
    /** What it had spent when it was first granted something. */
    spentBefore: count().usual(0).hidden(),
    asleepUntil: time().nullable(),
    /** When its last turn by itself began. */
    ownTurnAt: time().nullable(),
    /** Its model gave no answer when it was last asked; null: it did. */
    away: json<ModelAway>().nullable(),
    /** The process in charge of it (“host:pid”), and until when. */
    runner: name().nullable().passing(),
    leasedUntil: time().nullable().passing(),
    earnedOn: time().nullable().hidden(),
    earned: count().usual(0).hidden(),
  },
);

/** Of agents with a life of their own: what was ever spent, and how many turns there were. */
export const totals = table(
  "totals",
  {
    of: "agent",
    key: ["agent"],
    isByKey: true,
    // A user's turn counts among its agent's, and so does what it cost; of the agent's means it changes nothing.
    fence: { change: "agent = {agent}" },
    erase: { blank: "keep" },
  },
  { micros: count(), turns: count() },
);

/** An agent's life, as it was last recorded. */
export type Automaton = RecordOf<typeof automata> & {
  /** What it spent since the first grant; without one, ever. */
  readonly spent: number;
  /** How many turns it has begun, its users' among them. */
  readonly turns: number;
  /** Its address on its chain, as the settings name it that it was last started with. */
  readonly address: string | null;
};

type AutomatonRow = RowOf<typeof automata> & { micros: number; turns: number; address: string | null };

export async function findAutomaton(db: Database, agent: string): Promise<Automaton | undefined> {
  const row = await db.one<AutomatonRow>(sql`select a.*, t.micros, t.turns, (select min(c.address) from chain_cursors c
      where c.agent = a.agent) as address from automata a
    join totals t on t.agent = a.agent where a.agent = ${agent}`);
  if (!row) return undefined;
  const { micros, spent_before, turns, address } = row;
  return { ...recordOf(automata, row), spent: micros - spent_before, turns, address };
}

/** Whether this process is in charge of an agent, as far as its row says. */
export async function isInCharge(db: Database, agent: string, runner: string): Promise<boolean> {
  const row = await db.one<{ runner: string | null }>(sql`select runner from automata where agent = ${agent}`);
  return row?.runner === runner;
}

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
