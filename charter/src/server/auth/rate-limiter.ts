/** How often something may happen: so many times a minute; what is left over adds up to one minute's worth. */
type RateLimiter = {
  /** Counts one more for `key`: 0 when there was room for it, else how many seconds to wait. */
  readonly consume: (key: string, perMinute: number) => number;
  /** Whether there is room, without counting. */
  readonly waitSeconds: (key: string, perMinute: number) => number;
  readonly size: () => number;
};

/**
 * One number for each key: when all that was taken so far will have been earned again. A key that has earned
 * everything back is as good as new and is forgotten; of more than `most` keys the one that was seen longest ago is, so
 * that a crowd of made-up addresses cannot fill the memory.
 */
export function createRateLimiter(now: () => number, maxKeys = 20_000): RateLimiter {
  const earnedAt = new Map<string, number>();
  const ahead = (key: string) => Math.max(0, (earnedAt.get(key) ?? 0) - now());
  const wait = (key: string, perMinute: number) => {
    const over = ahead(key) + 60_000 / perMinute - 60_000;
    return over <= 0 ? 0 : Math.max(1, Math.ceil(over / 1000));
  };
  return {
    waitSeconds: wait,
    consume: (key, perMinute) => {
      const seconds = wait(key, perMinute);
      if (seconds > 0) return seconds;
      const next = now() + ahead(key) + 60_000 / perMinute;
      earnedAt.delete(key);
      earnedAt.set(key, next);
      if (earnedAt.size > maxKeys) forget(earnedAt, now());
      return 0;
    },
    size: () => earnedAt.size,
  };
}

/** The oldest tenth, and all that are as good as new. */
function forget(earnedAt: Map<string, number>, now: number): void {
  const enough = Math.ceil(earnedAt.size / 10);
  let seen = 0;
  for (const [key, at] of earnedAt) {
    if (seen++ < enough || at <= now) earnedAt.delete(key);
  }
}
