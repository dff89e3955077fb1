/** What was kept in mind lately, so many at most: the one that was set longest ago goes. */
type BoundedCache<Value> = {
  readonly get: (key: string) => Value | undefined;
  readonly set: (key: string, value: Value) => void;
  readonly delete: (key: string) => void;
};

export function createBoundedCache<Value>(limit: number): BoundedCache<Value> {
  const values = new Map<string, Value>();
  return {
    get: (key) => values.get(key),
    delete: (key) => {
      values.delete(key);
    },
    set: (key, value) => {
      values.delete(key);
      values.set(key, value);
      if (values.size > limit) values.delete(values.keys().next().value as string);
    },
  };
}
