/** What a provider counted of one request: all of it, what was read from the cache and written to it. Null where it did not say. */
export type CacheCount = {
  readonly input: number | null;
  readonly read: number | null;
  readonly written: number | null;
};

/** So much of what was left in the cache is read again where nothing was missed: providers round. */
const mostOfIt = 0.9;

/**
 * Whether a request missed the cache: less was read than the request before it in its session had left there, which is what
 * that one read and wrote. Both by the provider's own count: what it did not count was not missed, nor was what the request was too short for. This is worked out once,
 * when a step ends, and kept with it; whoever tells of misses reads that.
 */
export function missesCache(before: Omit<CacheCount, "input">, { input, read }: CacheCount): boolean {
  if (read === null || before.read === null) return false;
  const left = before.read + (before.written ?? 0);
  return read < mostOfIt * (input === null ? left : Math.min(left, input));
}
