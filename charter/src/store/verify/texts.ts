import { raw, sql } from "../home/sql.ts";
import { textName } from "./faults.ts";
import { createSeen } from "./seen.ts";
import type { Walk } from "./walk.ts";

type KeyRow = {
  owner: string;
  digest: string;
  base: string | null;
  depth: number;
  packed: number;
  base_depth: number | null;
};

const page = 400;

/** Every text, also those no chain names. `orphans`: those that nothing needs any more. */
export async function walkTexts(walk: Walk): Promise<{ readonly texts: number; readonly orphans: number }> {
  const { db, faults, proofs, tick } = walk;
  const bases = createSeen();
  const unnamed: (readonly [owner: string, digest: string])[] = [];
  let texts = 0;
  for (let last: KeyRow | undefined; ; ) {
    const rows: KeyRow[] = await db.all<KeyRow>(textsAfter(last));
    for (const row of rows) {
      if (row.base !== null) bases.add(row.owner, row.base);
      if (!liesWell(row)) {
        const because = "how it is packed was changed";
        faults.add({ table: "texts", row: textName(row.owner, row.digest), what: "edited", because });
      }
    }
    const unseen = rows.filter(({ owner, digest }) => !proofs.seen.has(owner, digest));
    await proofs.prove(unseen.map(({ owner, digest }) => ({ owner, digest, by: "the texts' own list" })));
    for (const { owner, digest } of unseen) unnamed.push([owner, digest]);
    texts += rows.length;
    last = rows.at(-1);
    await tick("texts", rows.length);
    if (rows.length < page) break;
  }
  return { texts, orphans: unnamed.filter(([owner, digest]) => !bases.has(owner, digest)).length };
}

/** As it is, by itself, or against a text that lies less deep: nothing else was ever written. */
function liesWell({ base, depth, packed, base_depth }: KeyRow): boolean {
  if (packed !== 0 && packed !== 1) return false;
  if (base === null) return depth === 0;
  return packed === 1 && (base_depth === null || depth === base_depth + 1);
}

function textsAfter(last: KeyRow | undefined) {
  const from = last ? sql`(t.owner, t.digest) > (${last.owner}, ${last.digest})` : raw("1 = 1");
  return sql`select t.owner, t.digest, t.base, t.depth, t.packed, b.depth as base_depth
    from texts t left join texts b on b.owner = t.owner and b.digest = t.base
    where ${from} order by t.owner, t.digest limit ${page}`;
}
