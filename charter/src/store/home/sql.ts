import { badArgument, kindOf } from "../../prompt/argument.ts";
import { createBoundedMap } from "../../prompt/bounds.ts";
import { Problem } from "../../prompt/problem.ts";

/** Value of a field in a database. Times are ISO 8601 text, JSON is text, truth values are 0 or 1: the same in every home. */
export type Value = string | number | null | Uint8Array;

/** A query whose values never become part of its text. Each home writes their placeholders in its own way. */
export type Query = { readonly texts: readonly string[]; readonly values: readonly Value[] };

/** sql`select * from agents where name = ${name}`: a value becomes a parameter, a query becomes part of the text. */
export function sql(texts: readonly string[], ...given: readonly (Value | Query)[]): Query {
  let isComposed = false;
  for (const one of given)
    if (typeof one === "string") checkSoundText(one);
    else isComposed ||= isQuery(one);
  // Texts of the template itself: the same array each time, by which a home recognises the query.
  if (!isComposed) return { texts, values: given as readonly Value[] };
  return compose(nextOf(templates, texts), given, () => texts);
}

function isQuery(one: Value | Query): one is Query {
  return typeof one === "object" && one !== null && "texts" in one;
}

/** Cache of composed texts: the same parts give the same array each time, like a template that is not composed. */
type Composition = { texts?: Query["texts"]; readonly next: Compositions };
type Compositions = WeakMap<Query["texts"], Composition>;
const templates: Compositions = new WeakMap();

function nextOf(known: Compositions, texts: Query["texts"]): Composition {
  const existing = known.get(texts);
  if (existing) return existing;
  const made: Composition = { next: new WeakMap() };
  known.set(texts, made);
  return made;
}

/** Texts of a value alone. */
const place: Query["texts"] = ["", ""];

/** Composes parts with fixed text around them; there is one more text than there are parts. */
function compose(first: Composition, parts: readonly (Value | Query)[], around: () => readonly string[]): Query {
  const values: Value[] = [];
  let composition = first;
  for (const part of parts)
    if (isQuery(part)) {
      for (const value of part.values) values.push(value);
      composition = nextOf(composition.next, part.texts);
    } else {
      values.push(part);
      composition = nextOf(composition.next, place);
    }
  composition.texts ??= composedTexts(parts, around());
  return { texts: composition.texts, values };
}

function composedTexts(parts: readonly (Value | Query)[], around: readonly string[]): Query["texts"] {
  const out = [around[0] as string];
  for (const [index, part] of parts.entries()) {
    const texts = isQuery(part) ? part.texts : place;
    out[out.length - 1] += texts[0] as string;
    out.push(...texts.slice(1));
    out[out.length - 1] += around[index + 1] as string;
  }
  return out;
}

const raws = createBoundedMap<string, Query>(2000);

/** Fixed text as it is: a table's name, a dialect's clause. Never a caller's. */
export function raw(text: string): Query {
  const known = raws.get(text);
  if (known) return known;
  const made: Query = { texts: [text], values: [] };
  raws.set(text, made);
  return made;
}

const joined = new Map<string, Composition>();

/** Joins queries, with a fixed text between them. */
export function joinQueries(queries: readonly Query[], between: string): Query {
  const first = joined.get(between) ?? { next: new WeakMap() };
  joined.set(between, first);
  return compose(first, queries, () => ["", ...queries.slice(1).map(() => between), ""]);
}

const lists: Query["texts"][] = [];

/** Makes (a, b, c), each a parameter; an empty list matches nothing. */
export function listOf(values: readonly Value[]): Query {
  if (!Array.isArray(values)) throw givenFor("a list", values);
  if (values.length === 0) return raw("(null)");
  for (const value of values) if (typeof value === "string") checkSoundText(value);
  lists[values.length] ??= ["(", ...values.slice(1).map(() => ", "), ")"];
  return { texts: lists[values.length] as Query["texts"], values };
}

function givenFor(wanted: string, value: unknown): Problem {
  return badArgument(
    `A function of the store was given ${kindOf(value)} in place of ${wanted}.`,
    "Look at the call: docs/reference/store.md says what each function takes.",
  );
}

/** Divides a list into chunks, because a database limits the values of one statement. */
export function chunks<One>(all: readonly One[], together = 200): readonly One[][] {
  const out: One[][] = [];
  for (let from = 0; from < all.length; from += together) out.push(all.slice(from, from + together));
  return out;
}

/** A row as a database returns and takes it, by column. */
export type Row = Readonly<Record<string, Value>>;

/**
 * Refuses text that some home would not store exactly as it is. One home would drop what follows a NUL and another refuse it, and
 * both would quietly turn half a character into something else.
 */
export function checkSoundText(text: string): void {
  if (typeof text !== "string") throw givenFor("a text", text);
  const nul = text.indexOf("\0");
  if (nul === -1 && text.isWellFormed()) return;
  const at = nul === -1 ? text.search(/\p{Surrogate}/u) : nul;
  const what = nul === -1 ? "half a character (a lone surrogate)" : "a NUL character";
  const around = JSON.stringify(text.slice(Math.max(0, at - 20), at + 20));
  throw new Problem(
    "malformed-text",
    `A text to be kept or looked for holds ${what} at index ${at}: ${around}.`,
    "Fix the text where it comes from; Charter never repairs words silently.",
  );
}

/** Normalises a time to the form that every row has, so that two of them compare as texts. */
export function timeOf(given: string): string {
  const at = Date.parse(given);
  if (!Number.isNaN(at)) return new Date(at).toISOString();
  throw new Problem("bad-time", `“${given}” is no time.`, "Give an ISO 8601 time, as in 2026-02-18T15:04:00Z.");
}
