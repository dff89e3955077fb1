import type { Home } from "../../home/database.ts";
import { listOf, raw, sql } from "../../home/sql.ts";
import type { TokenUsage } from "../spending.ts";
import type { TurnRow } from "../turn.ts";
import { type TurnReason, toldOfTurns } from "../turn-tables.ts";
import { eventKinds, type TurnEvent, turnEvents } from "./list-turns.ts";

/** What lists tell of a turn besides what was said: its model, its cost, what it used, and what happened in it. */
export type TurnOverview = {
  /** The model that was asked last; null where none was, or that is not known. */
  readonly model: string | null;
  /** In dollars; null where nothing was paid, or the model has no price. */
  readonly cost: number | null;
  /** Of its steps together, as the provider counted; null where it did not say. */
  readonly usage: TokenUsage;
  /** Why it failed; null where it did not, or nobody said. */
  readonly because: TurnReason | null;
  /** In the order of `turnEvents`, each once. */
  readonly events: readonly TurnEvent[];
};

export type UsageRow = Pick<TurnRow, "input_tokens" | "read_tokens" | "written_tokens" | "output_tokens">;
type FactsRow = UsageRow & Pick<TurnRow, "id" | "model" | "because" | "micros" | "state" | "tools" | "missed">;

/** The facts of these turns, by their ids. Each table is asked once. */
export async function factsOfTurns(home: Home, ids: readonly string[]): Promise<ReadonlyMap<string, TurnOverview>> {
  if (ids.length === 0) return new Map();
  return home.read("everything", async (db) => {
    const rows =
      await db.all<FactsRow>(sql`select id, model, because, micros, state, tools, missed, input_tokens, read_tokens,
      written_tokens, output_tokens from turns where id in ${listOf(ids)}`);
    const told = await db.all<{ turn: string; kind: string }>(
      sql`select distinct turn, kind from events where turn in ${listOf(ids)} and ${raw(toldOfTurns)}`,
    );
    const kinds = Map.groupBy(told, ({ turn }) => turn);
    return new Map(rows.map((row) => [row.id, factsOf(row, kinds.get(row.id)?.map(({ kind }) => kind) ?? [])]));
  });
}

function factsOf(row: FactsRow, kinds: readonly string[]): TurnOverview {
  const own: Readonly<Partial<Record<TurnEvent, boolean>>> = {
    "cache-miss": row.missed === 1,
    tool: row.tools === 1,
    failed: row.state === "failed",
  };
  const happened = (event: TurnEvent) => own[event] ?? eventKinds[event]?.some((kind) => kinds.includes(kind)) ?? false;
  return {
    model: row.model,
    cost: dollarsOf(row.micros),
    usage: usageOf(row),
    because: row.because === null ? null : (JSON.parse(row.because) as TurnReason),
    events: turnEvents.filter(happened),
  };
}

export function usageOf(row: UsageRow): TokenUsage {
  const known = (count: number | null) => (count === null ? null : Number(count));
  return {
    input: known(row.input_tokens),
    read: known(row.read_tokens),
    written: known(row.written_tokens),
    output: known(row.output_tokens),
  };
}

export function dollarsOf(micros: number | null): number | null {
  return micros === null ? null : Number(micros) / 1e6;
}

/** What an agent's turns since some time come to. */
export type TurnSums = {
  readonly turns: number;
  /** How many different users they were for. */
  readonly users: number;
  /** In dollars, of those with a price; null where none has one. */
  readonly cost: number | null;
  /** How many failed. */
  readonly failed: number;
};

/** The sums of agents over the last seven days are told everywhere: by the API, the command and the pages. */
export function weekBefore(now: Date): string {
  return new Date(now.getTime() - 7 * 24 * 60 * 60 * 1000).toISOString();
}

export const noTurns: TurnSums = { turns: 0, users: 0, cost: null, failed: 0 };

type SumsRow = { agent: string; turns: number; users: number; micros: number | null; failed: number };

/** Of turns that began since then, by agent; an agent without any is not in it. What was erased was a turn all the same. */
export async function sumTurns(
  home: Home,
  agents: readonly string[],
  since: string,
): Promise<ReadonlyMap<string, TurnSums>> {
  if (agents.length === 0) return new Map();
  return home.read("everything", async (db) => {
    const rows = await db.all<SumsRow>(sql`select agent, count(*) as turns, sum(micros) as micros,
        count(distinct case when user_id <> '' then user_id end) as users,
        sum(case when state = 'failed' then 1 else 0 end) as failed
      from turns where agent in ${listOf(agents)} and started_at >= ${since} group by agent`);
    return new Map(
      rows.map(({ agent, turns, users, micros, failed }) => [
        agent,
        { turns: Number(turns), users: Number(users), cost: dollarsOf(micros), failed: Number(failed) },
      ]),
    );
  });
}
