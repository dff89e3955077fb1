import { amendments, standings } from "../amendments/amendment-tables.ts";
import { type AmendmentRow, isIntactAmendment } from "../amendments/amendments.ts";
import type { RowOf } from "../home/table.ts";
import { sha256 } from "../texts/sha256.ts";
import { linkName, ownerName } from "./faults.ts";
import { walkHashChains } from "./hash-chain-walk.ts";
import type { Walk } from "./walk.ts";

/** Every section's amendments, from the first to the one that stands. */
export function walkAmendments(walk: Walk): Promise<{ readonly rows: number; readonly erased: number }> {
  return walkHashChains<AmendmentRow, RowOf<typeof standings>>(walk, {
    links: amendments,
    ends: standings,
    word: "revision",
    isSound: isIntactAmendment,
    isFirst: ({ previous }) => /^[0-9a-f]{64}$/.test(previous),
    prove: (rows) => walk.proofs.prove(rows.flatMap(textsOf)),
    look: (end, name) => lookAt(walk, end, name),
    alone: "there is text that no amendment made",
  });
}

/** What only an amendment has: words before it, words that stand, and words that may have been erased. */
function lookAt(walk: Walk, end: RowOf<typeof standings> | undefined, name: string): (row: AmendmentRow) => void {
  const { faults } = walk;
  const edited = (revision: number, reason: string) =>
    faults.add({ table: "amendments", row: linkName(name, "revision", revision), what: "edited", reason });
  const erasures = erasuresOf(walk, edited);
  return (row) => {
    const { revision, previous, digest, before_digest, after_digest, erased_at } = row;
    if (revision === 1 && before_digest !== previous)
      edited(1, "it is the first and was not written after the words it changed");
    erasures(row);
    if (end?.digest !== digest) return;
    const words = erased_at === null || end.words !== "" ? sha256(end.words) : undefined;
    if (erased_at !== null && words === after_digest)
      edited(revision, "it is marked as erased, and its text is still there");
    else if (words !== undefined && words !== after_digest) {
      const reason = `its text is not that of revision ${revision}`;
      faults.add({ table: "standings", row: name, what: "edited", reason });
    }
  };
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

function textsOf(row: AmendmentRow) {
  const by = linkName(ownerName(row), "revision", row.revision);
  return [row.before_digest, row.after_digest].map((digest) => ({ owner: row.user_id, digest, by }));
}
