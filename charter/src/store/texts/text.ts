import { Problem } from "../../prompt/problem.ts";
import type { Database } from "../home/database.ts";
import { insertInto } from "../home/query.ts";
import { checkSoundText, joinQueries, listOf, sql } from "../home/sql.ts";
import { packText, sha256, type TextRow, texts as table, unpackFrom } from "./packing.ts";

/**
 * Texts, each kept once by its digest.
 *
 * A long text is packed against the one it came from (the revision before, the last turn's state), so that keeping
 * every prompt of every step costs about what changed in it. What is read back is proved by its digest.
 */
export type Texts = {
  /** Keeps a text and gives its digest. `base`: a text of the same owner that is much like it. */
  readonly put: (db: Database, owner: string, text: string, base?: string) => Promise<string>;
  /** Keeps several, asking once which are there. */
  readonly putAll: (db: Database, texts: readonly NewText[]) => Promise<void>;
  /** The text; `undefined` when it is not there, or is not what its digest says. */
  readonly get: (db: Database, owner: string, digest: string) => Promise<string | undefined>;
  /** Several of one owner's, by their digests; those that `get` would not give are missing. */
  readonly getAll: (db: Database, owner: string, digests: readonly string[]) => Promise<ReadonlyMap<string, string>>;
};

export type NewText = {
  readonly owner: string;
  readonly text: string;
  readonly digest: string;
  readonly base?: string | undefined;
};

/** So many texts at most have to be unpacked to read one. */
export const maxDepth = 32;

/** A section is cut out of its prompt: remembered as it is, a few words would keep the whole prompt in memory. */
function copyOf(text: string): string {
  return Buffer.from(text).toString();
}

/** `keep`: so many characters of what was read lately are remembered. */
export function createTexts({ keep = 8_000_000 } = {}): Texts {
  // What a digest stands for never changes, so it may be remembered; whether it is there is always asked.
  const known = new Map<string, string>();
  let size = 0;
  const remember = (digest: string, text: string) => {
    if (!known.has(digest)) size += text.length;
    const own = known.get(digest) ?? copyOf(text);
    known.delete(digest);
    known.set(digest, own);
    for (const [oldest, words] of known) {
      if (size <= keep || oldest === digest) break;
      known.delete(oldest);
      size -= words.length;
    }
  };

  /**
   * The rows of these texts, and of those they are packed against as far as those are not remembered. What is remembered
   * now is taken along: unpacking the others may push it out.
   */
  const load = async (db: Database, owner: string, digests: readonly string[]) => {
    const rows = new Map<string, TextRow>();
    const near = new Map<string, string | undefined>();
    let wanted = [...new Set(digests)];
    for (let left = maxDepth; wanted.length > 0 && left >= 0; left--) {
      const bases = new Set<string>();
      for (const row of await db.all<TextRow>(
        sql`select * from texts where owner = ${owner} and digest in ${listOf(wanted)}`,
      )) {
        rows.set(row.digest, row);
        const text = known.get(row.digest);
        if (text !== undefined) near.set(row.digest, text);
        else if (row.base !== null) bases.add(row.base);
      }
      wanted = [...bases].filter((base) => !rows.has(base));
    }
    return { rows, near };
  };

  const getAll: Texts["getAll"] = async (db, owner, digests) => {
    const { rows, near } = await load(db, owner, digests);
    const packed = { row: (digest: string) => rows.get(digest), known: near };
    const found = new Map<string, string>();
    for (const digest of digests) {
      const text = unpackFrom(packed, digest);
      if (text !== undefined) found.set(digest, text);
    }
    for (const [digest, text] of near) if (text !== undefined) remember(digest, text);
    return found;
  };
  const get: Texts["get"] = async (db, owner, digest) => (await getAll(db, owner, [digest])).get(digest);

  const putAll: Texts["putAll"] = async (db, given) => {
    if (given.length === 0) return;
    const asked = [...Map.groupBy(given, ({ owner }) => owner)].map(([owner, own]) => {
      const digests = new Set(own.flatMap(({ digest, base }) => (base === undefined ? [digest] : [digest, base])));
      return sql`select owner, digest, depth from texts where owner = ${owner} and digest in ${listOf([...digests])}`;
    });
    const rows = await db.all<Pick<TextRow, "owner" | "digest" | "depth">>(joinQueries(asked, " union all "));
    const depths = new Map(rows.map(({ owner, digest, depth }) => [`${digest}${owner}`, depth]));
    for (const { owner, text, digest, base = "" } of given) {
      if (depths.has(`${digest}${owner}`)) continue;
      checkSoundText(text);
      const below = depths.get(`${base}${owner}`) ?? maxDepth;
      const under = below < maxDepth ? (known.get(base) ?? (await get(db, owner, base))) : undefined;
      const { against, ...packed } = packText(text, under);
      const place = against ? { base, depth: below + 1 } : { depth: 0 };
      await db.run(
        sql`${insertInto(table, { owner, digest, ...place, ...packed })} on conflict (owner, digest) do nothing`,
      );
      depths.set(`${digest}${owner}`, place.depth);
      remember(digest, text);
    }
  };

  return {
    get,
    getAll,
    putAll,
    put: async (db, owner, text, base) => {
      const digest = sha256(text);
      await putAll(db, [{ owner, text, digest, base }]);
      return digest;
    },
  };
}

/** A text that has to be there. */
export async function requireText(
  texts: Texts,
  db: Database,
  owner: string,
  digest: string,
  what: string,
): Promise<string> {
  const text = await texts.get(db, owner, digest);
  if (text !== undefined) return text;
  throw new Problem(
    "text-missing",
    `${what} is not there, or is not what its digest ${digest.slice(0, 12)} says.`,
    "Run `charter verify` to see what was changed; a checkpoint may still have it.",
  );
}

/** A word as it is written, in small letters, and as it is compared. */
export type Word = { readonly written: string; readonly folded: string };

/** Scripts that put no spaces between words: each pair of neighbouring letters counts as one. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;

/** The words of a text, in their order. */
export function wordsOf(text: string): Word[] {
  const small = text.normalize("NFKC").toLowerCase().normalize("NFC");
  return [...small.matchAll(/[\p{L}\p{N}\p{M}]+/gu)].flatMap(([run]) => piecesOf(run));
}

/** Most words: there is nothing to fold. */
const plain = /^[a-z0-9]+$/;

function piecesOf(run: string): Word[] {
  if (plain.test(run)) return [{ written: run, folded: run }];
  const out: Word[] = [];
  let from = 0;
  const spaced = (stretch: string) => {
    const bare = folded(stretch).replace(/[^\p{L}\p{N}]+/gu, "");
    if (bare !== "") out.push({ written: stretch, folded: bare });
  };
  for (const found of run.matchAll(unspaced)) {
    spaced(run.slice(from, found.index));
    for (const pair of pairs(found[0])) out.push(pair);
    from = found.index + found[0].length;
  }
  spaced(run.slice(from));
  return out;
}

function pairs(stretch: string): Word[] {
  const letters = [...folded(stretch)].filter((letter) => /[\p{L}\p{N}]/u.test(letter));
  const words = letters.length < 2 ? letters : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
  return words.map((word) => ({ written: word, folded: word }));
}

/** As letters are compared: no case, no accents, one form. */
export function folded(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().normalize("NFKC");
}
