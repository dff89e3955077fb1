/**
 * A map of entries that weigh at most `limit` together, one each unless `weigh` says otherwise: the one that was set longest ago
 * goes. Looking one up does not make it newer.
 */
export type BoundedMap<Key, Value> = {
  readonly get: (key: Key) => Value | undefined;
  readonly has: (key: Key) => boolean;
  readonly set: (key: Key, value: Value) => void;
  /** Returns whether the key was there. */
  readonly delete: (key: Key) => boolean;
};

export function createBoundedMap<Key, Value>(
  limit: number,
  weigh: (value: Value) => number = () => 1,
): BoundedMap<Key, Value> {
  const values = new Map<Key, Value>();
  let weight = 0;
  const remove = (key: Key) => {
    if (values.has(key)) weight -= weigh(values.get(key) as Value);
    return values.delete(key);
  };
  return {
    get: (key) => values.get(key),
    has: (key) => values.has(key),
    set: (key, value) => {
      remove(key);
      values.set(key, value);
      weight += weigh(value);
      while (weight > limit) remove(values.keys().next().value as Key);
    },
    delete: remove,
  };
}

/** Keeps what is made of an object for as long as the object is there. */
export function remembered<Of extends object, Made>(make: (of: Of) => Made): (of: Of) => Made {
  const known = new WeakMap<Of, Made>();
  return (of) => {
    const before = known.get(of);
    if (before !== undefined) return before;
    const made = make(of);
    known.set(of, made);
    return made;
  };
}

type BackoffOptions = {
  /** The wait after the first failure, and the longest one, in milliseconds. */
  readonly min?: number;
  readonly max?: number;
  /**
   * The share of the wait that chance decides, as two factors, so that callers that failed together do not try again together.
   */
  readonly spread?: readonly [from: number, to: number];
};

/**
 * Returns how long to wait before the next attempt, in milliseconds: twice as long after each failure, up to a limit. A `random`
 * that gives 1 leaves nothing to chance.
 */
export function backoffMs(failures: number, random: () => number, options: BackoffOptions = {}): number {
  const { min = 1000, max = 60_000, spread = [0.5, 1] } = options;
  const [from, to] = spread;
  return Math.round(Math.min(max, min * 2 ** failures) * (from + (to - from) * random()));
}
