/** So many are written with one statement: a database takes only so many values at once. */
const together = 200;

export function chunks<One>(all: readonly One[]): readonly One[][] {
  const out: One[][] = [];
  for (let from = 0; from < all.length; from += together) out.push(all.slice(from, from + together));
  return out;
}
