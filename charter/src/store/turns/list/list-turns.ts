import type { Scope } from "../../../amend/amendment.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { StoreDeps } from "../../deps.ts";
import type { Database } from "../../home/database.ts";
import { countRows, matching, onPage, type Page, reachOf } from "../../home/query.ts";
import { joinQueries, type Query, raw, sql } from "../../home/sql.ts";
import { wordsOf } from "../../texts/words.ts";
import { type Turn, type TurnRow, turnOf } from "../turn.ts";
import { toldOfTurns } from "../turn-tables.ts";

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
export const eventKinds: Readonly<Partial<Record<TurnEvent, readonly string[]>>> = {
  amended: ["amended"],
  refused: ["amendment-refused"],
  held: ["amendment-held", "tool-held"],
};

type Deps = Pick<StoreDeps, "home">;

export async function listTurns({ home }: Deps, options: ListTurnsOptions): Promise<Turn[]> {
  const { sort = "newest", limit, offset, ...filter } = options;
  return home.read(reachOf(filter.agent, filter.user), async (db) => {
    const rows = await db.all<TurnRow>(sql`select * from turns where ${whereTurns(db, filter)}
      order by ${raw(orders[sort])} ${onPage({ limit, offset })}`);
    return rows.map(turnOf);
  });
}

export function countTurns({ home }: Deps, filter: TurnFilter): Promise<number> {
  return home.read(reachOf(filter.agent, filter.user), (db) => countRows(db, "turns", whereTurns(db, filter)));
}

/** A `where` for `turns`, and nothing of it that a caller wrote. */
export function whereTurns(db: Database, filter: TurnFilter): Query {
  const { agent, user, session, told, words, state, event, channel, model, from, to, minCost, maxCost } = filter;
  const known = <Value>(value: Value | undefined, query: (value: Value) => Query) =>
    value === undefined ? [] : [query(value)];
  const all = [
    matching({ agent, user_id: user, state }),
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
    ...known(words, (one) => sql`id in (${db.dialect.turnsWithWords({ agent, user }, searchedWords(one))})`),
  ];
  return joinQueries(all, " and ");
}

/** One that is as short as names are stands in an index. */
function named(column: "channel" | "model", name: string): Query {
  const isShort = [...name].length <= 200;
  return sql`${raw(column)} = ${name}${raw(isShort ? ` and length(${column}) <= 200` : "")}`;
}

function happened(event: TurnEvent, agent: string | undefined): Query {
  if (event === "failed") return raw("state = 'failed'");
  if (event === "tool") return raw("tools = 1");
  if (event === "cache-miss") return raw("missed = 1");
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

type FoundTurn = {
  readonly id: string;
  readonly scope: Scope;
  readonly input: string;
  readonly reply: string | null;
};

/** Within a transaction: from now on the turn is found by these words, and by no others. */
export async function keepTurnWords(db: Database, turn: FoundTurn, isNew: boolean): Promise<void> {
  const { id, scope, input, reply } = turn;
  const words = differentWords([input, reply]);
  for (const query of db.dialect.keepWords({ id, scope, words, isNew })) await db.run(query);
}
