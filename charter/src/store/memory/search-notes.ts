import type { Scope } from "../../amend/amendment.ts";
import type { Database } from "../home/database.ts";
import { countRows, ownRows } from "../home/query.ts";
import { joinQueries, type Query, sql } from "../home/sql.ts";
import { wordsOf } from "../texts/words.ts";
import { bestFirst, type Candidates, rankNotes, similarWords, stemsIn } from "./rank.ts";
import type { SearchQuery, SearchTerm } from "./search-query.ts";

/** How notes were found: by all words, by some of them, as part of a word, or by words like them. */
export type FoundBy = "all-words" | "any-word" | "substring" | "similar";

/** The numbers of notes, best first. */
type SearchOutcome = { readonly numbers: readonly number[]; readonly by: FoundBy };

/** Of more notes than this, with a word that nearly all of them have, the newest are ranked. */
const mostCandidates = 20_000;
/** Misspelt words are looked for among the words of so many notes, the newest. */
const mostRead = 5000;
/** So many notes a home puts into one text: a text has an end. */
const block = 4000;

/** All notes that are found in a scope, in their order: the same on every home. */
export async function searchNotes(db: Database, scope: Scope, query: SearchQuery): Promise<SearchOutcome> {
  const { wanted, unwanted } = query;
  if (wanted.length === 0) return { numbers: await holding(db, scope, query), by: "substring" };
  const total = await countRows(db, "memories", ownRows(scope));
  const direct = await candidatesFor(db, scope, query, formsIn(wanted));
  const { notes, missed } = rankNotes(direct, { wanted, unwanted, total });
  const all = notes.filter((note) => note.direct === wanted.length);
  if (all.length > 0) return { numbers: bestFirst(all), by: "all-words" };
  if (notes.length === 0) {
    const numbers = await holding(db, scope, query);
    if (numbers.length > 0) return { numbers, by: "substring" };
  }
  const near = await nearWords(db, scope, missed);
  if (near.size === 0) return { numbers: bestFirst(notes), by: notes.length > 0 ? "any-word" : "substring" };
  const tokens = [...formsIn(wanted), ...[...near.values()].flatMap((forms) => [...forms.keys()])];
  const again = rankNotes(await candidatesFor(db, scope, query, tokens), { wanted, unwanted, total, near });
  return { numbers: bestFirst(again.notes), by: notes.length > 0 ? "any-word" : "similar" };
}

const formsIn = (terms: readonly SearchTerm[]) => terms.flatMap(({ forms }) => [...forms.keys()]);

async function candidatesFor(
  db: Database,
  scope: Scope,
  { wanted, unwanted }: SearchQuery,
  tokens: readonly string[],
): Promise<Candidates> {
  const having = sql`${ownRows(scope)} and ${db.dialect.hasStem(scope, [...new Set(tokens)])}`;
  const lines = await linesOf(db, having, mostCandidates);
  if (![...wanted, ...unwanted].some(({ phrase }) => phrase)) return { lines };
  const rows = await db.all<{ number: number; folded: string }>(
    sql`select number, folded from memories where ${having} order by ${newestFirst(db)} limit ${mostCandidates}`,
  );
  return {
    lines,
    words: new Map(rows.map(({ number, folded }) => [number, wordsOf(folded).map((one) => one.folded)])),
  };
}

const newestFirst = (db: Database) => sql`at${db.dialect.bytewise} desc, number desc`;

/** Notes as lines, in few texts: a row for each would cost more than ranking them. */
async function linesOf(db: Database, where: Query, most: number): Promise<string[]> {
  const texts: string[] = [];
  for (let from = 0; from < most; from += block) {
    const row = await db.one<{ notes: number; lines: string | null }>(sql`select count(*) as notes,
      string_agg(line, ${"\n"}) as lines from (select cast(number as text) || ' ' || stems as line from memories
        where ${where} order by ${newestFirst(db)} limit ${Math.min(block, most - from)} offset ${from}) as found`);
    if (row?.lines) texts.push(row.lines);
    if ((row?.notes ?? 0) < block) break;
  }
  return texts;
}

/** For each term that no note has: the words of the notes that are like it. */
async function nearWords(
  db: Database,
  scope: Scope,
  missed: readonly SearchTerm[],
): Promise<ReadonlyMap<SearchTerm, ReadonlyMap<string, number>>> {
  const words = missed.filter(({ phrase }) => !phrase);
  if (words.length === 0) return new Map();
  const lines = await linesOf(db, sql`${ownRows(scope)} and stems is not null`, mostRead);
  const vocabulary = stemsIn(lines);
  const found = words.map((term) => [term, similarWords(term.text, vocabulary)] as const);
  return new Map(found.filter(([, forms]) => forms.size > 0));
}

/** Any script, any stretch of letters: every wanted term somewhere in the note. Newest first. */
async function holding(db: Database, scope: Scope, { written }: SearchQuery): Promise<number[]> {
  const wanted = written.map(({ text, not }) =>
    not ? sql`not (${db.dialect.contains("folded", text)})` : db.dialect.contains("folded", text),
  );
  const rows = await db.all<{ number: number }>(sql`select number from memories where ${ownRows(scope)}
    and ${wanted.length === 0 ? sql`1 = 1` : joinQueries(wanted, " and ")} order by ${newestFirst(db)}`);
  return rows.map(({ number }) => number);
}
