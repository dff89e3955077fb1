import { createBoundedMap } from "../../prompt/bounds.ts";

/** How often something may happen for each key: `most` times, each of them given back after a while. */
type Allowance = (key: string) => boolean;

/** Kept in memory only, for the keys seen last: a crowd of strangers cannot fill it. */
export function createAllowance(
  { max, perMs }: { readonly max: number; readonly perMs: number },
  clock: () => Date,
  keys = 10_000,
): Allowance {
  const spent = createBoundedMap<string, number[]>(keys);
  return (key) => {
    const now = clock().getTime();
    const recent = (spent.get(key) ?? []).filter((at) => at > now - perMs);
    spent.set(key, recent);
    if (recent.length >= max) return false;
    recent.push(now);
    return true;
  };
}
