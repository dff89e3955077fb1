import { Problem } from "../../prompt/problem.ts";
import { messageTaken } from "../event.ts";
import type { Database } from "../home/database.ts";
import { raw, sql } from "../home/sql.ts";
import type { Parts } from "../parts.ts";
import { sweepTexts } from "./sweep.ts";

/** How many days something is kept. What is not named is kept for good. */
export type Retention = { readonly receipts?: number | undefined; readonly events?: number | undefined };

export type Retained = {
  readonly receipts: number;
  readonly events: number;
  /** Texts nothing names any more. */
  readonly texts: number;
  /** How much all of it took, as it was stored. */
  readonly bytes: number;
};

/**
 * Lets go of what is older than it has to be. Old receipts keep their place in the chain, without what was sent; the
 * texts only they named are deleted, old events altogether.
 */
export async function retain(
  { home, texts, now }: Pick<Parts, "home" | "texts" | "now">,
  { receipts, events }: Retention,
  { dryRun = false } = {},
): Promise<Retained> {
  const at = now();
  let went: Retained | undefined;
  try {
    await home.write("everything", async (db) => {
      const alone = db.dialect.alone("texts");
      if (alone) await db.run(alone);
      const steps = receipts === undefined ? nothing : await blankReceipts(db, before(at, receipts), at);
      const old = events === undefined ? nothing : await dropEvents(db, before(at, events));
      const swept = await sweepTexts(db, texts);
      const bytes = steps.bytes + old.bytes + swept.bytes;
      went = { receipts: steps.count, events: old.count, texts: swept.texts, bytes };
      if (dryRun) throw new Error("It was only a trial: nothing of it is kept.");
    });
    await home.vacuum();
  } catch (error) {
    if (!dryRun || went === undefined) throw error;
  }
  return went as Retained;
}

type Gone = { readonly count: number; readonly bytes: number };
const nothing: Gone = { count: 0, bytes: 0 };

function before(at: string, days: number): string {
  const time = Date.parse(at) - days * 86_400_000;
  if (days >= 0 && Number.isSafeInteger(days) && !Number.isNaN(new Date(time).getTime()))
    return new Date(time).toISOString();
  throw new Problem("usage", `${days} is no number of days.`, "Give a whole number from 0 up.");
}

async function blankReceipts(db: Database, until: string, at: string): Promise<Gone> {
  const old = sql`erased_at is null and at < ${until}`;
  const gone = await measured(db, "steps", "came", old);
  await db.run(sql`update steps set erased_at = ${at}, came = ${null}, came_digest = ${at} where ${old}`);
  return gone;
}

async function dropEvents(db: Database, until: string): Promise<Gone> {
  // What says whose words a turn worked on stays: without it they could not be erased.
  const old = sql`at < ${until} and kind <> ${messageTaken}`;
  const gone = await measured(db, "events", "detail", old);
  await db.run(sql`delete from events where ${old}`);
  return gone;
}

async function measured(db: Database, table: string, column: string, where: ReturnType<typeof sql>): Promise<Gone> {
  const row = await db.one<Gone>(sql`select count(*) as count, coalesce(sum(octet_length(${raw(column)})), 0) as bytes
    from ${raw(table)} where ${where}`);
  return { count: Number(row?.count), bytes: Number(row?.bytes) };
}
