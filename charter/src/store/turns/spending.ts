import type { Scope } from "../../amend/amendment.ts";
import { checkNeeded, isObject, isText } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { insertInto, matching, reachOf } from "../home/query.ts";
import { type Query, raw, sql } from "../home/sql.ts";
import { count, name, table, time } from "../home/table.ts";
import { checkName, checkScope } from "../scope.ts";

/**
 * Expenses in millionths of a dollar and in tokens. The rows of an agent's day lie together, because they are added up before
 * each step.
 */
export const spending = table(
  "spending",
  { of: "user", key: ["agent", "day", "user_id", "receiver"], isByKey: true },
  {
    day: time(),
    receiver: name(),
    micros: count(),
    input: count(),
    read: count(),
    written: count(),
    output: count(),
  },
);

/** Tokens as a provider counted them; null where it did not say. */
export type TokenUsage = {
  readonly input: number | null;
  readonly read: number | null;
  readonly written: number | null;
  readonly output: number | null;
};

/** Payment to one model's provider on one day (2026-02-18), in millionths of a dollar. */
export type Expense = {
  readonly day: string;
  readonly receiver: string;
  readonly micros: number;
  readonly usage: TokenUsage;
  /** Present if the model has no price: its cost is not known. */
  readonly unpriced?: true;
};

/** A sum of expenses, in millionths of a dollar and in tokens. */
export type SpendingTotal = { readonly [Name in "micros" | keyof TokenUsage]: number };

/** Sums of a range of days: by day, and by model. Every turn counts, however many there are. */
export type SpendingSums = {
  readonly days: readonly (SpendingTotal & {
    readonly day: string;
    /** Turns that started on this day (UTC), and those among them whose cost is known. */
    readonly turns: number;
    readonly priced: number;
  })[];
  readonly models: readonly (SpendingTotal & { readonly model: string })[];
};

/** Agent, and days from the first to the last (2026-02-18), both included; one user's spending, or without a user everyone's. */
export type SpendingRange = {
  readonly agent: string;
  readonly user?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
};

/** `store.spending`: what turns cost. */
export type Spending = {
  readonly add: (scope: Scope, spent: Expense) => Promise<void>;
  /** Returns what one user's turns cost on a day, and what all turns of the agent did. */
  readonly of: (about: {
    readonly agent: string;
    readonly user?: string | undefined;
    readonly day: string;
  }) => Promise<{ readonly user: SpendingTotal; readonly agent: SpendingTotal }>;
  /** Adds up what was spent in a range of days. */
  readonly sums: (range: SpendingRange) => Promise<SpendingSums>;
};

const sums = sql`coalesce(sum(micros), 0) as micros, coalesce(sum(input), 0) as input,
  coalesce(sum(read), 0) as read, coalesce(sum(written), 0) as written, coalesce(sum(output), 0) as output`;

const usageWanted = "Give the tokens: { input, read, written, output }.";

export function createSpending({ home }: StoreDeps): Spending {
  return {
    add: async (scope, spent) => {
      checkScope(scope);
      checkNeeded<Expense>("store.spending.add", spent, {
        day: [isText, "Give a day, as in 2026-02-18."],
        usage: [isObject, usageWanted],
      });
      await home.write(scope, async (db) => {
        await requireAgent(db, scope.agent);
        addExpense(db, scope, spent);
      });
    },
    of: ({ agent, user = "", day }) =>
      home.read("everything", async (db) => {
        const ofDay = sql`from spending where ${matching({ agent, day })}`;
        const own = await db.one<SpendingTotal>(sql`select ${sums} ${ofDay} and user_id = ${user}`);
        return { user: totalOf(own), agent: totalOf(await db.one<SpendingTotal>(sql`select ${sums} ${ofDay}`)) };
      }),
    sums: (range) => home.read(reachOf(range.agent, range.user), (db) => sumsIn(db, range)),
  };
}

type TurnCount = { readonly day: string; readonly turns: number; readonly priced: number };

async function sumsIn(
  db: Database,
  { agent, user, from = "", to = "9999-12-31" }: SpendingRange,
): Promise<SpendingSums> {
  const ofOwner = matching({ agent, user_id: user });
  const inRange = sql`from spending where ${ofOwner} and day >= ${from} and day <= ${to}`;
  const spent = await db.all<SpendingTotal & { day: string }>(sql`select day, ${sums} ${inRange} group by day`);
  const models = await db.all<SpendingTotal & { model: string }>(
    sql`select receiver as model, ${sums} ${inRange} group by receiver order by receiver`,
  );
  // A time begins with its day, and the last of a day comes before “T~”.
  const turns =
    await db.all<TurnCount>(sql`select substr(started_at, 1, 10) as day, count(*) as turns, count(micros) as priced
    from turns where ${ofOwner} and started_at >= ${from} and started_at <= ${`${to}T~`}
    group by substr(started_at, 1, 10)`);
  const bySpent = new Map(spent.map((row) => [row.day, row]));
  const byTurns = new Map(turns.map((row) => [row.day, row]));
  const all = [...new Set([...bySpent.keys(), ...byTurns.keys()])].sort();
  return {
    days: all.map((day) => {
      const counts = byTurns.get(day);
      return {
        ...{ day, turns: Number(counts?.turns ?? 0), priced: Number(counts?.priced ?? 0) },
        ...totalOf(bySpent.get(day)),
      };
    }),
    models: models.map((row) => ({ model: row.model, ...totalOf(row) })),
  };
}

/** Conflict clause that adds an expense to the row of the same day. */
const addedUp =
  raw(`on conflict (agent, day, user_id, receiver) do update set micros = spending.micros + excluded.micros,
  input = spending.input + excluded.input, read = spending.read + excluded.read,
  written = spending.written + excluded.written, output = spending.output + excluded.output`);

/**
 * Adds an expense to what the scope spent that day, in the caller's transaction. `isCounted` is false if the agent is known to
 * have no row in `totals`.
 */
export function addExpense(db: Database, scope: Scope, spent: Expense, isCounted = true): void {
  const { day, receiver, micros, usage } = spent;
  const { input, read, written, output } = usage;
  const counts = { micros, input: input ?? 0, read: read ?? 0, written: written ?? 0, output: output ?? 0 };
  checkName("receiver", receiver);
  const isSound = (count: number) => Number.isSafeInteger(count) && count >= 0;
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || !Object.values(counts).every(isSound))
    throw new Problem(
      "bad-spending",
      `${JSON.stringify(spent)} is nothing that can be spent.`,
      "Give a day as in 2026-02-18, and whole numbers from 0 up: millionths of a dollar, and tokens.",
    );
  db.send(sql`${insertInto(spending, { scope, day, receiver, ...counts })} ${addedUp}`);
  if (isCounted) db.send(sql`update totals set micros = micros + ${micros} where agent = ${scope.agent}`);
}

/** Returns what expenses add to a turn's cost; null if none of them has a price. */
function costOfExpenses(spent: readonly Expense[]): number | null {
  const priced = spent.filter(({ unpriced }) => !unpriced);
  return priced.length === 0 ? null : priced.reduce((sum, { micros }) => sum + micros, 0);
}

/** Returns the assignment that adds expenses to a turn's cost. */
export function addedCost(spent: readonly Expense[]): Query {
  const cost = costOfExpenses(spent);
  return cost === null ? raw("micros = micros") : sql`micros = coalesce(micros, 0) + ${cost}`;
}

/**
 * Moves a user's expenses to nobody before the user's rows are deleted: what an agent has spent stays spent, whoever it was for.
 */
export async function disown(db: Database, own: Query): Promise<void> {
  await db.run(sql`insert into spending (agent, user_id, day, receiver, micros, input, read, written, output)
    select agent, '', day, receiver, sum(micros), sum(input), sum(read), sum(written), sum(output) from spending
    where ${own} group by agent, day, receiver ${addedUp}`);
}

/** Converts a sum to numbers: PostgreSQL returns it as text, in case it is too large. */
function totalOf(row: SpendingTotal | undefined): SpendingTotal {
  const { micros = 0, input = 0, read = 0, written = 0, output = 0 } = row ?? {};
  return {
    micros: Number(micros),
    input: Number(input),
    read: Number(read),
    written: Number(written),
    output: Number(output),
  };
}
