import { Problem } from "../../prompt/problem.ts";
import { type Receipt, rebuild, type SentSection } from "../../prompt/receipt.ts";
import { type besidesSections, textsNamed } from "../../prompt/sent-history.ts";
import type { Database, Home, Reach } from "../home/database.ts";
import { matching, recordOf } from "../home/query.ts";
import { reachFilter } from "../home/reach.ts";
import { listOf, sql } from "../home/sql.ts";
import type { RecordOf, RowOf } from "../home/table.ts";
import { sha256 } from "../texts/sha256.ts";
import { requireText, type Texts } from "../texts/text.ts";
import { type SampledStep, sampledSteps } from "./sampled-steps.ts";
import { steps } from "./step-tables.ts";

export type StepRow = RowOf<typeof steps>;

/** What of a step is in its agent's hash chain. */
export type StepLink = Pick<
  StepRow,
  "agent" | "number" | "user_id" | "turn" | "step" | "at" | "receipt" | "previous" | "digest"
>;

/** Every field in one settled order; the receipt by its digest, so that the hash chain outlives the words. */
export function stepDigest(row: Omit<StepLink, "digest">): string {
  const { agent, number, user_id, turn, step, at, receipt, previous } = row;
  return sha256(JSON.stringify([agent, number, user_id || null, turn, step, at, receipt, previous]));
}

/** What came of a step is known after its link in the hash chain is made: it has a digest of its own, bound to that link. */
export function stepResultDigest(digest: string, result: string): string {
  return sha256(JSON.stringify([digest, result]));
}

export type HashChainEnd = { readonly number: number; readonly digest: string };

/**
 * Where an agent's hash chain ends, by the row that says so and by the last step there was when we looked. Each makes up for
 * the other when it was changed behind the store's back, and no number is ever taken twice.
 */
export function hashChainEnd(said: HashChainEnd | undefined, last: StepLink | undefined): HashChainEnd | undefined {
  if (!said || !last) return said ?? last;
  if (said.number > last.number && said.digest !== last.digest) return said;
  return { number: last.number, digest: stepDigest(last) === last.digest ? last.digest : said.digest };
}

/** One request to a model, as it was recorded. */
export type Step = Omit<RecordOf<typeof steps>, "scope" | "receipt"> & { readonly receipt: Receipt | null };

/** The exact bytes that were sent, slot by slot, verified by the digests in the receipt. */
export type ReplayedStep = Step & {
  readonly receipt: Receipt;
  readonly slots: readonly { readonly slot: string; readonly text: string; readonly digest: string }[];
  readonly text: (section: SentSection) => string;
  /** What else was kept of the request: the tools and the messages a hook changed as JSON, and a summary. */
  readonly besides: Readonly<Record<keyof typeof besidesSections, string | null>>;
};

/** `store.steps`: the requests of turns. */
export type Steps = {
  /** How many steps each of these turns has. */
  readonly counts: (turns: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  readonly of: (turn: string, reach?: Reach) => Promise<Step[]>;
  /**
   * The steps of many turns of one agent in their order and, before those, the last answered one of each session. They
   * are read a few at a time.
   */
  readonly sample: (turns: readonly string[]) => AsyncIterable<SampledStep>;
  /** Rebuilds what one step sent: the last of its turn, unless given. */
  readonly replay: (turn: string, step?: number, reach?: Reach) => Promise<ReplayedStep>;
};

export function createSteps(home: Home, texts: Texts): Steps {
  return {
    counts: (turns) =>
      home.read("everything", async (db) => {
        const rows = await db.all<{ turn: string; count: number }>(
          sql`select turn, count(*) as count from steps where turn in ${listOf(turns)} group by turn`,
        );
        return new Map(rows.map(({ turn, count }) => [turn, count]));
      }),
    of: (turn, reach = "everything") =>
      home.read(reach, async (db) => {
        const rows = await db.all<StepRow>(
          sql`select * from steps where turn = ${turn}${reachFilter(reach)} order by step`,
        );
        const all: Step[] = [];
        for (const row of rows) all.push(await stepOf(db, texts, row));
        return all;
      }),
    sample: (turns) => sampledSteps(home, texts, turns),
    replay: (turn, step, reach = "everything") =>
      home.read(reach, async (db) => {
        const row = await db.one<StepRow>(sql`select * from steps where ${matching({ turn, step })}${reachFilter(reach)}
          order by step desc limit 1`);
        const what = step === undefined ? `“${turn}”` : `step ${step} of “${turn}”`;
        if (!row)
          throw new Problem("unknown-turn", `Nothing was sent in ${what}.`, "See the turns with `charter turns`.");
        if (row.erased_at !== null)
          throw new Problem("erased", `What was sent in ${what} was erased ${row.erased_at}.`, "It cannot be rebuilt.");
        return replayStep(db, texts, row, what);
      }),
  };
}

async function stepOf(db: Database, texts: Texts, row: StepRow): Promise<Step> {
  const { scope: _, receipt, ...step } = recordOf(steps, row);
  const body = row.erased_at === null ? await texts.get(db, row.user_id, receipt) : undefined;
  return { ...step, receipt: body === undefined ? null : JSON.parse(body) };
}

export async function replayStep(db: Database, texts: Texts, row: StepRow, what: string): Promise<ReplayedStep> {
  const { receipt: body, ...step } = await stepOf(db, texts, row);
  const tampered = (which: string) =>
    new Problem(
      "replay-mismatch",
      `${which} of ${what} cannot be proved by its digest.`,
      "Run `charter verify` to see what was changed behind the store's back.",
    );
  if (body === null || stepDigest(row) !== row.digest) throw tampered("The receipt");
  const found = new Map<string, string>();
  for (const { section, whose, digest } of textsNamed(body)) {
    const owner = whose === "agent" ? "" : row.user_id;
    found.set(digest, await requireText(texts, db, owner, digest, `“${section}” of ${what}`));
  }
  const text = ({ digest }: SentSection) => found.get(digest) as string;
  const slots = rebuild(body, text);
  for (const slot of slots) if (sha256(slot.text) !== slot.digest) throw tampered(`The slot “${slot.slot}”`);
  const { summary, changed } = body.history?.source ?? {};
  const named = (digest: string | undefined) => (digest === undefined ? null : (found.get(digest) ?? null));
  const besides = {
    offers: named(body.offers),
    output: named(body.output),
    summary: named(summary?.digest),
    changed: named(changed?.digest),
  };
  return { ...step, receipt: body, slots, text, besides };
}
