import { listed, Problem } from "./problem.ts";

/** A function was given something it cannot use. The message names it, the hint says what it wants. */
export function badArgument(message: string, hint: string): Problem {
  return new Problem("bad-argument", message, hint);
}

/** What something is, in the words of a message. A text is not quoted: it may be a key, or an address with a password. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (typeof value === "string") return "a text";
  if (isPromise(value)) return "a promise";
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return "a list";
  if (value instanceof Date) return "a Date";
  if (typeof value === "object" && value !== null) return "an object that does not fit";
  return String(value);
}

export function isPromise(value: unknown): boolean {
  return typeof (Object(value) as { readonly then?: unknown }).then === "function";
}

/** A text, where one is needed. */
export function checkText(name: string, ...texts: readonly unknown[]): void {
  const wrong = texts.findIndex((text) => typeof text !== "string");
  if (wrong !== -1) throw badArgument(`What ${name} was given is ${kindOf(texts[wrong])}.`, `Give ${name} texts.`);
}

/** Whether a field fits, and what it is to be. */
type FieldCheck = readonly [fits: (value: unknown) => boolean, wants: string];

/** A check for each field there is: one that is added to the type is added here. */
export type FieldChecks<Given> = { readonly [Name in keyof Given]-?: FieldCheck };

export const isText = (value: unknown): value is string => typeof value === "string";
export const isFunction = (value: unknown): boolean => typeof value === "function";
export const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !isPromise(value);
export const isNumber = (value: unknown): boolean => typeof value === "number";
export const isList = (value: unknown): boolean => Array.isArray(value);

/** It has no class of its own: one that has may keep what it likes. */
export function isPlain(value: unknown): value is object {
  const kind: unknown = Object.getPrototypeOf(Object(value));
  return kind === null || kind === Object.prototype;
}

/** It is needed, and looked at where it is taken. */
export const laterChecked = (_value: unknown): boolean => true;

/** May be left out. */
export function optional([fits, wants]: FieldCheck): FieldCheck {
  return [(value) => value === undefined || fits(value), wants];
}

/** What a function was given as its options: the first field that does not fit, or is not known, is named. */
export function checkOptions<Given>(name: string, given: unknown, checks: FieldChecks<Given>): void {
  const fields = Object.entries(checks) as [string, FieldCheck][];
  if (!isObject(given) || Array.isArray(given)) {
    const needed = fields.filter(([, [fits]]) => fits === laterChecked || !fits(undefined)).map(([field]) => field);
    const awaited = isPromise(given) ? "Await it first. " : "";
    throw badArgument(
      `What ${name} was given is ${kindOf(given)}.`,
      `${awaited}Give ${name}({ ${needed.join(", ")} }).`,
    );
  }
  for (const [field, [fits, wants]] of fields) {
    const value = (given as Readonly<Record<string, unknown>>)[field];
    if (!fits(value)) throw badField(name, field, value, wants);
  }
  const unknown = isPlain(given)
    ? Object.entries(given).find(([field, value]) => value !== undefined && !Object.hasOwn(checks, field))?.[0]
    : undefined;
  if (unknown !== undefined)
    throw badArgument(`${name} takes no “${unknown}”.`, `It takes ${listed(fields.map(([field]) => field))}.`);
}

function badField(name: string, field: string, value: unknown, wants: string): Problem {
  const awaited = isPromise(value) ? "Await it first. " : "";
  return badArgument(`The \`${field}\` that ${name} was given is ${kindOf(value)}.`, `${awaited}${wants}`);
}
