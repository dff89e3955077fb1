import { listOf, sql } from "../home/sql.ts";
import { type KnownResult, usageIn, usesTools } from "../turns/list/step-facts.ts";
import type { UsageRow } from "../turns/list/turn-facts.ts";
import type { StepRow } from "../turns/steps.ts";
import type { Walk } from "./walk.ts";

type ToldTurn = {
  id: string;
  model: string | null;
  tools: number;
  last: number;
  /** How many of its steps were erased, or let go. */
  gone: number;
};

type Counted = StepRow & UsageRow;

type Names = { readonly step: (row: StepRow) => string; readonly turn: (row: StepRow) => string };

/**
 * What lists tell of steps, by their results and receipts, which the chain proves: the tokens of each, the model of the
 * last one in a turn, and that a tool was called. Given are steps that are sound and not erased, and whom each one asked.
 */
export async function checkStepFacts(
  { db, faults }: Walk,
  rows: readonly StepRow[],
  asked: ReadonlyMap<StepRow, string | null>,
  name: Names,
): Promise<void> {
  const turns = await toldTurns(db, rows);
  for (const row of rows as readonly Counted[]) {
    const turn = turns.get(row.turn);
    if (!turn) continue;
    const result = resultOf(row);
    if (!isCounted(row, result, turn)) {
      const reason = "its token counts are not those of its result";
      faults.add({ table: "steps", row: name.step(row), what: "edited", reason });
    }
    const wrong = (reason: string) => faults.add({ table: "turns", row: name.turn(row), what: "edited", reason });
    if (usesTools(result) && Number(turn.tools) !== 1) wrong("a tool was called in it, and it says that none was");
    const model = row.step === turn.last ? (asked.get(row) ?? null) : null;
    if (model !== null && model !== turn.model) wrong("its model is not the one that its last step asked");
  }
}

export function resultOf({ came }: Pick<StepRow, "came">): KnownResult {
  return came === null ? {} : (JSON.parse(came) as KnownResult);
}

/** Of turns whose first steps were let go before anything was counted, nothing is counted. */
function isCounted(row: Counted, result: KnownResult, { gone }: ToldTurn): boolean {
  const expected = usageIn(result);
  const columns = Object.keys(expected) as (keyof UsageRow)[];
  const told = (column: keyof UsageRow) => (row[column] === null ? null : Number(row[column]));
  if (columns.every((column) => told(column) === expected[column])) return true;
  return Number(gone) > 0 && columns.every((column) => row[column] === null);
}

/** The turns of these steps, so far as what lists tell of them was worked out. */
async function toldTurns(db: Walk["db"], rows: readonly StepRow[]): Promise<ReadonlyMap<string, ToldTurn>> {
  if (rows.length === 0) return new Map();
  const found = await db.all<ToldTurn>(sql`select t.id, t.model, t.tools,
      (select max(s.step) from steps s where s.turn = t.id) as last,
      (select count(*) from steps s where s.turn = t.id and s.erased_at is not null) as gone
    from turns t where t.indexed = 1 and t.id in ${listOf([...new Set(rows.map(({ turn }) => turn))])}`);
  return new Map(found.map((turn) => [turn.id, turn]));
}
