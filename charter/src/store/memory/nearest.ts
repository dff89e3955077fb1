import type { Scope } from "../../amend/amendment.ts";
import type { Database } from "../home/database.ts";
import { listOf, sql } from "../home/sql.ts";
import { ownNotes } from "./search-notes.ts";

/** A vector of length one, and how many are wanted that are near to it. */
export type Sought = { readonly to: Float32Array; readonly most: number };

type NearNote = { readonly note: string; readonly cosine: number };

/** So many vectors a home hands over at once, one after the other in the same bytes. */
const block = 4000;

/**
 * The numbers of the notes whose vectors are nearest, nearest first, newest first among equals. Vectors of other lengths
 * are of other models: they cannot be compared.
 */
export async function nearestNotes(
  db: Database,
  scope: Scope,
  embedder: string,
  { to, most }: Sought,
): Promise<readonly number[]> {
  const best: NearNote[] = [];
  for (let from = 0; ; from += block) {
    const row = await db.one<{ notes: string | null; vectors: Uint8Array | null }>(sql`select
      ${db.dialect.listed("note")} as notes, ${db.dialect.joinedBytes("vector")} as vectors
      from (select note, vector from vectors where ${ownNotes(scope)} and embedder = ${embedder}
        and length(vector) = ${to.byteLength} order by note limit ${block} offset ${from}) as found`);
    const notes = JSON.parse(row?.notes ?? "[]") as readonly string[];
    if (row?.vectors) takeNearest(best, notes, cosinesOf(floatsOf(row.vectors), to), most);
    if (notes.length < block) break;
  }
  const ids = best.map(({ note }) => note);
  const rows = await db.all<{ id: string; number: number }>(
    sql`select id, number from memories where ${ownNotes(scope)} and id in ${listOf(ids)}`,
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
