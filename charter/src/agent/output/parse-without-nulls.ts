import type { SchemaIssue, StandardSchema } from "../standard-schema.ts";

type Path = readonly PropertyKey[];

/** Of a choice between several shapes, libraries say what each of them objects to, each in its own way. */
type Issue = SchemaIssue & {
  /** zod 4: a list for each shape, from here on. arktype: one issue for each shape, from the root on. */
  readonly errors?: readonly (Issue | readonly Issue[])[];
  /** zod 3: from the root on. */
  readonly unionErrors?: readonly { readonly issues: readonly Issue[] }[];
  /** valibot: from here on. */
  readonly issues?: readonly Issue[];
};

/** What a schema made of a value, or what it objects to. */
type ParsedInput =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/**
 * What a schema makes of a value. Models write `null` for what they leave out: where a schema objects to such a field and
 * does without it, the field is nothing. Where it asks for the field, or takes `null`, it is judged as it was written.
 */
export async function parseWithoutNulls(schema: StandardSchema, value: unknown): Promise<ParsedInput> {
  const validate = (given: unknown) => schema["~standard"].validate(given);
  const first = await validate(value);
  const nulls = first.issues ? nullsIn(first.issues, value) : [];
  if (nulls.length === 0) return first;
  const less = await validate(nulls.reduce(without, value));
  if (!less.issues) return less;
  const missed = new Set(placesIn(less.issues).map(named));
  const left = nulls.filter((path) => !missed.has(named(path)));
  return left.length === 0 ? first : validate(left.reduce(without, value));
}

/** Where an issue is, as keys. */
export function issuePath({ path = [] }: SchemaIssue): Path {
  return Array.from(path, (segment) => (typeof segment === "object" ? segment.key : segment));
}

/** Where a field that was objected to is null. */
function nullsIn(issues: readonly Issue[], value: unknown): Path[] {
  const all = new Map(placesIn(issues).map((path) => [named(path), path]));
  return [...all.values()].filter((path) => {
    const [holder, key] = [at(value, path.slice(0, -1)), path.at(-1)];
    return isObject(holder) && key !== undefined && Object.hasOwn(holder, key) && holder[key] === null;
  });
}

function placesIn(issues: readonly Issue[], before: Path = []): Path[] {
  return issues.flatMap((issue) => {
    const { errors = [], unionErrors = [], issues: inside = [] } = issue;
    const here = [...before, ...issuePath(issue)];
    return [
      here,
      ...errors.flatMap((each) => (Array.isArray(each) ? placesIn(each, here) : placesIn([each as Issue]))),
      ...unionErrors.flatMap((each) => placesIn(each.issues)),
      ...placesIn(inside, here),
    ];
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
