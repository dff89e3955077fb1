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

/** So much of what was left in the cache is read again where nothing was missed: providers round. */
const mostOfIt = 0.9;

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
  const { input_tokens: input, read_tokens: read, written_tokens: written, output_tokens: output } = usageIn(result);
  const changed = await db.run(sql`update steps set input_tokens = ${input}, read_tokens = ${read},
      written_tokens = ${written}, output_tokens = ${output}
    where turn = ${turn} and step = ${step} and (input_tokens is distinct from ${input}
      or read_tokens is distinct from ${read} or written_tokens is distinct from ${written}
      or output_tokens is distinct from ${output})`);
  if (changed === 0) return;
  const missed = read !== null && (await missesCache(db, { turn, step, read }));
  await db.run(sql`update turns set (input_tokens, read_tokens, written_tokens, output_tokens) =
      (select sum(input_tokens), sum(read_tokens), sum(written_tokens), sum(output_tokens) from steps
        where turn = ${turn}), missed = case when missed = 1 then 1 else ${missed ? 1 : 0} end
    where id = ${turn}`);
}

/** Less was read than the request before it in its session had read and written, so far as that was counted. */
async function missesCache(
  db: Database,
  { turn, step, read }: { readonly turn: string; readonly step: number; readonly read: number },
): Promise<boolean> {
  const before = await db.one<{ read_tokens: number | null; written_tokens: number | null }>(
    sql`select b.read_tokens, b.written_tokens from turns t join turns u on u.session = t.session
        and length(u.session) <= 200 and u.agent = t.agent and (u.started_at, u.id) <= (t.started_at, t.id)
      join steps b on b.turn = u.id and (u.id <> t.id or b.step < ${step})
      where t.id = ${turn} and length(t.session) <= 200 and b.read_tokens is not null
      order by u.started_at desc, u.id desc, b.step desc limit 1`,
  );
  if (!before) return false;
  return read < mostOfIt * (Number(before.read_tokens) + Number(before.written_tokens ?? 0));
}
