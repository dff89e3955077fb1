import { type AmendmentRow, isIntactAmendment } from "../amendments/amendments.ts";
import { joinQueries, raw, sql } from "../home/sql.ts";
import { sha256 } from "../texts/sha256.ts";
import { type Chain, createChain } from "./chain.ts";
import { chainName, linkName } from "./faults.ts";
import { createUnsoundRows } from "./unsound-rows.ts";
import type { Walk } from "./walk.ts";

type HeadRow = { agent: string; user_id: string; section: string; revision: number; digest: string; words: string };

const page = 250;
const keyOf = ({ agent, user_id, section }: Omit<HeadRow, "revision" | "digest" | "words">) =>
  JSON.stringify([agent, user_id, section]);

/** Every section's amendments, from the first to the one that stands. */
export async function walkAmendments(walk: Walk): Promise<{ readonly amendments: number; readonly erased: number }> {
  const { db, proofs, tick } = walk;
  const unsound = unsoundAmendments(walk);
  const counts = { amendments: 0, erased: 0 };
  let open: { readonly key: string; readonly chain: Chain; readonly take: (row: AmendmentRow) => void } | undefined;
  for (let last: AmendmentRow | undefined; ; ) {
    const rows: AmendmentRow[] = await db.all<AmendmentRow>(amendmentsAfter(last, walk.agent));
    const heads = await headsOf(walk, rows);
    const sound = new Set(rows.filter(isIntactAmendment));
    const readable = [...sound].filter(({ erased_at }) => erased_at === null);
    await proofs.prove(readable.flatMap(textsOf));
    for (const row of rows) {
      const key = keyOf(row);
      if (key !== open?.key) {
        open?.chain.end();
        open = { key, ...openChain(walk, chainName(row), heads.get(key)) };
      }
      const { revision: number, previous, digest } = row;
      open.chain.next({ number, previous, digest, sound: sound.has(row) });
      if (sound.has(row)) open.take(row);
      else unsound.add(row);
      counts.amendments++;
      if (row.erased_at !== null) counts.erased++;
    }
    last = rows.at(-1);
    await tick("amendments", rows.length);
    if (rows.length < page) break;
  }
  open?.chain.end();
  unsound.report();
  await headsWithoutChains(walk);
  return counts;
}

function openChain(walk: Walk, name: string, head: HeadRow | undefined) {
  const { faults } = walk;
  const edited = (revision: number, reason: string) =>
    faults.add({ table: "amendments", row: linkName(name, "revision", revision), what: "edited", reason });
  const chain = createChain(
    head && { number: head.revision, digest: head.digest },
    ({ previous }) => /^[0-9a-f]{64}$/.test(previous),
    {
      link: (what, reason, from, to) =>
        faults.add({ table: "amendments", row: linkName(name, "revision", from, to), what, reason }),
      head: (what, reason) => faults.add({ table: "standings", row: name, what, reason }),
    },
  );
  const erasures = erasuresOf(walk, edited);
  /** What only an amendment has: words before it, words that stand, and words that may have been erased. */
  const take = (row: AmendmentRow) => {
    const { revision, previous, digest, before_digest, after_digest, erased_at } = row;
    if (revision === 1 && before_digest !== previous)
      edited(1, "it is the first and was not written after the words it changed");
    erasures(row);
    if (head?.digest !== digest) return;
    const words = erased_at === null || head.words !== "" ? sha256(head.words) : undefined;
    if (erased_at !== null && words === after_digest)
      edited(revision, "it is marked as erased, and its text is still there");
    else if (words !== undefined && words !== after_digest) {
      const reason = `its text is not that of revision ${revision}`;
      faults.add({ table: "standings", row: name, what: "edited", reason });
    }
  };
  return { chain, take };
}

/**
 * Erasing takes all of a history there is at the time, and what is written after it begins anew. A row marked as erased
 * where that cannot be was marked by someone else, and so was one that lost its mark.
 */
function erasuresOf({ proofs }: Walk, edited: (revision: number, because: string) => void) {
  let last: AmendmentRow | undefined;
  let original: string | undefined;
  return (row: AmendmentRow) => {
    original ??= row.before_digest;
    if (row.erased_at !== null && row.reason !== row.erased_at)
      edited(row.revision, "it is marked as erased, and not by the store");
    const before = last?.revision === row.revision - 1 ? last : undefined;
    last = row;
    if (!before || (before.erased_at === null) === (row.erased_at === null)) return;
    if (before.erased_at === null) {
      const there = proofs.text(before.user_id, before.after_digest) !== undefined;
      edited(there ? row.revision : before.revision, "of it and its neighbour only the later one is marked as erased");
    } else if (row.before_digest === before.after_digest && row.before_digest !== original)
      edited(before.revision, "it is marked as erased, and its text was used again");
  };
}

function unsoundAmendments({ faults }: Walk) {
  const nameOf = (row: AmendmentRow) => linkName(chainName(row), "revision", row.revision);
  const add = (row: AmendmentRow, what: "edited" | "reordered", reason: string) =>
    faults.add({ table: "amendments", row: nameOf(row), what, reason });
  return createUnsoundRows<AmendmentRow>({
    sound: isIntactAmendment,
    place: ({ agent, user_id, section, revision }) => ({ agent, user_id, section, revision }),
    edited: (row) => add(row, "edited", "it is not what its digest was made of"),
    reordered: (row, other) => add(row, "reordered", `it was written as ${nameOf(other)}`),
  });
}

function textsOf(row: AmendmentRow) {
  const by = linkName(chainName(row), "revision", row.revision);
  return [row.before_digest, row.after_digest].map((digest) => ({ owner: row.user_id, digest, by }));
}

function amendmentsAfter(last: AmendmentRow | undefined, agent: string | undefined) {
  const from = last
    ? sql`(agent, user_id, section, revision) > (${last.agent}, ${last.user_id}, ${last.section}, ${last.revision})`
    : raw("1 = 1");
  const whose = agent === undefined ? raw("") : sql` and agent = ${agent}`;
  return sql`select * from amendments where ${from}${whose} order by agent, user_id, section, revision limit ${page}`;
}

async function headsOf({ db }: Walk, rows: readonly AmendmentRow[]): Promise<Map<string, HeadRow>> {
  if (rows.length === 0) return new Map();
  const chains = new Map(rows.map((row) => [keyOf(row), row]));
  const keys = [...chains.values()].map(({ agent, user_id, section }) => sql`(${agent}, ${user_id}, ${section})`);
  const heads = await db.all<HeadRow>(sql`with wanted (agent, user_id, section) as (values ${joinQueries(keys, ", ")})
    select s.* from wanted join standings s
      on s.agent = wanted.agent and s.user_id = wanted.user_id and s.section = wanted.section`);
  return new Map(heads.map((head) => [keyOf(head), head]));
}

/** Standing words that no amendment made: one was put there, or all that made it were taken away. */
async function headsWithoutChains({ db, agent, faults }: Walk): Promise<void> {
  const whose = agent === undefined ? raw("") : sql`and s.agent = ${agent}`;
  const heads = await db.all<HeadRow>(sql`select * from standings s where not exists (select 1 from amendments a
    where a.agent = s.agent and a.user_id = s.user_id and a.section = s.section) ${whose} limit ${1000}`);
  for (const head of heads) {
    const name = chainName(head);
    const reason = "there is text that no amendment made";
    faults.add({ table: "amendments", row: linkName(name, "revision", 1, head.revision), what: "missing", reason });
    faults.add({ table: "standings", row: name, what: "extra", reason });
  }
}
