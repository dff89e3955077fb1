/** From where to where something lies in a pile. */
export type Piled = { readonly from: number; readonly to: number };

/** Amounts on top of each other, the first at the bottom. What is less than nothing is nothing. */
export function pile(amounts: readonly number[]): readonly Piled[] {
  let from = 0;
  return amounts.map((amount) => {
    const lies = { from, to: from + Math.max(0, amount) };
    from = lies.to;
    return lies;
  });
}

/** Each amount with all before it. */
export function running(amounts: readonly number[]): readonly number[] {
  return pile(amounts).map(({ to }) => to);
}

/** The keys with the largest sums, largest first. */
export function largest(sums: ReadonlyMap<string, number>, most: number): readonly string[] {
  return [...sums]
    .sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
    .slice(0, most)
    .map(([key]) => key);
}
