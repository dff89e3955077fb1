import type { Sent } from "./side.ts";

/** One section on both sides, or on one of them. */
export type Row = {
  readonly kind: "same" | "changed" | "left" | "right";
  readonly name: string;
  /** It stands elsewhere among the sections that are on both sides. */
  readonly moved: boolean;
  readonly left?: Sent;
  readonly right?: Sent;
};

/**
 * Two prompts, section by section, in the right one's order; what is only on the left stands where it would be.
 *
 * A section may be there twice: as it was, and as it was told anew in the history. Then the same words belong together,
 * then the same slot, then whatever is left.
 */
export function align(left: readonly Sent[], right: readonly Sent[]): readonly Row[] {
  const pairs = pairsOf(left, right);
  const stay = new Set(longestRising(right.flatMap((_, at) => pairs.get(at) ?? [])));
  const rows: Row[] = [];
  const matched = new Set(pairs.values());
  let next = 0;
  const passTo = (end: number) => {
    for (; next < end; next++) {
      const one = left[next] as Sent;
      if (!matched.has(next)) rows.push({ kind: "left", name: one.name, moved: false, left: one });
    }
  };
  for (const [at, one] of right.entries()) {
    const from = pairs.get(at);
    const other = from === undefined ? undefined : left[from];
    if (from === undefined || !other) {
      rows.push({ kind: "right", name: one.name, moved: false, right: one });
      continue;
    }
    const moved = !stay.has(from);
    if (!moved) passTo(from);
    rows.push({ kind: other.text === one.text ? "same" : "changed", name: one.name, moved, left: other, right: one });
  }
  passTo(left.length);
  return rows;
}

/** Which on the left belongs to which on the right: by the right one's place. */
function pairsOf(left: readonly Sent[], right: readonly Sent[]): ReadonlyMap<number, number> {
  const open = Map.groupBy(left.keys(), (at) => (left[at] as Sent).name);
  const pairs = new Map<number, number>();
  const rounds: ((one: Sent, other: Sent) => boolean)[] = [
    (one, other) => one.text === other.text && one.slot === other.slot,
    (one, other) => one.text === other.text,
    (one, other) => one.slot === other.slot,
    () => true,
  ];
  for (const fits of rounds)
    for (const [at, one] of right.entries()) {
      if (pairs.has(at)) continue;
      const those = open.get(one.name) ?? [];
      const found = those.findIndex((from) => fits(left[from] as Sent, one));
      if (found !== -1) pairs.set(at, those.splice(found, 1)[0] as number);
    }
  return pairs;
}

/** The most numbers that stand in rising order, left where they are. */
function longestRising(numbers: readonly number[]): readonly number[] {
  const ends: number[] = [];
  const before = new Array<number>(numbers.length);
  for (const [at, value] of numbers.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[ends[middle] as number] as number) < value) low = middle + 1;
      else high = middle;
    }
    before[at] = low === 0 ? -1 : (ends[low - 1] as number);
    ends[low] = at;
  }
  const found: number[] = [];
  for (let at = ends.at(-1) ?? -1; at !== -1; at = before[at] as number) found.push(numbers[at] as number);
  return found.reverse();
}

export type Totals = {
  readonly left: number;
  readonly right: number;
  readonly kinds: Readonly<Record<Row["kind"], number>>;
};

export function totalsOf(rows: readonly Row[]): Totals {
  const kinds = { same: 0, changed: 0, left: 0, right: 0 };
  let [left, right] = [0, 0];
  for (const row of rows) {
    kinds[row.kind]++;
    left += row.left?.tokens ?? 0;
    right += row.right?.tokens ?? 0;
  }
  return { left, right, kinds };
}

/** A run of rows that are the same on both sides, or one that is not. */
export type Fold = { readonly same: boolean; readonly rows: readonly Row[] };

/** What is the same, in the same slot and place, is folded together. */
export function folds(rows: readonly Row[]): readonly Fold[] {
  const found: { same: boolean; rows: Row[] }[] = [];
  for (const row of rows) {
    const same = row.kind === "same" && !row.moved && row.left?.slot === row.right?.slot;
    const last = found.at(-1);
    if (same && last?.same) last.rows.push(row);
    else found.push({ same, rows: [row] });
  }
  return found;
}
