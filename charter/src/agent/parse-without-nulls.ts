import type { ZodSafeParseResult, ZodType } from "zod";

type Path = readonly PropertyKey[];
type Issue = { readonly path: Path; readonly errors?: readonly (readonly Issue[])[] };

/**
 * What a schema makes of a value. Models write `null` for what they leave out: where a schema objects to such a field and
 * does without it, the field is nothing. Where it asks for the field, or takes `null`, it is judged as it was written.
 */
export function parseWithoutNulls<Input>(schema: ZodType<Input>, value: unknown): ZodSafeParseResult<Input> {
  const first = schema.safeParse(value);
  const nulls = first.success ? [] : nullsIn(first.error.issues, value);
  if (nulls.length === 0) return first;
  const less = schema.safeParse(nulls.reduce(without, value));
  if (less.success) return less;
  const missed = new Set(placesIn(less.error.issues).map(named));
  const left = nulls.filter((path) => !missed.has(named(path)));
  return left.length === 0 ? first : schema.safeParse(left.reduce(without, value));
}

/** Where a field that was objected to is null. */
function nullsIn(issues: readonly Issue[], value: unknown): Path[] {
  const all = new Map(placesIn(issues).map((path) => [named(path), path]));
  return [...all.values()].filter((path) => {
    const [holder, key] = [at(value, path.slice(0, -1)), path.at(-1)];
    return isObject(holder) && key !== undefined && Object.hasOwn(holder, key) && holder[key] === null;
  });
}

/** Of a choice between several shapes, what each of them objects to. */
function placesIn(issues: readonly Issue[], before: Path = []): Path[] {
  return issues.flatMap(({ path, errors = [] }) => {
    const here = [...before, ...path];
    return [here, ...errors.flatMap((each) => placesIn(each, here))];
  });
}

function named(path: Path): string {
  return JSON.stringify(path.map(String));
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inside, key) => (isHolder(inside) ? inside[key] : undefined), value);
}

function without(value: unknown, [key, ...rest]: Path): unknown {
  if (key === undefined || !isHolder(value)) return value;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<PropertyKey, unknown>;
  if (rest.length === 0) delete copy[key];
  else copy[key] = without(copy[key], rest);
  return copy;
}

function isHolder(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === "object" && value !== null;
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return isHolder(value) && !Array.isArray(value);
}
