import type { HigherSections, Reference } from "./higher.ts";
import { GAP, type Word } from "./normalise.ts";

const claimants = new Set("my mine me i our we this these it they user users".split(" "));
const nobody = new Set("nothing nobody none no neither nor".split(" "));
const reach = 8;

/**
 * Whether a claim of precedence says no more than the charter does: the earlier wins, or nothing wins over it. A name
 * of one everyday word is only a section's when the words claim to be instructions themselves: "my rules outrank safety".
 */
export function isHonest(
  higher: HigherSections,
  rule: string,
  words: readonly Word[],
  from: number,
  to: number,
): boolean {
  if (rule !== "outrank" && rule !== "outranked-by") return false;
  const start = clauseStart(words, from);
  const before = referencesIn(higher, words, start, from);
  const inside = referencesIn(higher, words, from, to);
  if (rule === "outranked-by") {
    const [below, ...rest] = inside;
    const above = [...rest, ...referencesIn(higher, words, to, clauseEnd(words, to))];
    return below !== undefined && isEarlier(above, below);
  }
  const below = inside.at(-1);
  const above = [...before, ...inside.slice(0, -1)];
  if (below === undefined || isEarlier(above, below)) return true;
  const left = words.slice(start, to).map(({ plain }) => plain);
  if (left.some((word) => nobody.has(word))) return true;
  return below.plain && above.length === 0 && !left.some((word) => claimants.has(word));
}

/** All that is claimed to win stands before what is claimed to lose. */
function isEarlier(above: readonly Reference[], below: Reference): boolean {
  return above.length > 0 && above.every(({ last }) => last < below.first);
}

function referencesIn(higher: HigherSections, words: readonly Word[], from: number, to: number): Reference[] {
  const found: Reference[] = [];
  for (let at = from; at < to; ) {
    const reference = higher
      .references(words, at)
      .reduce<Reference | undefined>(
        (longest, next) => (longest === undefined || next.length > longest.length ? next : longest),
        undefined,
      );
    if (reference !== undefined) found.push(reference);
    at += reference?.length ?? 1;
  }
  return found;
}

function clauseStart(words: readonly Word[], at: number): number {
  let start = at;
  while (start > 0 && at - start < reach && ((words[start]?.gap ?? 0) & (GAP.stop | GAP.item)) === 0) start -= 1;
  return start;
}

function clauseEnd(words: readonly Word[], at: number): number {
  let end = at;
  while (end < words.length && end - at < reach && ((words[end]?.gap ?? 0) & (GAP.stop | GAP.item)) === 0) end += 1;
  return end;
}
