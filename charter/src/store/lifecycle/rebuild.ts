import type { Receipt } from "../../prompt/receipt.ts";
import type { Database, Home } from "../home/database.ts";
import { raw, sql } from "../home/sql.ts";
import { scopeOf } from "../home/table.ts";
import { searchedColumns } from "../memory/note.ts";
import { createTexts, type Texts } from "../texts/text.ts";
import { keepStepFacts } from "../turns/list/step-facts.ts";
import { keepTurnWords } from "../turns/list/turn-words.ts";
import type { StepRow } from "../turns/steps.ts";
import type { TurnRow } from "../turns/turn.ts";

/** How many notes and turns were gone through. */
export type Rebuilt = { readonly notes: number; readonly turns: number };

/** So many at a time are in memory. */
const batch = 200;

/**
 * Works out anew, within a transaction, what an agent's notes and turns are searched and listed by. No checkpoint has it,
 * and nothing proves it: it follows from what is proven.
 */
export async function rebuildCaches(db: Database, texts: Texts, agent: string): Promise<Rebuilt> {
  // Nobody is being erased meanwhile, and what was erased before shows in the turn.
  const kept = db.dialect.lockTableShared("texts");
  if (kept) await db.run(kept);
  const notes = await eachRow<NoteRow>(db, "memories", agent, async ({ id, key, words }) => {
    const { stems } = await searchedColumns(key, words);
    await db.run(sql`update memories set stems = ${stems} where id = ${id}`);
  });
  const turns = await eachRow<TurnRow>(db, "turns", agent, (row) => rebuildTurn(db, texts, row));
  return { notes, turns };
}

/** The same for every agent, one after the other. */
export async function rebuildStore(home: Home): Promise<Rebuilt> {
  const names = await home.read("everything", (db) => db.all<{ name: string }>(sql`select name from agents`));
  let [notes, turns] = [0, 0];
  for (const { name } of names) {
    const rebuilt = await home.write("everything", (db) => rebuildCaches(db, createTexts(), name));
    notes += rebuilt.notes;
    turns += rebuilt.turns;
  }
  return { notes, turns };
}

type NoteRow = { id: string; key: string | null; words: string };

async function eachRow<Row extends { id: string }>(
  db: Database,
  table: "memories" | "turns",
  agent: string,
  work: (row: Row) => Promise<void>,
): Promise<number> {
  let done = 0;
  for (let last = "", found = batch; found === batch; ) {
    const rows = await db.all<Row>(
      sql`select * from ${raw(table)} where agent = ${agent} and id > ${last} order by id limit ${batch}`,
    );
    for (const row of rows) await work(row);
    found = rows.length;
    done += found;
    last = rows.at(-1)?.id ?? last;
  }
  return done;
}

async function rebuildTurn(db: Database, texts: Texts, row: TurnRow): Promise<void> {
  const { id, input, reply, state, started_at, ended_at } = row;
  if (state !== "erased") await keepTurnWords(db, { id, scope: scopeOf(row), input, reply });
  const steps = await db.all<StepRow>(sql`select * from steps where turn = ${id} order by step`);
  // Of a step that was let go, what was counted stands beside it.
  for (const { step, came } of steps)
    if (came !== null) await keepStepFacts(db, { turn: id, step, result: JSON.parse(came) });
  const model = row.model ?? (await modelAsked(db, texts, steps));
  const duration = ended_at === null ? null : Date.parse(ended_at) - Date.parse(started_at);
  await db.run(sql`update turns set model = ${model}, duration_ms = ${duration} where id = ${id}`);
  await db.run(sql`update turns set (input_tokens, read_tokens, written_tokens, output_tokens, missed) =
      (select sum(input_tokens), sum(read_tokens), sum(written_tokens), sum(output_tokens), coalesce(max(missed), 0)
        from steps where turn = ${id}) where id = ${id}`);
}

/** Of the last step whose receipt is there. */
async function modelAsked(db: Database, texts: Texts, steps: readonly StepRow[]): Promise<string | null> {
  for (const { user_id, receipt, erased_at } of steps.toReversed()) {
    const text = erased_at === null ? await texts.get(db, user_id, receipt) : undefined;
    const { receiver = null } = text === undefined ? {} : (JSON.parse(text) as Partial<Receipt>);
    if (receiver !== null) return receiver;
  }
  return null;
}
