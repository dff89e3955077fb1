import { checkSoundText } from "./sound-text.ts";

/** What a database keeps in a field. Times are ISO 8601 text, JSON is text, a truth is 0 or 1: the same in every home. */
export type Value = string | number | null | Uint8Array;

/** A query whose values never touch its text. Each home writes the places for them in its own way. */
export type Query = { readonly texts: readonly string[]; readonly values: readonly Value[] };

/** sql`select * from agents where name = ${name}`: a value becomes a parameter, a query its own words. */
export function sql(texts: readonly string[], ...given: readonly (Value | Query)[]): Query {
  if (!given.some(isQuery)) {
    for (const value of given) if (typeof value === "string") checkSoundText(value);
    // The template's own texts: the same array each time, by which a home knows the query again.
    return { texts, values: given as readonly Value[] };
  }
  const out: string[] = [texts[0] as string];
  const values: Value[] = [];
  const add = (text: string) => {
    out[out.length - 1] += text;
  };
  for (const [index, one] of given.entries()) {
    if (isQuery(one)) {
      add(one.texts[0] as string);
      one.values.forEach((value, at) => {
        values.push(value);
        out.push(one.texts[at + 1] as string);
      });
      add(texts[index + 1] as string);
    } else {
      if (typeof one === "string") checkSoundText(one);
      values.push(one);
      out.push(texts[index + 1] as string);
    }
  }
  return { texts: out, values };
}

function isQuery(one: Value | Query): one is Query {
  return typeof one === "object" && one !== null && "texts" in one;
}

/** Words of ours, as they are: a table's name, a dialect's clause. Never a caller's. */
export function raw(text: string): Query {
  return { texts: [text], values: [] };
}

const ended = new WeakMap<Query["texts"], Map<string, Query["texts"]>>();

/** A query with these words of ours at its end: the same texts for the same ones, by which a home knows it again. */
export function withEnd({ texts, values }: Query, end: string): Query {
  const known = ended.get(texts) ?? new Map<string, Query["texts"]>();
  const whole = known.get(end) ?? [...texts.slice(0, -1), `${texts.at(-1)}${end}`];
  known.set(end, whole);
  ended.set(texts, known);
  return { texts: whole, values };
}

/** Queries in a row, with something between them. */
export function joinQueries(queries: readonly Query[], between: string): Query {
  const texts = [""];
  const values: Value[] = [];
  for (const [index, one] of queries.entries()) {
    texts[texts.length - 1] += `${index === 0 ? "" : between}${one.texts[0]}`;
    values.push(...one.values);
    texts.push(...one.texts.slice(1));
  }
  return { texts, values };
}

/** (a, b, c), each a parameter; an empty list holds nothing. */
export function listOf(values: readonly Value[]): Query {
  if (values.length === 0) return raw("(null)");
  for (const value of values) if (typeof value === "string") checkSoundText(value);
  return { texts: ["(", ...values.slice(1).map(() => ", "), ")"], values };
}

/** Some at a time: a database takes only so many values with one statement. */
export function chunks<One>(all: readonly One[], together = 200): readonly One[][] {
  const out: One[][] = [];
  for (let from = 0; from < all.length; from += together) out.push(all.slice(from, from + together));
  return out;
}

/** A row as a database gives and takes it, by column. */
export type Row = Readonly<Record<string, Value>>;
