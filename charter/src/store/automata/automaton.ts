import type { Database } from "../home/database.ts";
import { recordOf } from "../home/query.ts";
import { sql } from "../home/sql.ts";
import type { RecordOf, RowOf } from "../home/table.ts";
import { automata } from "./automaton-tables.ts";

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
