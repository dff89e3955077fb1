import { Problem } from "../../prompt/problem.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database, Home } from "../home/database.ts";
import { countRows, type GivenPage, lockAgainstErasure, matching, onPage, type Page, reachOf } from "../home/query.ts";
import { joinQueries, listOf, type Query, raw, sql } from "../home/sql.ts";
import { scopeOf } from "../home/table.ts";
import { wordsOf } from "../texts/text.ts";
import type { TokenUsage } from "./spending.ts";
import {
  isRunning,
  isUnusual,
  isUnworded,
  type Turn,
  type TurnReason,
  type TurnRow,
  toldOfTurns,
  turnOf,
} from "./turn.ts";

/** Events of a turn that lists show. */
export const turnEvents = ["amended", "refused", "held", "cache-miss", "nothing-cached", "tool", "failed"] as const;

/**
 * An event in a turn: an amendment was made, refused or held (or a tool call was held), less was read from the provider's cache
 * than was left there, nothing at all was, a tool was called, or the turn failed.
 */
export type TurnEvent = (typeof turnEvents)[number];

/** Order of a list of turns. Of turns with the same cost or duration, the newest is first. */
export type TurnSort = "newest" | "oldest" | "cost" | "duration";

/** Conditions that a turn has to meet, all of them. */
export type TurnFilter = {
  readonly agent?: string | undefined;
  readonly user?: string | undefined;
  readonly session?: string | undefined;
  /** Includes, besides the turns of the session, those of schedules whose replies were announced in it. */
  readonly told?: boolean | undefined;
  /** Words to search for: input and reply together have words that begin with each of these. */
  readonly words?: string | undefined;
  readonly state?: Turn["state"] | undefined;
  readonly event?: TurnEvent | undefined;
  readonly channel?: string | undefined;
  /** Model that was asked last. */
  readonly model?: string | undefined;
  /** Start of the range, included, as an ISO time. */
  readonly from?: string | undefined;
  /** End of the range, excluded. */
  readonly to?: string | undefined;
  /** Cost limits in dollars, both included. A turn without a price meets neither. */
  readonly minCost?: number | undefined;
  readonly maxCost?: number | undefined;
};

/** Names that a filter may have: an unknown one is refused, because it would list all turns. */
export const turnFilters = "agent user session told words state event channel model from to minCost maxCost".split(
  " ",
) as (keyof TurnFilter)[];

/** Options for a list of turns: the filter, the order and the page. */
export type ListTurnsOptions = Page & TurnFilter & { readonly sort?: TurnSort | undefined };

/** Kinds of events in the store for each event of a turn; the others are known from the turn itself. */
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
    return (await db.all<TurnRow>(listedRows(where, sort, { limit, offset }))).map(turnOf);
  });
}

/**
 * Returns the query of a page. By cost or duration the ids are found first: their index holds both, and only the rows of the page
 * are read.
 */
function listedRows(where: Query, sort: TurnSort, page: GivenPage): Query {
  const order = raw(orders[sort]);
  if (sort === "newest" || sort === "oldest")
    return sql`select * from turns where ${where} order by ${order} ${onPage(page)}`;
  const ids = sql`select id from turns where ${where} order by ${order} ${onPage(page)}`;
  return sql`select * from turns where id in (select id from (${ids}) part) order by ${order}`;
}

export function countTurns({ home }: Deps, filter: TurnFilter): Promise<number> {
  return home.read(reachOf(filter.agent, filter.user), async (db) =>
    countRows(db, "turns", await whereTurns(db, filter)),
  );
}

/** Returns the condition of a filter for the table `turns`; nothing that a caller wrote is SQL in it. */
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
    ...known(channel, (one) => sql`channel = ${one}`),
    ...known(model, (one) => sql`model = ${one}`),
    ...known(from, (one) => sql`started_at >= ${timeOf("from", one)}`),
    ...known(to, (one) => sql`started_at < ${timeOf("to", one)}`),
    ...known(minCost, (one) => sql`micros >= ${microsOf("minCost", one)}`),
    ...known(maxCost, (one) => sql`micros <= ${microsOf("maxCost", one)}`),
    ...known(event, (one) => happened(one, agent)),
    ...known(worded, (those) => sql`id in (${those})`),
  ];
  return joinQueries(all, " and ");
}

/** Returns the condition for a state, worded like the indexes. Answered turns have no index, because most are. */
function inState(state: Turn["state"]): Query {
  if (state === "running") return raw(isRunning);
  return state === "answered" ? raw("state = 'answered'") : sql`state = ${state} and ${raw(isUnusual)}`;
}

function happened(event: TurnEvent, agent: string | undefined): Query {
  if (event === "failed") return inState("failed");
  if (event === "tool") return raw("tools = 1");
  if (event === "cache-miss") return raw("missed = 1");
  if (event === "nothing-cached") return raw("read_tokens = 0");
  const kinds = (eventKinds[event] ?? []).map((kind) => `'${kind}'`).join(", ");
  return sql`id in (select turn from events where ${raw(toldOfTurns)} and kind in (${raw(kinds)}) and ${matching({ agent })})`;
}

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

/** Maximum number of characters of a word in the index; longer words are cut to half of it, and found by their beginning. */
const maxWordChars = 100;

/**
 * Maximum number of different words indexed for a turn, because a database takes no endless row. The first ones are kept, input
 * before reply.
 */
const maxWordsPerTurn = 20_000;

/** Returns the different words of texts, in the form in which they are compared. */
function differentWords(texts: readonly (string | null)[]): string[] {
  const words = new Set<string>();
  for (const text of texts)
    for (const { folded } of text === null ? [] : wordsOf(text)) {
      if (words.size === maxWordsPerTurn) return [...words];
      words.add(shortened(folded));
    }
  return [...words];
}

function shortened(word: string): string {
  return word.length <= maxWordChars ? word : [...word].slice(0, maxWordChars / 2).join("");
}

/** Returns the words of a search. One without a letter or digit could find nothing, and is refused. */
function searchedWords(query: string): string[] {
  const words = differentWords([query]);
  if (words.length > 0) return words.slice(0, 64);
  throw new Problem(
    "usage",
    `There is no word in “${query}” to look for.`,
    "Give one or more words, or beginnings of words.",
  );
}

/** Returns a query for the ids of turns with these words: by the index, and by the texts of turns that are not in it yet. */
async function turnsWithWords(db: Database, of: Pick<TurnFilter, "agent" | "user">, words: string[]): Promise<Query> {
  const unworded = await db.all<Pick<TurnRow, "id" | "input" | "reply">>(sql`select id, input, reply from turns
    where ${matching({ agent: of.agent, user_id: of.user })} and ${raw(isUnworded)}`);
  const matches = unworded.filter(({ input, reply }) => {
    const own = differentWords([input, reply]);
    return words.every((word) => own.some((one) => one.startsWith(word)));
  });
  const kept = db.dialect.turnsWithWords(of, words);
  if (matches.length === 0) return kept;
  return sql`${kept} union all select id from turns where id in ${listOf(matches.map(({ id }) => id))}`;
}

type WordedRow = Pick<TurnRow, "id" | "agent" | "user_id" | "input" | "reply">;

/** Indexes the words of turns, in the caller's transaction: from then on they are found by these words, and by no others. */
export async function keepWordsOf(db: Database, rows: readonly WordedRow[]): Promise<void> {
  for (const { id, input, reply, ...row } of rows) {
    const words = differentWords([input, reply]);
    for (const query of db.dialect.keepWords({ id, scope: scopeOf(row), words })) await db.run(query);
  }
  if (rows.length > 0) await db.run(sql`update turns set worded = 1 where id in ${listOf(rows.map(({ id }) => id))}`);
}

/** Number of ended turns whose words are indexed in one commit, and number of characters after which it takes no more. */
const wordedTogether = 64;
const maxCharsTogether = 1_000_000;

/**
 * Returns a function to be told of each turn that ended. Now and then it has the words of those before it indexed, behind their
 * replies: one commit for many turns writes a fraction of the pages. Nothing is lost with the process, because a turn that is not
 * in the index is marked so, and searched by its text.
 */
export function createWordIndexer({ home }: Deps): () => void {
  let ended = 0;
  const index = async (): Promise<void> => {
    const isFull = await home.write(
      "everything",
      async (db) => {
        await lockAgainstErasure(db);
        const rows = await db.all<WordedRow>(sql`select id, agent, user_id, input, reply from turns
        where ${raw(isUnworded)} and state <> 'running' order by agent, id limit ${wordedTogether}${db.dialect.skipLocked}`);
        let chars = 0;
        const some = rows.filter(({ input, reply }, at) => {
          chars += input.length + (reply?.length ?? 0);
          return at === 0 || chars <= maxCharsTogether;
        });
        await keepWordsOf(db, some);
        return rows.length === wordedTogether || some.length < rows.length;
      },
      "unsynced",
    );
    if (isFull) await index();
  };
  return () => {
    if (++ended < wordedTogether) return;
    ended = 0;
    // What fails now (the store was closed, the disk is full) is done with the turns after these.
    index().catch(() => {});
  };
}

/** Facts that lists show of a turn besides its text: its model, its cost, its usage and what happened in it. */
export type TurnOverview = {
  /** Model that was asked last; null if none was, or it is not known. */
  readonly model: string | null;
  /** Cost in dollars; null if nothing was paid, or the model has no price. */
  readonly cost: number | null;
  /** Tokens of all its steps, as the provider counted; null where it did not say. */
  readonly usage: TokenUsage;
  /** Reason of a failure; null if it did not fail, or no reason was given. */
  readonly because: TurnReason | null;
  /** Events in the order of `turnEvents`, each once. */
  readonly events: readonly TurnEvent[];
};

export type UsageRow = Pick<TurnRow, "input_tokens" | "read_tokens" | "written_tokens" | "output_tokens">;
type FactsRow = UsageRow & Pick<TurnRow, "id" | "model" | "because" | "micros" | "state" | "tools" | "missed">;

/** Reads the facts of these turns, by their ids, with one query for each table. */
export async function factsOfTurns(home: Home, ids: readonly string[]): Promise<ReadonlyMap<string, TurnOverview>> {
  if (ids.length === 0) return new Map();
  return home.read("everything", async (db) => {
    const rows =
      await db.all<FactsRow>(sql`select id, model, because, micros, state, tools, missed, input_tokens, read_tokens,
      written_tokens, output_tokens from turns where id in ${listOf(ids)}`);
    const eventRows = await db.all<{ turn: string; kind: string }>(
      sql`select distinct turn, kind from events where turn in ${listOf(ids)} and ${raw(toldOfTurns)}`,
    );
    const kinds = Map.groupBy(eventRows, ({ turn }) => turn);
    return new Map(rows.map((row) => [row.id, factsOf(row, kinds.get(row.id)?.map(({ kind }) => kind) ?? [])]));
  });
}

function factsOf(row: FactsRow, kinds: readonly string[]): TurnOverview {
  const own: Readonly<Partial<Record<TurnEvent, boolean>>> = {
    "cache-miss": row.missed === 1,
    "nothing-cached": row.read_tokens !== null && Number(row.read_tokens) === 0,
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

/** Sums of an agent's turns since some time. */
export type TurnSums = {
  readonly turns: number;
  /** Number of different users they were for. */
  readonly users: number;
  /** Cost in dollars, of the turns with a price; null if none has one. */
  readonly cost: number | null;
  /** Number of turns that failed. */
  readonly failed: number;
};

export const noTurns: TurnSums = { turns: 0, users: 0, cost: null, failed: 0 };

type SumsRow = { agent: string; turns: number; users: number; micros: number | null; failed: number };

/** Adds up the turns that began since then, by agent; an agent without any is left out. Erased turns count. */
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
