import type { Database } from "../home/database.ts";
import { sql } from "../home/sql.ts";

/** Since when an agent's model has given no answer, and what was said of it last. */
export type ModelAway = {
  readonly since: string;
  readonly because: string;
  /** The turn that failed, while nothing else was asked since: whether its messages were at fault is not known yet. */
  readonly turn: string | null;
};

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
  /** Its model gave no answer when it was last asked; null: it did. */
  readonly away: ModelAway | null;
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
  away_since: string | null;
  away_because: string | null;
  away_turn: string | null;
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
    ...{ asleepUntil: row.asleep_until, ownTurnAt: row.own_turn_at, away: awayOf(row) },
    ...{ turns, runner, leasedUntil: row.leased_until, address },
  };
}

function awayOf({ away_since: since, away_because, away_turn: turn }: AutomatonRow): ModelAway | null {
  return since === null ? null : { since, because: away_because ?? "", turn };
}

/** Whether this process is in charge of an agent, as far as its row says. */
export async function isInCharge(db: Database, agent: string, runner: string): Promise<boolean> {
  const row = await db.one<{ runner: string | null }>(sql`select runner from automata where agent = ${agent}`);
  return row?.runner === runner;
}
