import type { Scope } from "../../amend/amendment.ts";
import type { Embedder } from "../../prompt/tokens.ts";
import type { Database, Home } from "../home/database.ts";
import { insertInto, ownRows } from "../home/query.ts";
import { listOf, sql } from "../home/sql.ts";
import type { RowOf } from "../home/table.ts";
import { type memories, vectors } from "./note.ts";

/** How long an embedder may take for a batch. */
const patienceMs = 10_000;
/** After it failed, so long nobody waits for it again. */
const pauseMs = 30_000;
/** So many texts are embedded at once. */
const batch = 64;

/** So many vectors a home hands over at once, one after the other in the same bytes. */
const block = 4000;

type Unembedded = Pick<RowOf<typeof memories>, "id" | "key" | "text">;

/** A vector of length one, and how many are wanted that are near to it. */
type Sought = { readonly to: Float32Array; readonly most: number };

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
        const texts = missing.map(({ key, text }) => (key === null ? text : `${key}: ${text}`));
        const made = await embed(texts);
        if (!made) return;
        await home.write(scope, async (db) => {
          for (const [at, note] of missing.entries())
            await keep(db, scope, { embedder: embedder.name, note, vector: made[at] as Float32Array });
        });
      }
    },
    nearest: (db, scope, sought) => nearestNotes(db, scope, embedder.name, sought),
  };
}

async function unembedded(db: Database, scope: Scope, embedder: string): Promise<Unembedded[]> {
  // A vector goes with its note, so that counting them says whether any is missing.
  const made = sql`${ownRows(scope)} and embedder = ${embedder}`;
  const counts = await db.one<{ notes: number; made: number }>(sql`select
    (select count(*) from memories where ${ownRows(scope)}) as notes,
    (select count(*) from vectors where ${made}) as made`);
  if (counts?.notes === counts?.made) return [];
  return db.all<Unembedded>(sql`select id, key, text from memories where ${ownRows(scope)}
    and id not in (select note from vectors where ${made})
    order by number desc limit ${batch}`);
}

type NewVector = { readonly embedder: string; readonly note: Unembedded; readonly vector: Float32Array };

/** Only while the note still says what the vector was made of. What another embedder made of it goes. */
async function keep(db: Database, scope: Scope, { embedder, note: { id, text }, vector }: NewVector): Promise<void> {
  const there = await db.one(sql`select id from memories where id = ${id} and text = ${text}
    and ${ownRows(scope)}${db.dialect.skipLocked}`);
  if (!there) return;
  await db.run(sql`delete from vectors where note = ${id} and ${ownRows(scope)}`);
  const { buffer, byteOffset, byteLength } = vector;
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  await db.run(insertInto(vectors, { scope, note: id, embedder, vector: bytes }));
}

/** Of length one, so that a product is the cosine. */
function unit(values: ArrayLike<number>): Float32Array {
  const vector = Float32Array.from(values);
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (!(length > 0) || !Number.isFinite(length)) throw new RangeError("The vector has no direction.");
  return vector.map((value) => value / length);
}

type NearNote = { readonly note: string; readonly cosine: number };

/**
 * The numbers of the notes whose vectors are nearest, nearest first, newest first among equals. Vectors of other lengths
 * are of other models: they cannot be compared.
 */
async function nearestNotes(
  db: Database,
  scope: Scope,
  embedder: string,
  { to, most }: Sought,
): Promise<readonly number[]> {
  const best: NearNote[] = [];
  for (let from = 0; ; from += block) {
    const row = await db.one<{ notes: string | null; vectors: Uint8Array | null }>(sql`select
      ${db.dialect.listed("note")} as notes, ${db.dialect.joinedBytes("vector")} as vectors
      from (select note, vector from vectors where ${ownRows(scope)} and embedder = ${embedder}
        and length(vector) = ${to.byteLength} order by note limit ${block} offset ${from}) as found`);
    const notes = JSON.parse(row?.notes ?? "[]") as readonly string[];
    if (row?.vectors) takeNearest(best, notes, cosinesOf(floatsOf(row.vectors), to), most);
    if (notes.length < block) break;
  }
  const ids = best.map(({ note }) => note);
  const rows = await db.all<{ id: string; number: number }>(
    sql`select id, number from memories where ${ownRows(scope)} and id in ${listOf(ids)}`,
  );
  const numbers = new Map(rows.map(({ id, number }) => [id, number]));
  return ids.flatMap((id) => numbers.get(id) ?? []);
}

function takeNearest(best: NearNote[], notes: readonly string[], cosines: Float64Array, most: number): void {
  for (const [at, note] of notes.entries()) {
    const one = { note, cosine: cosines[at] as number };
    const last = best[most - 1];
    if (last && !isNearer(one, last)) continue;
    const place = best.findIndex((other) => isNearer(one, other));
    best.splice(place < 0 ? best.length : place, 0, one);
    best.length = Math.min(best.length, most);
  }
}

function isNearer(one: NearNote, other: NearNote): boolean {
  return one.cosine > other.cosine || (one.cosine === other.cosine && one.note > other.note);
}

/** Vectors of length one: the product is the cosine. */
function cosinesOf(vectors: Float32Array, to: Float32Array): Float64Array {
  const size = to.length;
  const cosines = new Float64Array(vectors.length / size);
  for (let note = 0; note < cosines.length; note++) {
    const from = note * size;
    let sum = 0;
    for (let at = 0; at < size; at++) sum += (vectors[from + at] as number) * (to[at] as number);
    cosines[note] = sum;
  }
  return cosines;
}

function floatsOf(bytes: Uint8Array): Float32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Float32Array(aligned.buffer, aligned.byteOffset, bytes.byteLength / 4);
}

/** The usual constant of reciprocal rank fusion: so little the very first places count more than the next. */
const flatness = 60;

/** Several orders of the same things as one: what stands high in most of them comes first. */
export function fuseRanks(...orders: readonly (readonly number[])[]): number[] {
  const scores = new Map<number, number>();
  for (const order of orders)
    for (const [rank, one] of order.entries()) scores.set(one, (scores.get(one) ?? 0) + 1 / (flatness + rank + 1));
  // A sort keeps the order of equals: those of the first list.
  return [...scores].sort(([, first], [, second]) => second - first).map(([one]) => one);
}
