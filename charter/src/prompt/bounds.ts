/** So many entries at most: the one that was set longest ago goes. To look one up makes it no younger. */
export type BoundedMap<Key, Value> = {
  readonly get: (key: Key) => Value | undefined;
  readonly has: (key: Key) => boolean;
  readonly set: (key: Key, value: Value) => void;
  /** Whether it was there. */
  readonly delete: (key: Key) => boolean;
};

export function createBoundedMap<Key, Value>(limit: number): BoundedMap<Key, Value> {
  const values = new Map<Key, Value>();
  return {
    get: (key) => values.get(key),
    has: (key) => values.has(key),
    set: (key, value) => {
      values.delete(key);
      values.set(key, value);
      if (values.size > limit) values.delete(values.keys().next().value as Key);
    },
    delete: (key) => values.delete(key),
  };
}

type BackoffOptions = {
  /** The wait after the first failure, and the longest one, in milliseconds. */
  readonly min?: number;
  readonly max?: number;
  /** Between which parts of the wait chance decides: what failed together is then not tried together. */
  readonly spread?: readonly [from: number, to: number];
};

/**
 * How long to wait before trying again, after so many failures before this one: twice as long each time, up to a limit.
 * Where nothing is left to chance, `random` gives 1.
 */
export function backoffMs(failures: number, random: () => number, options: BackoffOptions = {}): number {
  const { min = 1000, max = 60_000, spread = [0.5, 1] } = options;
  const [from, to] = spread;
  return Math.round(Math.min(max, min * 2 ** failures) * (from + (to - from) * random()));
}
