import type { Home } from "../../home/database.ts";
import { listOf, raw, sql } from "../../home/sql.ts";
import type { TokenUsage } from "../spending.ts";
import type { TurnReason } from "../turn.ts";
import { toldOfTurns } from "../turn-tables.ts";
import { type TurnEvent, turnEvents } from "./turn-event.ts";
import { eventKinds } from "./turn-filter.ts";

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

type FactsRow = UsageRow & {
  id: string;
  model: string | null;
  because: string | null;
  micros: number | null;
  state: string;
  tools: number;
  missed: number;
};

export type UsageRow = {
  input_tokens: number | null;
  read_tokens: number | null;
  written_tokens: number | null;
  output_tokens: number | null;
};

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
