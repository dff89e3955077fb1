import { missesCache } from "../../../prompt/cache-miss.ts";
import type { Database } from "../../home/database.ts";
import { sql } from "../../home/sql.ts";
import type { UsageRow } from "./turn-facts.ts";

/** What is known of a step's result, whoever recorded it. */
export type KnownResult = {
  readonly usage?: unknown;
  readonly answer?: unknown;
  readonly results?: unknown;
  readonly ownTools?: unknown;
  readonly acted?: unknown;
};

type KeptStep = { readonly turn: string; readonly step: number; readonly result: KnownResult };

/** What the provider counted; null of it where it did not say, or no provider can have counted that. */
export function usageIn({ usage }: KnownResult): UsageRow {
  const given = (typeof usage === "object" && usage !== null ? usage : {}) as Record<string, unknown>;
  const sound = (count: unknown) => (Number.isSafeInteger(count) && (count as number) >= 0 ? (count as number) : null);
  return {
    input_tokens: sound(given.input),
    read_tokens: sound(given.read),
    written_tokens: sound(given.written),
    output_tokens: sound(given.output),
  };
}

export function usesTools({ answer, results, ownTools, acted }: KnownResult): boolean {
  const some = (list: unknown) => Array.isArray(list) && list.length > 0;
  const { calls } = (typeof answer === "object" && answer !== null ? answer : {}) as { calls?: unknown };
  return acted === true || some(calls) || some(results) || some(ownTools);
}

/** Within a transaction: what lists tell of a step, and of its turn. The same result may be told any number of times. */
export async function keepStepFacts(db: Database, { turn, step, result }: KeptStep): Promise<void> {
  if (usesTools(result)) await db.run(sql`update turns set tools = 1 where id = ${turn} and tools = 0`);
  const counted = usageIn(result);
  const { input_tokens: input, read_tokens: read, written_tokens: written, output_tokens: output } = counted;
  const known = await knownCounts(db, turn, step);
  if (!known || columns.every((column) => numberOr(known[column]) === counted[column])) return;
  const left = {
    input: numberOr(known.left_input),
    read: numberOr(known.left_read),
    written: numberOr(known.left_written),
    stable: numberOr(known.left_stable),
  };
  const missed = missesCache(left, { input, read, written }) ? 1 : 0;
  await db.run(sql`update steps set input_tokens = ${input}, read_tokens = ${read}, written_tokens = ${written},
      output_tokens = ${output}, missed = ${missed} where turn = ${turn} and step = ${step}`);
  await db.run(sql`update turns set (input_tokens, read_tokens, written_tokens, output_tokens, missed) =
      (select sum(input_tokens), sum(read_tokens), sum(written_tokens), sum(output_tokens), max(missed) from steps
        where turn = ${turn}) where id = ${turn}`);
}

const columns = ["input_tokens", "read_tokens", "written_tokens", "output_tokens"] as const;
const numberOr = (count: number | null) => (count === null ? null : Number(count));

type KnownCounts = UsageRow & Record<"left_input" | "left_read" | "left_written" | "left_stable", number | null>;

/** What is counted of a step so far, and what the last request before it in its session that was counted left in the cache. */
async function knownCounts(db: Database, turn: string, step: number): Promise<KnownCounts | undefined> {
  return db.one<KnownCounts>(
    sql`select s.input_tokens, s.read_tokens, s.written_tokens, s.output_tokens, b.input_tokens as left_input,
        b.read_tokens as left_read, b.written_tokens as left_written, b.stable as left_stable
      from steps s left join steps b on b.agent = s.agent and b.number =
        (select p.number from turns t join turns u on u.session = t.session and length(u.session) <= 200
            and u.agent = t.agent and (u.started_at, u.id) <= (t.started_at, t.id)
          join steps p on p.turn = u.id and (u.id <> t.id or p.step < ${step})
          where t.id = ${turn} and length(t.session) <= 200 and p.read_tokens is not null
          order by u.started_at desc, u.id desc, p.step desc limit 1)
      where s.turn = ${turn} and s.step = ${step}`,
  );
}
