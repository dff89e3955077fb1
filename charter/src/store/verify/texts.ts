import type { Receipt } from "../../prompt/receipt.ts";
import { raw, sql } from "../home/sql.ts";
import { textName } from "./faults.ts";
import { createSeenTexts } from "./text-proof.ts";
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
  const bases = createSeenTexts();
  const unnamed: (readonly [owner: string, digest: string])[] = [];
  let texts = 0;
  for (let last: KeyRow | undefined; ; ) {
    const rows: KeyRow[] = await db.all<KeyRow>(textsAfter(last));
    for (const row of rows) {
      if (row.base !== null) bases.add(row.owner, row.base);
      if (!liesWell(row)) {
        const reason = "how it is packed was changed";
        faults.add({ table: "texts", row: textName(row.owner, row.digest), what: "edited", reason });
      }
    }
    const unseen = rows.filter(({ owner, digest }) => !proofs.seen.has(owner, digest));
    await proofs.prove(unseen.map(({ owner, digest }) => ({ owner, digest, by: "the texts' own list" })));
    for (const { owner, digest } of unseen) {
      unnamed.push([owner, digest]);
      if (isReceipt(proofs.text(owner, digest))) {
        const reason = "the receipt is there, and no step names it";
        faults.add({ table: "steps", row: `the step of ${textName(owner, digest)}`, what: "missing", reason });
      }
    }
    texts += rows.length;
    last = rows.at(-1);
    await tick("texts", rows.length);
    if (rows.length < page) break;
  }
  await ownersWithoutChains(walk);
  return { texts, orphans: unnamed.filter(([owner, digest]) => !bases.has(owner, digest)).length };
}

/** A text that nothing names may be left over; what was sent in a step never is. */
function isReceipt(text: string | undefined): boolean {
  if (!text?.startsWith('{"charter":')) return false;
  try {
    const { slots, lock } = JSON.parse(text) as Partial<Receipt>;
    return Array.isArray(slots) && typeof lock === "string";
  } catch {
    return false;
  }
}

/** Texts are kept because someone amended them, or was sent them: where none of that is left, it was taken away. */
async function ownersWithoutChains({ db, faults }: Walk): Promise<void> {
  const some = raw("exists (select 1 from amendments) or exists (select 1 from steps)");
  const rows = await db.all<{ owner: string }>(sql`select t.owner from (select distinct owner from texts) t
    where t.owner not in (select user_id from amendments union select user_id from steps)
      and (t.owner <> '' or not (${some})) order by t.owner limit ${1000}`);
  for (const { owner } of rows) {
    const reason = "not one amendment or step is there that they were kept for";
    const row = owner === "" ? "the agents' common words" : `user ${owner}`;
    faults.add({ table: "texts", row, what: "extra", reason });
  }
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
