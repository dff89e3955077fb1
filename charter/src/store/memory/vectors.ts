import type { Scope } from "../../amend/amendment.ts";
import type { Embedder } from "../../prompt/embedder.ts";
import type { Database, Home } from "../home/database.ts";
import { sql } from "../home/sql.ts";
import { nearestNotes, type Sought } from "./nearest.ts";
import { ownNotes } from "./search-notes.ts";

/** How long an embedder may take for a batch. */
const patienceMs = 10_000;
/** After it failed, so long nobody waits for it again. */
const pauseMs = 30_000;
/** So many texts are embedded at once. */
const batch = 64;

type Unembedded = { readonly id: string; readonly key: string | null; readonly words: string };

/** The vectors of notes: what an embedder makes of them, kept beside them. */
export type Vectors = {
  /** Makes so many of those that are missing in a scope, newest first, as far as the embedder answers. */
  readonly fill: (scope: Scope, most: number) => Promise<void>;
  /** A text as a vector; nothing while the embedder does not answer. */
  readonly of: (text: string) => Promise<Float32Array | undefined>;
  /** The numbers of so many notes whose vectors are nearest, nearest first. */
  readonly nearest: (db: Database, scope: Scope, sought: Sought) => Promise<readonly number[]>;
};

export function createVectors(home: Home, embedder: Embedder, now: () => string): Vectors {
  let pausedUntil = 0;
  const embed = async (texts: readonly string[]): Promise<readonly Float32Array[] | undefined> => {
    if (Date.parse(now()) < pausedUntil) return undefined;
    try {
      const signal = AbortSignal.timeout(patienceMs);
      const late = new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
      const vectors = (await Promise.race([embedder.embed(texts, { signal }), late])).map(unit);
      if (vectors.length === texts.length) return vectors;
    } catch {
      // Words alone have to do: a note is neither lost nor unfound because an embedder is away.
    }
    pausedUntil = Date.parse(now()) + pauseMs;
    return undefined;
  };

  return {
    of: async (text) => (await embed([text]))?.[0],
    fill: async (scope, most) => {
      for (let done = 0; done < most; done += batch) {
        const missing = await home.read(scope, (db) => unembedded(db, scope, embedder.name));
        if (missing.length === 0) return;
        const texts = missing.map(({ key, words }) => (key === null ? words : `${key}: ${words}`));
        const vectors = await embed(texts);
        if (!vectors) return;
        await home.write(scope, async (db) => {
          for (const [at, note] of missing.entries())
            await keep(db, scope, { embedder: embedder.name, note, vector: vectors[at] as Float32Array });
        });
      }
    },
    nearest: (db, scope, sought) => nearestNotes(db, scope, embedder.name, sought),
  };
}

async function unembedded(db: Database, scope: Scope, embedder: string): Promise<Unembedded[]> {
  // A vector goes with its note, so that counting them says whether any is missing.
  const counts = await db.one<{ notes: number; made: number }>(sql`select
    (select count(*) from memories where ${ownNotes(scope)}) as notes,
    (select count(*) from vectors where ${ownNotes(scope)} and embedder = ${embedder}) as made`);
  if (counts?.notes === counts?.made) return [];
  return db.all<Unembedded>(sql`select id, key, words from memories where ${ownNotes(scope)}
    and id not in (select note from vectors where ${ownNotes(scope)} and embedder = ${embedder})
    order by number desc limit ${batch}`);
}

type NewVector = { readonly embedder: string; readonly note: Unembedded; readonly vector: Float32Array };

/** Only while the note still says what the vector was made of. What another embedder made of it goes. */
async function keep(db: Database, scope: Scope, { embedder, note: { id, words }, vector }: NewVector): Promise<void> {
  const there = await db.one(sql`select id from memories where id = ${id} and words = ${words}
    and ${ownNotes(scope)}${db.dialect.skipLocked}`);
  if (!there) return;
  await db.run(sql`delete from vectors where note = ${id} and ${ownNotes(scope)}`);
  const { buffer, byteOffset, byteLength } = vector;
  await db.run(sql`insert into vectors (agent, user_id, note, embedder, vector)
    values (${scope.agent}, ${scope.user ?? ""}, ${id}, ${embedder}, ${Buffer.from(buffer, byteOffset, byteLength)})`);
}

/** Of length one, so that a product is the cosine. */
function unit(values: ArrayLike<number>): Float32Array {
  const vector = Float32Array.from(values);
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (!(length > 0) || !Number.isFinite(length)) throw new RangeError("The vector has no direction.");
  return vector.map((value) => value / length);
}
