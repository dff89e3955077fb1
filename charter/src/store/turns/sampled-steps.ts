import type { Receipt } from "../../prompt/receipt.ts";
import type { Database, Home } from "../home/database.ts";
import { recordOf } from "../home/query.ts";
import { listOf, sql } from "../home/sql.ts";
import type { RecordOf, RowOf } from "../home/table.ts";
import type { Texts } from "../texts/text.ts";
import { steps } from "./step-tables.ts";

/** A step with its receipt, its result and its session, without the text that was sent. */
export type SampledStep = Omit<RecordOf<typeof steps>, "scope" | "receipt" | "previous" | "digest"> & {
  readonly session: string | null;
  readonly receipt: Receipt | null;
  /** Less was read from the cache than the request before it had left there. */
  readonly missed: boolean;
};

type Row = RowOf<typeof steps> & { session: string | null };

/** So many steps are in memory at a time, with all that was sent and came of them. */
const together = 100;

/**
 * The steps of many turns in the order in which they were taken, and before those the last that was answered in each of
 * their sessions: what a provider's cache had when they began. Whether one that was let go was answered nobody knows.
 */
export async function* sampledSteps(
  home: Home,
  texts: Texts,
  turns: readonly string[],
): AsyncGenerator<SampledStep, void, undefined> {
  const keys = await home.read("everything", (db) => keysOf(db, turns));
  for (let from = 0; from < keys.length; from += together) {
    // Thousands of steps take seconds to read: whoever else waits comes in between.
    if (from > 0) await new Promise((resolve) => setImmediate(resolve));
    const some = keys.slice(from, from + together);
    yield* await home.read("everything", (db) => stepsAt(db, texts, some));
  }
}

type Key = { readonly agent: string; readonly number: number };

async function keysOf(db: Database, turns: readonly string[]): Promise<Key[]> {
  const those = sql`from steps s join turns t on t.id = s.turn where s.turn in ${listOf(turns)}`;
  const own = await db.all<Key>(sql`select s.agent, s.number ${those}`);
  // Of what was asked and not answered a provider may have kept nothing. A cross join: by the session's turns, backwards.
  const earlier = await db.all<Key>(sql`select s.agent, s.number from
      (select t.session, s.agent, min(s.number) as number, min(t.started_at) as started_at ${those}
        and t.session is not null group by t.session, s.agent) first
    join steps s on s.agent = first.agent and s.number =
      (select b.number from turns u cross join steps b
        where u.session = first.session and b.turn = u.id and length(u.session) <= 200 and u.started_at <= first.started_at
          and u.agent = first.agent and b.number < first.number
          and (b.result like '%"usage":{%' or b.erased_at is not null)
        order by u.started_at desc, u.id desc, b.step desc limit 1)`);
  return [...earlier, ...own].sort((one, other) => one.number - other.number);
}

async function stepsAt(db: Database, texts: Texts, keys: readonly Key[]): Promise<SampledStep[]> {
  const rows = await db.all<Row>(sql`select s.*, t.session from steps s join turns t on t.id = s.turn
    where s.agent = ${(keys[0] as Key).agent} and s.number in ${listOf(keys.map(({ number }) => number))}
    order by s.number`);
  const receipts = await receiptsOf(db, texts, rows);
  return rows.map((row) => {
    const { scope: _, previous: __, digest: ___, receipt, ...step } = recordOf(steps, row);
    const sent = step.erasedAt === null ? receipts.get(`${row.user_id}\0${receipt}`) : undefined;
    return { ...step, session: row.session, missed: row.missed === 1, receipt: sent ?? null };
  });
}

/** By owner and digest; each is parsed once, however many steps sent the same. */
async function receiptsOf(db: Database, texts: Texts, rows: readonly Row[]): Promise<ReadonlyMap<string, Receipt>> {
  const receipts = new Map<string, Receipt>();
  const kept = Map.groupBy(
    rows.filter(({ erased_at }) => erased_at === null),
    ({ user_id }) => user_id,
  );
  for (const [owner, theirs] of kept) {
    const digests = theirs.map(({ receipt }) => receipt);
    for (const [digest, text] of await texts.getAll(db, owner, digests))
      receipts.set(`${owner}\0${digest}`, JSON.parse(text));
  }
  return receipts;
}
