import { Problem } from "../../prompt/problem.ts";
import type { Database } from "../home/database.ts";
import { insertInto } from "../home/query.ts";
import { checkSoundText, joinQueries, listOf, sql } from "../home/sql.ts";
import { bytes, count, digest, name, type RowOf, table } from "../home/table.ts";
import { packText, sha256, unpackFrom } from "./packing.ts";

/**
 * Storage of texts, each once by its digest.
 *
 * A long text is packed as the difference to the one it came from (the revision before, the last turn's state), so that storing
 * every prompt of every step costs about what changed in it. What is read back is proved by its digest.
 */
export type Texts = {
  /** Stores a text and returns its digest. `base`: the digest of a similar text of the same owner. */
  readonly put: (db: Database, owner: string, text: string, base?: string) => Promise<string>;
  /** Stores several texts, with one query for those that are there already. */
  readonly putAll: (db: Database, texts: readonly NewText[]) => Promise<void>;
  /** Returns the text; `undefined` if it is not there, or is not what its digest says. */
  readonly get: (db: Database, owner: string, digest: string) => Promise<string | undefined>;
  /** Returns several texts of one owner, by their digests; those that `get` would not return are missing. */
  readonly getAll: (db: Database, owner: string, digests: readonly string[]) => Promise<ReadonlyMap<string, string>>;
};

export type NewText = {
  readonly owner: string;
  readonly text: string;
  readonly digest: string;
  readonly base?: string | undefined;
};

const ownOrCommon = "(owner = {user} or owner = '')";

/** Texts by digest, once for each owner ('' owns the agents' shared texts); `base`: the text that one is packed against. */
export const texts = table(
  "texts",
  {
    of: "store",
    key: ["owner", "digest"],
    isByKey: true,
    owner: { user: "owner" },
    // Steps of a user may add shared texts, and remove none.
    fence: { see: ownOrCommon, add: ownOrCommon, remove: "owner = {user}" },
    proof: "hashChain",
    // Unused texts are deleted by the sweep.
    erase: { blank: "keep" },
    isLeftOut: true,
    exported: false,
  },
  { owner: name(), digest: digest(), base: digest().nullable(), depth: count(), packed: count(), body: bytes() },
);

export type TextRow = RowOf<typeof texts>;

/** Maximum number of texts that have to be unpacked to read one. */
export const maxDepth = 32;

/** Number of texts that are known to be stored, after which a new count begins. A prompt of 10,000 sections fits. */
const maxStored = 50_000;

/** Depths of stored texts, by owner and digest. */
type StoredDepths = Map<string, Map<string, number>>;

/** Creates the storage of texts. `keep`: the number of bytes in the cache of recently read texts. */
export function createTexts({ keep = 8_000_000 } = {}): Texts {
  // Digests always stand for the same text, so texts are cached; whether one is stored holds only as long as no row may be gone.
  const known = new Map<string, Buffer>();
  let size = 0;
  let stored: StoredDepths = new Map();
  let storedCount = 0;
  let storedMark: string | undefined;
  const remember = (digest: string, bytes: Buffer) => {
    if (!known.delete(digest)) size += bytes.length;
    known.set(digest, bytes);
    for (const [oldest, other] of known) {
      if (size <= keep || oldest === digest) break;
      known.delete(oldest);
      size -= other.length;
    }
  };

  /**
   * Reads the rows of these texts, and of those they are packed against, except for cached ones. The cached texts are returned
   * too, because unpacking the others may push them out of the cache.
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
        const bytes = known.get(row.digest);
        if (bytes !== undefined) near.set(row.digest, bytes.toString());
        else if (row.base !== null) bases.add(row.base);
      }
      wanted = [...bases].filter((base) => !rows.has(base));
    }
    return { rows, near };
  };

  const getAll: Texts["getAll"] = async (db, owner, digests) => {
    const { rows, near } = await load(db, owner, digests);
    const packed = { row: (digest: string) => rows.get(digest), known: near };
    const texts = new Map<string, string>();
    for (const digest of digests) {
      const text = unpackFrom(packed, digest);
      if (text !== undefined) texts.set(digest, text);
    }
    for (const [digest, text] of near) if (text !== undefined) remember(digest, known.get(digest) ?? Buffer.from(text));
    return texts;
  };
  const get: Texts["get"] = async (db, owner, digest) => (await getAll(db, owner, [digest])).get(digest);

  /** Returns the depths of texts that are stored, by owner and digest, as far as they are known without reading. */
  const depthsKnown = (mark: string | undefined): StoredDepths => {
    if (mark === undefined) return new Map();
    if (mark !== storedMark || storedCount > maxStored) [stored, storedCount] = [new Map(), 0];
    storedMark = mark;
    return stored;
  };

  const putAll: Texts["putAll"] = async (db, given) => {
    const byOwner = depthsKnown(db.rowsMark?.());
    const depthsOf = (owner: string) => {
      const depths = byOwner.get(owner) ?? new Map<string, number>();
      byOwner.set(owner, depths);
      return depths;
    };
    // A new text whose base is known most likely is new: it is inserted without a look whether it is there.
    const asked = given.filter(({ owner, digest, base }) => {
      const depths = depthsOf(owner);
      return !depths.has(digest) && (base === undefined || !depths.has(base));
    });
    const lists = [...Map.groupBy(asked, ({ owner }) => owner)].map(([owner, own]) => {
      const digests = new Set(own.flatMap(({ digest, base }) => (base === undefined ? [digest] : [digest, base])));
      return sql`select owner, digest, depth from texts where owner = ${owner} and digest in ${listOf([...digests])}`;
    });
    if (lists.length > 0) {
      const rows = await db.all<Pick<TextRow, "owner" | "digest" | "depth">>(joinQueries(lists, " union all "));
      for (const { owner, digest, depth } of rows) depthsOf(owner).set(digest, depth);
      storedCount += rows.length;
    }
    const bases = new Set(given.map(({ base }) => base));
    const inserting: Promise<void>[] = [];
    for (const { owner, text, digest, base = "" } of given) {
      const depths = depthsOf(owner);
      if (depths.has(digest)) continue;
      checkSoundText(text);
      const below = depths.get(base) ?? maxDepth;
      if (below < maxDepth && !known.has(base)) await get(db, owner, base);
      const bytes = Buffer.from(text);
      const { against, ...packed } = packText(bytes, below < maxDepth ? known.get(base) : undefined);
      const place = against ? { base, depth: below + 1 } : { depth: 0 };
      const row = insertInto(texts, { owner, digest, ...place, ...packed });
      const inserted = db.run(sql`${row} on conflict (owner, digest) do nothing`);
      const noting = inserted.then((count) => {
        if (count > 0) depths.set(digest, place.depth);
      });
      if (bases.has(digest)) await noting;
      // Its failure is told at the end, unless another comes first.
      noting.catch(() => {});
      inserting.push(noting);
      storedCount++;
      remember(digest, bytes);
    }
    await Promise.all(inserting);
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

/** Returns a text, or throws a Problem if it is not there. */
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

/** A word as it is written, in lower case, and in the form in which it is compared. */
export type Word = { readonly written: string; readonly folded: string };

/** Scripts without spaces between words: each pair of neighbouring letters counts as one word. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;

/** A text of plain letters, whose words need no folding but of their case. */
const isPlain = /^\p{ASCII}*$/u;

/** Returns the words of a text, in their order. */
export function wordsOf(text: string): Word[] {
  if (isPlain.test(text)) {
    const runs = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
    return runs.map((run) => ({ written: run, folded: run }));
  }
  const small = text.normalize("NFKC").toLowerCase().normalize("NFC");
  return [...small.matchAll(/[\p{L}\p{N}\p{M}]+/gu)].flatMap(([run]) => piecesOf(run));
}

/** Words without anything to fold: most of them. */
const foldedAlready = /^[a-z0-9]+$/;

function piecesOf(run: string): Word[] {
  if (foldedAlready.test(run)) return [{ written: run, folded: run }];
  const out: Word[] = [];
  let from = 0;
  const spaced = (stretch: string) => {
    const bare = folded(stretch).replace(/[^\p{L}\p{N}]+/gu, "");
    if (bare !== "") out.push({ written: stretch, folded: bare });
  };
  for (const match of run.matchAll(unspaced)) {
    spaced(run.slice(from, match.index));
    for (const pair of pairs(match[0])) out.push(pair);
    from = match.index + match[0].length;
  }
  spaced(run.slice(from));
  return out;
}

function pairs(stretch: string): Word[] {
  const letters = [...folded(stretch)].filter((letter) => /[\p{L}\p{N}]/u.test(letter));
  const words = letters.length < 2 ? letters : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
  return words.map((word) => ({ written: word, folded: word }));
}

/** Folds text for comparison: no case, no accents, one Unicode form. */
export function folded(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().normalize("NFKC");
}
