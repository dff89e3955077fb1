import { Problem } from "../../../prompt/problem.ts";
import type { Receipt } from "../../../prompt/receipt.ts";
import type { StoreDeps } from "../../deps.ts";
import { scopeOf } from "../../event.ts";
import type { Database } from "../../home/database.ts";
import { type Query, raw, sql } from "../../home/sql.ts";
import type { Texts } from "../../texts/text.ts";
import type { StepRow } from "../steps.ts";
import type { TurnRow } from "../turn.ts";
import { keepStepFacts, usesTools } from "./step-facts.ts";
import { keepTurnWords } from "./turn-words.ts";

/** So many at a time: others get their turn in between. */
const batch = 100;

type Deps = Pick<StoreDeps, "home" | "texts">;

/**
 * Works out what turns are listed by that were taken before that was kept, or came from a checkpoint: of all agents, or
 * of one. It can be stopped at any moment: what is done is done, and the next list or `charter migrate` goes on.
 */
export async function indexTurns({ home, texts }: Deps, agent?: string): Promise<number> {
  const whose = agent === undefined ? raw("1 = 1") : sql`agent = ${agent}`;
  const lacking = await home.read("everything", (db) =>
    db.all<{ agent: string }>(sql`select distinct agent from turns where indexed is null and ${whose}`),
  );
  let done = 0;
  for (const { agent: one } of lacking)
    for (let found = batch; found === batch; done += found)
      found = await home.write("everything", (db) => indexSome(db, texts, sql`agent = ${one}`));
  return done;
}

/** The same before a list. A database that is only read is listed by what is known in it. */
export async function indexBeforeList(deps: Deps, agent: string | undefined): Promise<void> {
  try {
    await indexTurns(deps, agent);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "read-only") throw error;
  }
}

/** Oldest first: what a turn missed in the cache is told by the one before it. */
async function indexSome(db: Database, texts: Texts, whose: Query): Promise<number> {
  // Nobody is being erased meanwhile, and what was erased before shows in the turn.
  const kept = db.dialect.lockTableShared("texts");
  if (kept) await db.run(kept);
  const rows = await db.all<TurnRow>(
    sql`select * from turns where indexed is null and ${whose} order by started_at, id limit ${batch}`,
  );
  for (const row of rows) await indexTurn(db, texts, row);
  return rows.length;
}

async function indexTurn(db: Database, texts: Texts, row: TurnRow): Promise<void> {
  const { id, input, reply, state, started_at, ended_at } = row;
  if (state !== "erased") await keepTurnWords(db, { id, scope: scopeOf(row), input, reply });
  const steps = await db.all<StepRow & { input_tokens: number | null; output_tokens: number | null }>(
    sql`select * from steps where turn = ${id} order by step`,
  );
  const results = steps.map(({ step, came }) => ({ step, result: came === null ? {} : JSON.parse(came) }));
  // Of a turn whose steps were let go the sums are not known: those of the rest would look like all of it.
  const partly = steps.some((one) => one.erased_at !== null && one.input_tokens === null && one.output_tokens === null);
  for (const { step, result } of results)
    if (!partly) await keepStepFacts(db, { turn: id, step, result });
    else if (usesTools(result)) await db.run(sql`update turns set tools = 1 where id = ${id}`);
  const model = row.model ?? (await modelAsked(db, texts, steps));
  const duration = ended_at === null ? null : Date.parse(ended_at) - Date.parse(started_at);
  await db.run(sql`update turns set model = ${model}, duration_ms = ${duration}, indexed = 1 where id = ${id}`);
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
