import type { Receipt } from "../../prompt/receipt.ts";
import type { Database, Home } from "../home/database.ts";
import { lockAgainstErasure } from "../home/query.ts";
import { raw, sql } from "../home/sql.ts";
import { scopeOf } from "../home/table.ts";
import { searchedColumns } from "../memory/note.ts";
import { createTexts, type Texts } from "../texts/text.ts";
import { keepTurnWords } from "../turns/list/list-turns.ts";
import { keepStepFacts, summedSteps } from "../turns/step-result.ts";
import type { StepRow } from "../turns/steps.ts";
import type { TurnRow } from "../turns/turn.ts";

/** How many notes and turns were gone through. */
type RebuildResult = { readonly notes: number; readonly turns: number };

/** So many at a time are in memory. */
const batch = 200;

/**
 * Works out anew, one agent after the other, what notes and turns are searched and listed by. Nothing proves it: it follows
 * from what is proven.
 */
export async function rebuildStore(home: Home): Promise<RebuildResult> {
  const names = await home.read("everything", (db) => db.all<{ name: string }>(sql`select name from agents`));
  const texts = createTexts();
  let [notes, turns] = [0, 0];
  for (const { name } of names)
    await home.write("everything", async (db) => {
      const rebuilt = await rebuildSearch(db, name);
      notes += rebuilt.notes;
      turns += rebuilt.turns;
      await eachRow<TurnRow>(db, "turns", name, (row) => rebuildFacts(db, texts, row));
    });
  return { notes, turns };
}

/** Within a transaction: what an agent's notes and turns are found by, which no checkpoint has. */
export async function rebuildSearch(db: Database, agent: string): Promise<RebuildResult> {
  // Nobody is being erased meanwhile, and what was erased before shows in the turn.
  await lockAgainstErasure(db);
  type NoteRow = { id: string; key: string | null; text: string };
  const notes = await eachRow<NoteRow>(db, "memories", agent, async ({ id, key, text }) => {
    const { stems } = await searchedColumns(key, text);
    await db.run(sql`update memories set stems = ${stems} where id = ${id}`);
  });
  await db.run(sql`delete from turn_words where agent = ${agent}`);
  const turns = await eachRow<TurnRow>(db, "turns", agent, async (row) => {
    if (row.state !== "erased" && row.state !== "running") await keepTurnWords(db, { ...row, scope: scopeOf(row) });
  });
  return { notes, turns };
}

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

/** What lists show of a turn. Of a step that was let go, what was counted stands beside it. */
async function rebuildFacts(db: Database, texts: Texts, row: TurnRow): Promise<void> {
  const { id, started_at, ended_at } = row;
  const steps = await db.all<StepRow>(sql`select * from steps where turn = ${id} order by step`);
  for (const { step, result } of steps)
    if (result !== null) await keepStepFacts(db, { turn: id, step, result: JSON.parse(result) });
  const model = (await modelAsked(db, texts, steps)) ?? row.model;
  const duration = ended_at === null ? null : Date.parse(ended_at) - Date.parse(started_at);
  await db.run(sql`update turns set model = ${model}, duration_ms = ${duration}, ${summedSteps(id)} where id = ${id}`);
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
