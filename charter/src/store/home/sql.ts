import { createBoundedMap } from "../../prompt/bounded-map.ts";
import { checkSoundText } from "./sound-text.ts";

/** What a database keeps in a field. Times are ISO 8601 text, JSON is text, a truth is 0 or 1: the same in every home. */
export type Value = string | number | null | Uint8Array;

/** A query whose values never touch its text. Each home writes the places for them in its own way. */
export type Query = { readonly texts: readonly string[]; readonly values: readonly Value[] };

/** sql`select * from agents where name = ${name}`: a value becomes a parameter, a query its own words. */
export function sql(texts: readonly string[], ...given: readonly (Value | Query)[]): Query {
  let isComposed = false;
  for (const one of given)
    if (typeof one === "string") checkSoundText(one);
    else isComposed ||= isQuery(one);
  // The template's own texts: the same array each time, by which a home knows the query again.
  if (!isComposed) return { texts, values: given as readonly Value[] };
  const parts = given.map((one) => (isQuery(one) ? one : { texts: place, values: [one] }));
  return compose(compositionWith(templates, texts), texts, parts);
}

function isQuery(one: Value | Query): one is Query {
  return typeof one === "object" && one !== null && "texts" in one;
}

/** The texts of a value alone. */
const place: Query["texts"] = ["", ""];

/** What the same texts were composed to: the same array each time, as of a template that is not composed. */
type Composition = { texts?: Query["texts"]; readonly next: Compositions };
type Compositions = WeakMap<Query["texts"], Composition>;
const templates: Compositions = new WeakMap();

function compositionWith(known: Compositions, texts: Query["texts"]): Composition {
  const found = known.get(texts) ?? { next: new WeakMap() };
  known.set(texts, found);
  return found;
}

/** Parts with words of ours around them: `around` has one more than there are parts. */
function compose(first: Composition, around: readonly string[], parts: readonly Query[]): Query {
  const values: Value[] = [];
  let composition = first;
  for (const part of parts) {
    for (const value of part.values) values.push(value);
    composition = compositionWith(composition.next, part.texts);
  }
  composition.texts ??= composedTexts(around, parts);
  return { texts: composition.texts, values };
}

function composedTexts(around: readonly string[], parts: readonly Query[]): Query["texts"] {
  const texts = [around[0] as string];
  for (const [index, part] of parts.entries()) {
    texts[texts.length - 1] += part.texts[0] as string;
    texts.push(...part.texts.slice(1));
    texts[texts.length - 1] += around[index + 1] as string;
  }
  return texts;
}

const raws = createBoundedMap<string, Query>(2000);

/** Words of ours, as they are: a table's name, a dialect's clause. Never a caller's. */
export function raw(text: string): Query {
  const known = raws.get(text) ?? { texts: [text], values: [] };
  if (!raws.has(text)) raws.set(text, known);
  return known;
}

const joined = new Map<string, Composition>();

/** Queries in a row, with something between them. */
export function joinQueries(queries: readonly Query[], between: string): Query {
  const first = joined.get(between) ?? { next: new WeakMap() };
  joined.set(between, first);
  return compose(first, ["", ...queries.slice(1).map(() => between), ""], queries);
}

const lists: Query["texts"][] = [];

/** (a, b, c), each a parameter; an empty list holds nothing. */
export function listOf(values: readonly Value[]): Query {
  if (values.length === 0) return raw("(null)");
  for (const value of values) if (typeof value === "string") checkSoundText(value);
  lists[values.length] ??= ["(", ...values.slice(1).map(() => ", "), ")"];
  return { texts: lists[values.length] as Query["texts"], values };
}

/** Some at a time: a database takes only so many values with one statement. */
export function chunks<One>(all: readonly One[], together = 200): readonly One[][] {
  const out: One[][] = [];
  for (let from = 0; from < all.length; from += together) out.push(all.slice(from, from + together));
  return out;
}

/** A row as a database gives and takes it, by column. */
export type Row = Readonly<Record<string, Value>>;
