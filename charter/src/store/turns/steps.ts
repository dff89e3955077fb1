import { Problem } from "../../prompt/problem.ts";
import { type besidesSections, type Receipt, rebuild, type SentSection, textsNamed } from "../../prompt/receipt.ts";
import type { StepResult } from "../../prompt/step-result.ts";
import type { Database, Home, Reach } from "../home/database.ts";
import { matching, reachFilter, recordOf } from "../home/query.ts";
import { listOf, sql } from "../home/sql.ts";
import { count, digest, id, json, type RecordOf, type RowOf, table, time, truth } from "../home/table.ts";
import { sha256 } from "../texts/packing.ts";
import { requireText, type Texts } from "../texts/text.ts";

export type StepRow = RowOf<typeof steps>;

/** Columns of a step that are in its agent's hash chain. */
export type StepLink = Pick<
  StepRow,
  "agent" | "number" | "user_id" | "turn" | "step" | "at" | "receipt" | "previous" | "digest"
>;

/**
 * Computes a step's digest over its fields in a fixed order. The receipt is in it by its own digest, so that the hash chain
 * outlives the erased text.
 */
export function stepDigest(row: Omit<StepLink, "digest">): string {
  const { agent, number, user_id, turn, step, at, receipt, previous } = row;
  return sha256(JSON.stringify([agent, number, user_id || null, turn, step, at, receipt, previous]));
}

/**
 * Computes the digest of a step's result. The result is known only after the step's link is made, so it has a digest of its own,
 * bound to that link.
 */
export function stepResultDigest(digest: string, result: string): string {
  return sha256(JSON.stringify([digest, result]));
}

export type HashChainEnd = { readonly number: number; readonly digest: string };

/**
 * Determines where an agent's hash chain ends, from the row that says so and from the last step that was read. Each makes up for
 * the other if it was changed behind the store's back, and no number is ever used twice.
 */
export function hashChainEnd(said: HashChainEnd | undefined, last: StepLink | undefined): HashChainEnd | undefined {
  if (!said || !last) return said ?? last;
  if (said.number > last.number && said.digest !== last.digest) return said;
  return { number: last.number, digest: stepDigest(last) === last.digest ? last.digest : said.digest };
}

/** A request to a model, as it was recorded. */
export type Step = Omit<RecordOf<typeof steps>, "scope" | "receipt"> & { readonly receipt: Receipt | null };

/** A step with the exact bytes that were sent, slot by slot, verified by the digests in the receipt. */
export type ReplayedStep = Step & {
  readonly receipt: Receipt;
  readonly slots: readonly { readonly slot: string; readonly text: string; readonly digest: string }[];
  readonly text: (section: SentSection) => string;
  /**
   * Texts that were stored besides the sections: the tools, the output schema and the messages a hook changed, as JSON, and a
   * summary.
   */
  readonly besides: Readonly<Record<keyof typeof besidesSections, string | null>>;
};

/** `store.steps`: the requests of turns. */
export type Steps = {
  /** Counts the steps of each of these turns. */
  readonly counts: (turns: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  readonly of: (turn: string, reach?: Reach) => Promise<Step[]>;
  /**
   * Yields the steps of many turns of one agent in their order and, before them, the last answered step of each session. They are
   * read a few at a time.
   */
  readonly sample: (turns: readonly string[]) => AsyncIterable<SampledStep>;
  /** Rebuilds what a step sent; by default the last step of the turn. */
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
  const sentTexts = new Map<string, string>();
  for (const { section, whose, digest } of textsNamed(body)) {
    const owner = whose === "agent" ? "" : row.user_id;
    sentTexts.set(digest, await requireText(texts, db, owner, digest, `“${section}” of ${what}`));
  }
  const text = ({ digest }: SentSection) => sentTexts.get(digest) as string;
  const slots = rebuild(body, text);
  for (const slot of slots) if (sha256(slot.text) !== slot.digest) throw tampered(`The slot “${slot.slot}”`);
  const { summary, changed } = body.history?.source ?? {};
  const textOf = (digest: string | undefined) => (digest === undefined ? null : (sentTexts.get(digest) ?? null));
  const besides = {
    offers: textOf(body.offers),
    output: textOf(body.output),
    summary: textOf(summary?.digest),
    changed: textOf(changed?.digest),
  };
  return { ...step, receipt: body, slots, text, besides };
}

/** A step with its receipt, its result and its session, without the text that was sent. */
export type SampledStep = Omit<RecordOf<typeof steps>, "scope" | "receipt" | "previous" | "digest"> & {
  readonly session: string | null;
  readonly receipt: Receipt | null;
  /** Shows that less was read from the cache than the request before it had left there. */
  readonly missed: boolean;
};

type Row = RowOf<typeof steps> & { session: string | null };

/** Maximum number of steps in memory at a time, with what was sent and answered. */
const maxStepsAtOnce = 100;

/**
 * Yields the steps of many turns in the order they were taken, and before them the last answered step of each session, which
 * shows what a provider's cache held when they began. An erased step is taken for answered, because nobody knows.
 */
async function* sampledSteps(
  home: Home,
  texts: Texts,
  turns: readonly string[],
): AsyncGenerator<SampledStep, void, undefined> {
  const keys = await home.read("everything", (db) => keysOf(db, turns));
  for (let from = 0; from < keys.length; from += maxStepsAtOnce) {
    // Reading thousands of steps takes seconds, so other work comes in between.
    if (from > 0) await new Promise((resolve) => setImmediate(resolve));
    const some = keys.slice(from, from + maxStepsAtOnce);
    yield* await home.read("everything", (db) => stepsAt(db, texts, some));
  }
}

type Key = { readonly agent: string; readonly number: number };

async function keysOf(db: Database, turns: readonly string[]): Promise<Key[]> {
  const ofTurns = sql`from steps s join turns t on t.id = s.turn where s.turn in ${listOf(turns)}`;
  const own = await db.all<Key>(sql`select s.agent, s.number ${ofTurns}`);
  // Unanswered requests do not count: a provider may have cached nothing of them. A cross join makes SQLite go backwards through
  // the session's turns.
  const earlier = await db.all<Key>(sql`select s.agent, s.number from
      (select t.session, s.agent, min(s.number) as number, min(t.started_at) as started_at ${ofTurns}
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

/** Reads the receipts of these steps, by owner and digest; each is parsed once, however many steps sent the same. */
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

/** Token counts of the provider; null where they are not known. */
export const usage = {
  inputTokens: count().nullable().cached().hidden(),
  readTokens: count().nullable().cached().hidden(),
  writtenTokens: count().nullable().cached().hidden(),
  outputTokens: count().nullable().cached().hidden(),
};

/** Steps with their receipts: each agent has one hash chain of them. */
export const steps = table(
  "steps",
  {
    of: "user",
    key: ["agent", "number"],
    // Finds the steps of a turn.
    indexes: { steps_turn: "(turn, step)" },
    proof: "hashChain",
    erase: {
      blank: { set: { erased_at: "{at}", result_digest: "{at}" }, unless: "erased_at is not null" },
      through: "turn",
    },
    exported: false,
  },
  {
    number: count(),
    turn: id().refers("turns", "steps were taken in it"),
    /** Number of the step within its turn; `number` counts within the agent's hash chain. */
    step: count(),
    at: time(),
    receipt: digest(),
    previous: digest(),
    digest: digest(),
    erasedAt: time().nullable(),
    result: json<StepResult>().nullable(),
    resultDigest: digest().nullable().hidden(),
    ...usage,
    missed: truth().usual(0).cached().hidden(),
    /** Thousandths of the request that a provider keeps in its cache, for a provider that does not count what it writes there. */
    stable: count().nullable().cached().hidden(),
  },
);

/** End of the hash chain of each agent's steps. A user's step moves it, and never removes it. */
export const hashChains = table(
  "hash_chains",
  {
    of: "agent",
    key: ["agent"],
    isByKey: true,
    fence: { add: "agent = {agent}", change: "agent = {agent}" },
    proof: "hashChain",
    erase: { blank: "keep" },
  },
  { number: count(), digest: digest() },
);
