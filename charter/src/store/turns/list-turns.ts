import type { Scope } from "../../amend/amendment.ts";
import { Problem } from "../../prompt/problem.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database, Home } from "../home/database.ts";
import { countRows, matching, type Page, pageOf, reachOf } from "../home/query.ts";
import { joinQueries, listOf, type Query, raw, sql } from "../home/sql.ts";
import { wordsOf } from "../texts/text.ts";
import type { TokenUsage } from "./spending.ts";
import { isUnusual, type Turn, type TurnReason, type TurnRow, toldOfTurns, turnOf } from "./turn.ts";

/** What can have happened in a turn, as lists tell it. */
export const turnEvents = ["amended", "refused", "held", "cache-miss", "tool", "failed"] as const;

/**
 * Something that happened in a turn: an amendment was made, refused or held (or a tool's call was held), less was read
 * from the provider's cache than was left there, a tool was called, or it failed.
 */
export type TurnEvent = (typeof turnEvents)[number];

/** The order turns are listed in. Of those that cost as much, or took as long, the newest is first. */
export type TurnSort = "newest" | "oldest" | "cost" | "duration";

/** Which turns are meant: those for which all of it holds. */
export type TurnFilter = {
  readonly agent?: string | undefined;
  readonly user?: string | undefined;
  readonly session?: string | undefined;
  /** Besides those of the session, those of schedules whose replies were said in it. */
  readonly told?: boolean | undefined;
  /** Input and reply together have words that begin with each of these. */
  readonly words?: string | undefined;
  readonly state?: Turn["state"] | undefined;
  readonly event?: TurnEvent | undefined;
  readonly channel?: string | undefined;
  /** The model that was asked last. */
  readonly model?: string | undefined;
  /** They began then or later, as an ISO time. */
  readonly from?: string | undefined;
  /** They began before then. */
  readonly to?: string | undefined;
  /** In dollars. What has no price is neither cheap nor dear. */
  readonly minCost?: number | undefined;
  readonly maxCost?: number | undefined;
};

/** What a list can be asked for; another name would list them all. */
export const turnFilters = "agent user session told words state event channel model from to minCost maxCost".split(
  " ",
) as (keyof TurnFilter)[];

/** Which turns are listed, in which order, and which part of that. */
export type ListTurnsOptions = Page & TurnFilter & { readonly sort?: TurnSort | undefined };

/** The kinds of events in the store that stand for what happened; the rest is known from the turn itself. */
const eventKinds: Readonly<Partial<Record<TurnEvent, readonly string[]>>> = {
  amended: ["amended"],
  refused: ["amendment-refused"],
  held: ["amendment-held", "tool-held"],
};

type Deps = Pick<StoreDeps, "home">;

export async function listTurns({ home }: Deps, options: ListTurnsOptions): Promise<Turn[]> {
  const { sort = "newest", limit, offset, ...filter } = options;
  return home.read(reachOf(filter.agent, filter.user), async (db) => {
    const where = await whereTurns(db, filter);
    return (await db.all<TurnRow>(listedRows(where, sort, pageOf({ limit, offset })))).map(turnOf);
  });
}

/** What has no cost, or no duration yet, stands last and is in no index of them: it is found among all. */
function listedRows(where: Query, sort: TurnSort, { limit, offset }: Required<Page>): Query {
  const by = measures[sort];
  const page = sql`limit ${limit} offset ${offset}`;
  if (by === undefined) return sql`select * from turns where ${where} order by ${raw(orders[sort])} ${page}`;
  const some = (which: "null" | "not null", order: string) =>
    sql`select * from (select * from turns where ${where} and ${raw(`${by} is ${which} order by ${order}`)}
      limit ${limit + offset}) part`;
  return sql`${some("not null", `${by} desc, ${orders.newest}`)} union all ${some("null", orders.newest)}
    order by ${raw(orders[sort])} ${page}`;
}

export function countTurns({ home }: Deps, filter: TurnFilter): Promise<number> {
  return home.read(reachOf(filter.agent, filter.user), async (db) =>
    countRows(db, "turns", await whereTurns(db, filter)),
  );
}

/** A `where` for `turns`, and nothing of it that a caller wrote. */
export async function whereTurns(db: Database, filter: TurnFilter): Promise<Query> {
  const { agent, user, session, told, words, state, event, channel, model, from, to, minCost, maxCost } = filter;
  const known = <Value>(value: Value | undefined, query: (value: Value) => Query) =>
    value === undefined ? [] : [query(value)];
  const worded = words === undefined ? undefined : await turnsWithWords(db, { agent, user }, searchedWords(words));
  const all = [
    matching({ agent, user_id: user }),
    ...known(state, inState),
    ...known(session, (one) => {
      const own = sql`session = ${one} and length(session) <= 200`;
      return told ? sql`(${own} or told_in = ${one})` : own;
    }),
    ...known(channel, (one) => named("channel", one)),
    ...known(model, (one) => named("model", one)),
    ...known(from, (one) => sql`started_at >= ${timeOf("from", one)}`),
    ...known(to, (one) => sql`started_at < ${timeOf("to", one)}`),
    ...known(minCost, (one) => sql`micros >= ${microsOf("minCost", one)}`),
    ...known(maxCost, (one) => sql`micros <= ${microsOf("maxCost", one)}`),
    ...known(event, (one) => happened(one, agent)),
    ...known(worded, (those) => sql`id in (${those})`),
  ];
  return joinQueries(all, " and ");
}

/** In the words of the indexes: most turns are answered, and are found among all. */
function inState(state: Turn["state"]): Query {
  if (state === "running") return raw("state = 'running'");
  return state === "answered" ? raw("state = 'answered'") : sql`state = ${state} and ${raw(isUnusual)}`;
}

/** One that is as short as names are stands in an index. */
function named(column: "channel" | "model", name: string): Query {
  const isShort = [...name].length <= 200;
  return sql`${raw(column)} = ${name}${raw(isShort ? ` and length(${column}) <= 200` : "")}`;
}

function happened(event: TurnEvent, agent: string | undefined): Query {
  if (event === "failed") return inState("failed");
  if (event === "tool") return raw("tools = 1");
  if (event === "cache-miss") return raw("missed = 1");
  const kinds = (eventKinds[event] ?? []).map((kind) => `'${kind}'`).join(", ");
  return sql`id in (select turn from events where ${raw(toldOfTurns)} and kind in (${raw(kinds)}) and ${matching({ agent })})`;
}

const measures: Readonly<Partial<Record<TurnSort, string>>> = { cost: "micros", duration: "duration_ms" };

const orders: Readonly<Record<TurnSort, string>> = {
  newest: "started_at desc, id desc",
  oldest: "started_at, id",
  cost: "micros desc nulls last, started_at desc, id desc",
  duration: "duration_ms desc nulls last, started_at desc, id desc",
};

function timeOf(name: string, given: string): string {
  const time = new Date(given);
  if (/^\d{4}-\d\d-\d\d/.test(given) && !Number.isNaN(time.getTime())) return time.toISOString();
  throw new Problem("usage", `“${given}” of ${name} is no time.`, "Write it as in 2026-02-18T15:04:00Z.");
}

export function microsOf(name: string, dollars: number): number {
  const micros = Math.round(dollars * 1e6);
  if (Number.isSafeInteger(micros) && micros >= 0) return micros;
  throw new Problem("usage", `${dollars} of ${name} is no number of dollars.`, "Give a number from 0 up, as in 0.05.");
}

/** Longer words are found by their beginning: an index takes no endless ones. */
const longestWord = 100;

/** So many different words of a turn are kept: a home takes no endless row. The first ones, input before reply. */
const mostWords = 20_000;

/** The words of texts as they are compared, each once. */
function differentWords(texts: readonly (string | null)[]): string[] {
  const words = new Set<string>();
  for (const text of texts)
    for (const { folded } of text === null ? [] : wordsOf(text)) {
      if (words.size === mostWords) return [...words];
      words.add(shortened(folded));
    }
  return [...words];
}

function shortened(word: string): string {
  return word.length <= longestWord ? word : [...word].slice(0, longestWord / 2).join("");
}

/** What a search is for. One without a letter or a digit in it can find nothing. */
function searchedWords(query: string): string[] {
  const words = differentWords([query]);
  if (words.length > 0) return words.slice(0, 64);
  throw new Problem(
    "usage",
    `There is no word in “${query}” to look for.`,
    "Give one or more words, or beginnings of words.",
  );
}

/** The ids of turns with these words, as a query: those that are over by what is kept of them, those that run by their input. */
async function turnsWithWords(db: Database, of: Pick<TurnFilter, "agent" | "user">, words: string[]): Promise<Query> {
  const running = await db.all<Pick<TurnRow, "id" | "input">>(sql`select id, input from turns
    where ${matching({ agent: of.agent, user_id: of.user })} and ${inState("running")}`);
  const found = running.filter(({ input }) => {
    const own = differentWords([input]);
    return words.every((word) => own.some((one) => one.startsWith(word)));
  });
  const kept = db.dialect.turnsWithWords(of, words);
  if (found.length === 0) return kept;
  return sql`${kept} union all select id from turns where id in ${listOf(found.map(({ id }) => id))}`;
}

type FoundTurn = {
  readonly id: string;
  readonly scope: Scope;
  readonly input: string;
  readonly reply: string | null;
};

/** Within the transaction that ends a turn: from now on it is found by these words, and by no others. */
export async function keepTurnWords(db: Database, { id, scope, input, reply }: FoundTurn): Promise<void> {
  const words = differentWords([input, reply]);
  for (const query of db.dialect.keepWords({ id, scope, words })) await db.run(query);
}

/** What lists tell of a turn besides what was said: its model, its cost, what it used, and what happened in it. */
export type TurnOverview = {
  /** The model that was asked last; null where none was, or that is not known. */
  readonly model: string | null;
  /** In dollars; null where nothing was paid, or the model has no price. */
  readonly cost: number | null;
  /** Of its steps together, as the provider counted; null where it did not say. */
  readonly usage: TokenUsage;
  /** Why it failed; null where it did not, or nobody said. */
  readonly because: TurnReason | null;
  /** In the order of `turnEvents`, each once. */
  readonly events: readonly TurnEvent[];
};

export type UsageRow = Pick<TurnRow, "input_tokens" | "read_tokens" | "written_tokens" | "output_tokens">;
type FactsRow = UsageRow & Pick<TurnRow, "id" | "model" | "because" | "micros" | "state" | "tools" | "missed">;

/** The facts of these turns, by their ids. Each table is asked once. */
export async function factsOfTurns(home: Home, ids: readonly string[]): Promise<ReadonlyMap<string, TurnOverview>> {
  if (ids.length === 0) return new Map();
  return home.read("everything", async (db) => {
    const rows =
      await db.all<FactsRow>(sql`select id, model, because, micros, state, tools, missed, input_tokens, read_tokens,
      written_tokens, output_tokens from turns where id in ${listOf(ids)}`);
    const told = await db.all<{ turn: string; kind: string }>(
      sql`select distinct turn, kind from events where turn in ${listOf(ids)} and ${raw(toldOfTurns)}`,
    );
    const kinds = Map.groupBy(told, ({ turn }) => turn);
    return new Map(rows.map((row) => [row.id, factsOf(row, kinds.get(row.id)?.map(({ kind }) => kind) ?? [])]));
  });
}

function factsOf(row: FactsRow, kinds: readonly string[]): TurnOverview {
  const own: Readonly<Partial<Record<TurnEvent, boolean>>> = {
    "cache-miss": row.missed === 1,
    tool: row.tools === 1,
    failed: row.state === "failed",
  };
  const happened = (event: TurnEvent) => own[event] ?? eventKinds[event]?.some((kind) => kinds.includes(kind)) ?? false;
  return {
    model: row.model,
    cost: dollarsOf(row.micros),
    usage: usageOf(row),
    because: row.because === null ? null : (JSON.parse(row.because) as TurnReason),
    events: turnEvents.filter(happened),
  };
}

export function usageOf(row: UsageRow): TokenUsage {
  const known = (count: number | null) => (count === null ? null : Number(count));
  return {
    input: known(row.input_tokens),
    read: known(row.read_tokens),
    written: known(row.written_tokens),
    output: known(row.output_tokens),
  };
}

export function dollarsOf(micros: number | null): number | null {
  return micros === null ? null : Number(micros) / 1e6;
}

/** What an agent's turns since some time come to. */
export type TurnSums = {
  readonly turns: number;
  /** How many different users they were for. */
  readonly users: number;
  /** In dollars, of those with a price; null where none has one. */
  readonly cost: number | null;
  /** How many failed. */
  readonly failed: number;
};

/** The sums of agents over the last seven days are told everywhere: by the API, the command and the pages. */
export function weekBefore(now: Date): string {
  return new Date(now.getTime() - 7 * 24 * 60 * 60 * 1000).toISOString();
}

export const noTurns: TurnSums = { turns: 0, users: 0, cost: null, failed: 0 };

type SumsRow = { agent: string; turns: number; users: number; micros: number | null; failed: number };

/** Of turns that began since then, by agent; an agent without any is not in it. What was erased was a turn all the same. */
export async function sumTurns(
  home: Home,
  agents: readonly string[],
  since: string,
): Promise<ReadonlyMap<string, TurnSums>> {
  if (agents.length === 0) return new Map();
  return home.read("everything", async (db) => {
    const rows = await db.all<SumsRow>(sql`select agent, count(*) as turns, sum(micros) as micros,
        count(distinct case when user_id <> '' then user_id end) as users,
        sum(case when state = 'failed' then 1 else 0 end) as failed
      from turns where agent in ${listOf(agents)} and started_at >= ${since} group by agent`);
    return new Map(
      rows.map(({ agent, turns, users, micros, failed }) => [
        agent,
        { turns: Number(turns), users: Number(users), cost: dollarsOf(micros), failed: Number(failed) },
      ]),
    );
  });
}
