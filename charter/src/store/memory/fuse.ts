/** The usual constant of reciprocal rank fusion: so little the very first places count more than the next. */
const flatness = 60;

/** Several orders of the same things as one: what stands high in most of them comes first. */
export function fuseRanks(...orders: readonly (readonly number[])[]): number[] {
  const scores = new Map<number, number>();
  for (const order of orders)
    for (const [rank, one] of order.entries()) scores.set(one, (scores.get(one) ?? 0) + 1 / (flatness + rank + 1));
  // A sort keeps the order of equals: those of the first list.
  return [...scores].sort(([, first], [, second]) => second - first).map(([one]) => one);
}
