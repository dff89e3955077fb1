/** How often something may happen for each key: `most` times, each of them given back after a while. */
type Allowance = (key: string) => boolean;

/** Kept in memory only, for the keys seen last: a crowd of strangers cannot fill it. */
export function createAllowance(
  { max, perMs }: { readonly max: number; readonly perMs: number },
  clock: () => Date,
  keys = 10_000,
): Allowance {
  const spent = new Map<string, number[]>();
  return (key) => {
    const now = clock().getTime();
    const recent = (spent.get(key) ?? []).filter((at) => at > now - perMs);
    spent.delete(key);
    spent.set(key, recent);
    if (spent.size > keys) spent.delete(spent.keys().next().value as string);
    if (recent.length >= max) return false;
    recent.push(now);
    return true;
  };
}
