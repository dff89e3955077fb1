import type { Database } from "../home/database.ts";
import { sql } from "../home/sql.ts";

/** An agent's life, as it was last recorded. */
export type Automaton = {
  readonly agent: string;
  readonly state: string;
  readonly stateAt: string;
  /** The turn that brought it into that state. */
  readonly turn: string | null;
  readonly tier: string;
  /** Checks in a row that found it better off than its tier says. */
  readonly goodChecks: number;
  /** All it was granted, in millionths of a dollar; null: nothing ever. */
  readonly granted: number | null;
  /** What it spent since the first grant; without one, ever. */
  readonly spent: number;
  readonly asleepUntil: string | null;
  /** When its last turn by itself began. */
  readonly ownTurnAt: string | null;
  /** How many turns it has begun, its users' among them. */
  readonly turns: number;
  /** The process in charge of it (“host:pid”), and until when. */
  readonly runner: string | null;
  readonly leasedUntil: string | null;
  /** Its address on its chain, as the settings name it that it was last started with. */
  readonly address: string | null;
};

export type AutomatonRow = {
  agent: string;
  state: string;
  state_at: string;
  turn: string | null;
  tier: string;
  good_checks: number;
  granted: number | null;
  spent_before: number;
  asleep_until: string | null;
  own_turn_at: string | null;
  runner: string | null;
  leased_until: string | null;
  address: string | null;
  micros: number;
  turns: number;
};

export function automatonOf(row: AutomatonRow): Automaton {
  const { agent, state, turn, tier, granted, turns, runner, address } = row;
  return {
    ...{ agent, state, stateAt: row.state_at, turn, tier, goodChecks: row.good_checks, granted },
    spent: row.micros - row.spent_before,
    ...{
      asleepUntil: row.asleep_until,
      ownTurnAt: row.own_turn_at,
      turns,
      runner,
      leasedUntil: row.leased_until,
      address,
    },
  };
}

/** Whether this process is in charge of an agent, as far as its row says. */
export async function isInCharge(db: Database, agent: string, runner: string): Promise<boolean> {
  const row = await db.one<{ runner: string | null }>(sql`select runner from automata where agent = ${agent}`);
  return row?.runner === runner;
}
