import { Problem } from "../../prompt/problem.ts";
import type { Database } from "../home/database.ts";
import { checkSoundText } from "../home/sound-text.ts";
import { listOf, sql } from "../home/sql.ts";
import { packText, unpackText } from "./packing.ts";
import { sha256 } from "./sha256.ts";

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
  readonly putAll: (db: Database, owner: string, texts: readonly NewText[]) => Promise<void>;
  /** The text; `undefined` when it is not there, or is not what its digest says. */
  readonly get: (db: Database, owner: string, digest: string) => Promise<string | undefined>;
  /** Several of one owner's, by their digests; those that `get` would not give are missing. */
  readonly getAll: (db: Database, owner: string, digests: readonly string[]) => Promise<ReadonlyMap<string, string>>;
};

export type NewText = { readonly text: string; readonly digest: string; readonly base?: string | undefined };

export type TextRow = { digest: string; base: string | null; depth: number; packed: number; body: Uint8Array };

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

  const read = async (db: Database, owner: string, digest: string, left = maxDepth): Promise<FoundText | undefined> => {
    const row = await db.one<TextRow>(
      sql`select base, depth, packed, body from texts where owner = ${owner} and digest = ${digest}`,
    );
    if (!row) return undefined;
    const near = known.get(digest);
    if (near !== undefined) return { text: near, depth: row.depth };
    if (row.base !== null && left === 0) return undefined;
    const base = row.base === null ? undefined : await read(db, owner, row.base, left - 1);
    if (row.base !== null && base === undefined) return undefined;
    const text = unpackText(row, base?.text);
    if (text === undefined || sha256(text) !== digest) return undefined;
    remember(digest, text);
    return { text, depth: row.depth };
  };

  /**
   * The rows of these texts, and of those they are packed against as far as those are not remembered. What is remembered
   * now is taken along: unpacking the others may push it out.
   */
  const rowsOf = async (db: Database, owner: string, digests: readonly string[]) => {
    const rows = new Map<string, TextRow>();
    const near = new Map<string, string>();
    let wanted = [...new Set(digests)];
    for (let left = maxDepth; wanted.length > 0 && left >= 0; left--) {
      const found = await db.all<TextRow>(
        sql`select digest, base, depth, packed, body from texts where owner = ${owner} and digest in ${listOf(wanted)}`,
      );
      const bases = new Set<string>();
      for (const row of found) {
        rows.set(row.digest, row);
        const text = known.get(row.digest);
        if (text !== undefined) near.set(row.digest, text);
        else if (row.base !== null) bases.add(row.base);
      }
      wanted = [...bases].filter((base) => !rows.has(base));
    }
    return { rows, near };
  };

  const unpackIn = (
    { rows, near }: { readonly rows: ReadonlyMap<string, TextRow>; readonly near: Map<string, string> },
    digest: string,
    left = maxDepth,
  ): string | undefined => {
    const row = rows.get(digest);
    if (!row) return undefined;
    const there = near.get(digest);
    if (there !== undefined) return there;
    if (row.base !== null && left === 0) return undefined;
    const base = row.base === null ? undefined : unpackIn({ rows, near }, row.base, left - 1);
    if (row.base !== null && base === undefined) return undefined;
    const text = unpackText(row, base);
    if (text === undefined || sha256(text) !== digest) return undefined;
    remember(digest, text);
    near.set(digest, text);
    return text;
  };

  const add = async (db: Database, owner: string, { text, digest, base }: NewText) => {
    checkSoundText(text);
    const under = base === undefined ? undefined : await read(db, owner, base);
    const { body, against, ...row } = packText(text, under && under.depth < maxDepth ? under.text : undefined);
    await db.run(
      sql`insert into texts (owner, digest, base, depth, packed, body)
        values (${owner}, ${digest}, ${against ? (base as string) : null}, ${against ? (under as FoundText).depth + 1 : 0},
          ${row.packed}, ${body}) on conflict (owner, digest) do nothing`,
    );
    remember(digest, text);
  };
  const putAll: Texts["putAll"] = async (db, owner, texts) => {
    if (texts.length === 0) return;
    const digests = listOf(texts.map(({ digest }) => digest));
    const rows = await db.all<{ digest: string }>(
      sql`select digest from texts where owner = ${owner} and digest in ${digests}`,
    );
    const there = new Set(rows.map(({ digest }) => digest));
    for (const text of texts) if (!there.has(text.digest)) await add(db, owner, text);
  };

  return {
    putAll,
    put: async (db, owner, text, base) => {
      const digest = sha256(text);
      await putAll(db, owner, [{ text, digest, base }]);
      return digest;
    },
    get: async (db, owner, digest) => (await read(db, owner, digest))?.text,
    getAll: async (db, owner, digests) => {
      const rows = await rowsOf(db, owner, digests);
      return new Map(
        digests.flatMap((digest) => {
          const text = unpackIn(rows, digest);
          return text === undefined ? [] : [[digest, text] as const];
        }),
      );
    },
  };
}

type FoundText = { readonly text: string; readonly depth: number };

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
