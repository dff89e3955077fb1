import { createBoundedMap } from "../../prompt/bounded-map.ts";
import { sha256 } from "../texts/sha256.ts";
import { type AmendmentRow, isIntactAmendment } from "./amendments.ts";

/** The words kept beside a section's history, and which amendment they are. */
export type StandingHead = { section: string; user_id: string; revision: number; digest: string; words: string };

/** Do a section's newest amendment and the words kept beside it prove each other? */
export type ProofCheck = (row: AmendmentRow, head: StandingHead) => boolean;

export const proves: ProofCheck = (row, head) =>
  row.erased_at === null &&
  row.revision === head.revision &&
  row.digest === head.digest &&
  sha256(head.words) === row.after_digest &&
  isIntactAmendment(row);

/** Rows that proved each other once are looked at again, not digested again: they do as long as nothing in them moved. */
export function createProofCache(): ProofCheck {
  const proved = createBoundedMap<string, { readonly row: AmendmentRow; readonly head: StandingHead }>(1000);
  return (row, head) => {
    const key = `${row.agent}\0${row.user_id}\0${row.section}`;
    const before = proved.get(key);
    if (before && isSame(before.row, row) && isSame(before.head, head)) return true;
    if (!proves(row, head)) return false;
    proved.set(key, { row, head });
    return true;
  };
}

export function isSame<Row extends object>(one: Row, other: Row): boolean {
  for (const name in one) if (one[name] !== other[name]) return false;
  return true;
}
