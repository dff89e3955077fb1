/** Settings of an agent: JSON by name. */
export type Settings = Readonly<Record<string, unknown>>;

/** Where a setting stands: `["original", "soul"]`. */
export type Path = readonly string[];

/** What stands there; undefined where nothing does. */
export function valueAt(value: unknown, [name, ...rest]: Path): unknown {
  if (name === undefined) return value;
  if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
  return valueAt(value[name], rest);
}

/** Whether something can be set there without taking anything else away: what is above it is an object, or nothing yet. */
export function canSet(settings: unknown, path: Path): boolean {
  return path.every((_, depth) => {
    const above = valueAt(settings, path.slice(0, depth));
    return above === undefined || isRecord(above);
  });
}

/**
 * The same with another value there; undefined takes it away, and what is empty then goes with it. Nothing else changes,
 * and names keep their order.
 */
export function withValue(settings: Settings, [name, ...rest]: Path, value: unknown): Settings {
  if (name === undefined) return isRecord(value) ? value : settings;
  const before = Object.hasOwn(settings, name) ? settings[name] : undefined;
  const inner = rest.length === 0 ? value : withValue(isRecord(before) ? before : {}, rest, value);
  const goes =
    inner === undefined || (rest.length > 0 && value === undefined && Object.keys(inner as object).length === 0);
  const others = Object.entries(settings);
  if (goes) return Object.fromEntries(others.filter(([one]) => one !== name));
  const isNew = !Object.hasOwn(settings, name);
  return Object.fromEntries([
    ...others.map(([one, old]) => [one, one === name ? inner : old] as const),
    ...(isNew ? [[name, inner] as const] : []),
  ]);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The same JSON, in whatever order its names stand. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, index) => isSame(value, other[index]));
  if (isRecord(one) && isRecord(other)) {
    const names = Object.keys(one);
    return (
      names.length === Object.keys(other).length &&
      names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
    );
  }
  return Object.is(one, other) || one === other;
}
