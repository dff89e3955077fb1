import type { HistoryAnswer } from "charter/answers";
import type { ToldHistory } from "../../../assembly/message.ts";

export type Amendment = HistoryAnswer["amendments"][number];

/**
 * A section's history up to a revision, as far back as it is told: it may be longer than one page, and words in it may
 * have been erased. What came before is then one text, by hands nobody tells here.
 */
export function toldHistory(original: string, history: readonly Amendment[], revision: number): ToldHistory {
  const amendments: { revision: number; after: string }[] = [];
  let before: ToldHistory["original"] | undefined;
  for (const amendment of history) {
    if (amendment.revision > revision) continue;
    if (amendment.after === null) break;
    before = amendment.before === null ? undefined : { text: amendment.before, revision: amendment.revision - 1 };
    amendments.push({ revision: amendment.revision, after: amendment.after });
    if (before === undefined) break;
  }
  const oldestFirst = amendments.reverse();
  if (before) return { original: before, amendments: oldestFirst };
  const [first, ...others] = oldestFirst;
  return first
    ? { original: { text: first.after, revision: first.revision }, amendments: others }
    : { original: { text: original, revision: 0 }, amendments: [] };
}

/** The words that stand, by what was told. */
export function standingText({ original, amendments }: ToldHistory): string {
  return amendments.at(-1)?.after ?? original.text;
}
