import { scopeOf } from "../event.ts";
import { listOf, type Query, raw, sql } from "../home/sql.ts";
import { usesTools } from "../turns/list/step-facts.ts";
import { differentWords } from "../turns/list/turn-words.ts";
import type { StepRow } from "../turns/steps.ts";
import type { TurnRow } from "../turns/turn.ts";
import { chainName } from "./faults.ts";
import { resultOf } from "./step-facts.ts";
import type { Walk } from "./walk.ts";

type ToldTurn = Pick<TurnRow, "id" | "agent" | "user_id" | "started_at" | "ended_at"> & {
  duration_ms: number | null;
  tools: number;
};

const page = 200;
const max = 1000;

/** So many turns are looked up by their words, evenly from all there are: to do so with each would take long. */
const sampled = 200;

/** So many words of other turns are looked for in each of them. */
const strangers = 300;

/**
 * What lists tell of turns, by their other rows: the sums of their steps, how long they took, whether a tool was called,
 * and, of some, the words they are found by. Turns of which that was not worked out yet are left out.
 */
export async function walkTurnFacts(walk: Walk): Promise<void> {
  await checkSums(walk);
  let last: ToldTurn | undefined;
  do {
    const rows: ToldTurn[] =
      await walk.db.all<ToldTurn>(sql`select id, agent, user_id, started_at, ended_at, duration_ms,
      tools from turns where indexed = 1 ${after(last)} ${whose(walk)} order by id limit ${page}`);
    checkDurations(walk, rows);
    await checkTools(
      walk,
      rows.filter(({ tools }) => Number(tools) === 1),
    );
    await walk.breathe();
    last = rows.length < page ? undefined : rows.at(-1);
  } while (last);
  await checkWords(walk);
}

const after = (last: ToldTurn | undefined): Query => (last ? sql`and id > ${last.id}` : raw(""));
const whose = ({ agent }: Walk): Query => (agent === undefined ? raw("") : sql`and turns.agent = ${agent}`);

type Named = Pick<ToldTurn, "id" | "agent" | "user_id">;

export function turnName({ id, agent, user_id }: Named): string {
  return `${chainName({ agent, user_id })}, ${id}`;
}

function wrong({ faults }: Walk, turn: Named, reason: string): void {
  faults.add({ table: "turns", row: turnName(turn), what: "edited", reason });
}

async function checkSums(walk: Walk): Promise<void> {
  const sums = ["input", "read", "written", "output"].map((one) => `${one}_tokens`);
  const rows = await walk.db.all<Named>(sql`select turns.id, turns.agent, turns.user_id from turns left join
      (select turn, max(missed) as missed, ${raw(sums.map((one) => `sum(${one}) as ${one}`).join(", "))}
        from steps group by turn) s on s.turn = turns.id
    where turns.indexed = 1 ${whose(walk)} and (turns.missed <> coalesce(s.missed, 0)
      or ${raw(sums.map((one) => `turns.${one} is distinct from s.${one}`).join(" or "))}) limit ${max}`);
  for (const row of rows) wrong(walk, row, "its token counts or its cache miss are not those of its steps");
}

function checkDurations(walk: Walk, rows: readonly ToldTurn[]): void {
  for (const row of rows) {
    const took = row.ended_at === null ? null : Date.parse(row.ended_at) - Date.parse(row.started_at);
    const told = row.duration_ms === null ? null : Number(row.duration_ms);
    if (told !== took) wrong(walk, row, "it did not take as long as it says");
  }
}

/** Those that say a tool was called. Where a step was erased, that may have been in it. */
async function checkTools(walk: Walk, rows: readonly ToldTurn[]): Promise<void> {
  if (rows.length === 0) return;
  const steps = await walk.db.all<Pick<StepRow, "turn" | "came" | "erased_at">>(
    sql`select turn, came, erased_at from steps where turn in ${listOf(rows.map(({ id }) => id))}`,
  );
  const called = steps.filter((step) => step.erased_at !== null || usesTools(resultOf(step)));
  const known = new Set(called.map(({ turn }) => turn));
  for (const row of rows)
    if (!known.has(row.id)) wrong(walk, row, "no tool was called in it, and it says that one was");
}

async function checkWords(walk: Walk): Promise<void> {
  const { db, faults } = walk;
  const those = sql`turns where indexed = 1 and state <> 'erased' ${whose(walk)}`;
  const all = await db.one<{ count: number }>(sql`select count(*) as count from ${those}`);
  const every = Math.max(1, Math.ceil(Number(all?.count ?? 0) / sampled));
  const rows = await db.all<Pick<TurnRow, "id" | "agent" | "user_id" | "input" | "reply">>(
    sql`select id, agent, user_id, input, reply from turns where id in (select id from
      (select id, row_number() over (order by id) as place from ${those}) numbered where place % ${raw(String(every))} = 0)`,
  );
  let others: readonly string[] = [];
  for (const row of rows) {
    const words = differentWords([row.input, row.reply]);
    const own = new Set(words);
    const strange = others.filter((word) => !own.has(word));
    for (const query of db.dialect.wordsDiffer({ id: row.id, scope: scopeOf(row), words }, strange))
      if (await db.one(query)) {
        const reason = "the words it is found by are not those of its input and reply";
        faults.add({ table: "turn_words", row: turnName(row), what: "edited", reason });
      }
    others = [...words, ...strange].slice(0, strangers);
    await walk.breathe();
  }
}
