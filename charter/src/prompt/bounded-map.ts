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
