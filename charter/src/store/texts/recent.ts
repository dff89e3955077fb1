/** What was kept in mind lately, so many at most: the one that was set longest ago goes. */
export type Recent<Value> = {
  readonly get: (key: string) => Value | undefined;
  readonly set: (key: string, value: Value) => void;
  readonly forget: (key: string) => void;
};

export function createRecent<Value>(most: number): Recent<Value> {
  const values = new Map<string, Value>();
  return {
    get: (key) => values.get(key),
    forget: (key) => {
      values.delete(key);
    },
    set: (key, value) => {
      values.delete(key);
      values.set(key, value);
      if (values.size > most) values.delete(values.keys().next().value as string);
    },
  };
}
