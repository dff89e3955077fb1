/** Words an override cannot do without: their misspellings are recognised. */
const keys =
  "ignore disregard forget override overrule bypass discard dismiss neglect abandon everything instructions instruction previous previously earlier guidelines guideline directives directive restrictions";
/** Correctly spelt words that are as close to a key word as a misspelling. */
const innocent = new Set(
  "bypast defective defectives detective detectives digestive digestives directing direction directions director directors discord forge forged forger forges forgot earlies everting instructing instructional instructive instructor instructors overripe overrode pervious perviously precious preciously restricting restriction restrictive retractions".split(
    " ",
  ),
);

const byLetter = new Map<string, string[]>();
for (const key of keys.split(" ")) innocent.add(key);
for (const key of keys.split(" ")) byLetter.set(key.slice(0, 1), [...(byLetter.get(key.slice(0, 1)) ?? []), key]);

/** Returns the key word that a misspelt one means: one slip in a short word, two in a long one, the first letter right. */
export function intended(word: string): string | undefined {
  if (word.length < 5 || word.length > 14) return undefined;
  if (innocent.has(word)) return undefined;
  return byLetter.get(word.slice(0, 1))?.find((key) => isSlip(word, key));
}

function isSlip(word: string, key: string): boolean {
  const slips = key.length < 9 ? 1 : 2;
  if (Math.abs(word.length - key.length) > slips || isOtherForm(word, key)) return false;
  return distance(word, key, slips) <= slips;
}

/** Excludes inflected forms: "ignored" and "forgets" are no misspellings. */
function isOtherForm(word: string, key: string): boolean {
  return word.length > key.length && word.startsWith(key.replace(/e$/u, ""));
}

/** Counts the letters that are wrong, missing, added or swapped; counting stops above `max`. */
function distance(one: string, other: string, max: number): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1])
        cost = Math.min(cost, (before[column - 2] ?? 0) + 1);
      next.push(cost);
    }
    if (Math.min(...next) > max) return max + 1;
    before = last;
    last = next;
  }
  return last[other.length] ?? max + 1;
}

/** Returns the nearest name, a slip or two away; undefined where all are further. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const asked = normalName(name);
  const maxSlips = asked.length < 4 ? 1 : 2;
  const near = names
    .map((one) => ({ one, slips: distance(asked, normalName(one), maxSlips) }))
    .filter(({ slips }) => slips <= maxSlips)
    .toSorted((one, other) => one.slips - other.slips);
  return near[0]?.one;
}

/** Normalises a name: `idle_hours` and `idleHours` are one name, written twice. */
function normalName(name: string): string {
  return name.toLowerCase().replace(/[_\s-]/g, "");
}
