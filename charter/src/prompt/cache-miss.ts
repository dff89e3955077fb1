/** What a provider counted of one request: all of it, what was read from the cache and written to it. Null where it did not say. */
export type CacheCount = {
  readonly input: number | null;
  readonly read: number | null;
  readonly written: number | null;
};

/** A request as it left the cache. `stable`: so many thousandths of it a provider keeps that does not count what it writes. */
export type CacheLeft = CacheCount & { readonly stable: number | null };

/** So much of what was left in the cache is read again where nothing was missed: providers round. */
const mostOfIt = 0.9;

/**
 * Whether a request missed the cache: less was read than the request before it in its session had left there. That is what
 * it read and wrote or, where writing is not counted, its stable beginning; by the provider's own count, so that what it
 * did not count was not missed, nor what the request was too short for. This is worked out once, when a step ends, and kept
 * with it; whoever tells of misses reads that.
 */
export function missesCache(before: CacheLeft, { input, read }: CacheCount): boolean {
  if (read === null || before.read === null) return false;
  const kept = ((before.stable ?? 0) * (before.input ?? 0)) / 1000;
  const left = Math.max(before.read + (before.written ?? 0), kept);
  return read < mostOfIt * (input === null ? left : Math.min(left, input));
}
