import { listed, Problem } from "./problem.ts";

/** Makes the Problem of a function that was given something it cannot use. The message names it, the hint says what it wants. */
export function badArgument(message: string, hint: string): Problem {
  return new Problem("bad-argument", message, hint);
}

/** Names a value's kind in the words of a message. A text is not quoted: it may be a key, or an address with a password. */
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

export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (Object(value) as { readonly then?: unknown }).then === "function";
}

/** Checks that each value is a text. */
export function checkText(name: string, ...texts: readonly unknown[]): void {
  const wrong = texts.findIndex((text) => typeof text !== "string");
  if (wrong !== -1)
    throw badArgument(
      `What ${name} was given is ${kindOf(texts[wrong])}.`,
      `Give ${name} ${texts.length > 1 ? "texts" : "a text"}.`,
    );
}

/** Checks that a value is a list. */
export function checkList(name: string, given: unknown): void {
  if (!Array.isArray(given)) throw badArgument(`What ${name} was given is ${kindOf(given)}.`, `Give ${name} a list.`);
}

/** The check of one field: whether a value fits, and the hint for one that does not. */
type FieldCheck = readonly [fits: (value: unknown) => boolean, wants: string];

/** Checks for each field of a type; the compiler asks for one when a field is added. */
export type FieldChecks<Given> = { readonly [Name in keyof Given]-?: FieldCheck };

export const isText = (value: unknown): value is string => typeof value === "string";
export const isFunction = (value: unknown): boolean => typeof value === "function";
export const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !isPromise(value);
/** Tells whether a value is an object with named fields: no list, and not null. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const isNumber = (value: unknown): boolean => typeof value === "number";
export const isSignal = (value: unknown): boolean =>
  typeof (Object(value) as { readonly addEventListener?: unknown }).addEventListener === "function";
export const isBoolean = (value: unknown): boolean => typeof value === "boolean";
export const isList = (value: unknown): boolean => Array.isArray(value);

const digesting = new WeakSet<object>();

/** Tells whether a function gives a digest at once. The one of the Web's crypto gives a promise, which no prompt waits for. */
export function isSha256(value: unknown): boolean {
  if (typeof value !== "function") return false;
  if (digesting.has(value)) return true;
  if (!isText(value(""))) return false;
  digesting.add(value);
  return true;
}

/** Wraps a caller's clock, so that one that gives no Date (`Date.now` gives a number) is named when it is read. */
export function clockOf(name: string, clock: () => Date): () => Date {
  return () => {
    const now = clock();
    if (typeof (Object(now) as Partial<Date>).toISOString === "function") return now;
    const given = `The clock that ${name} was given gives no Date: it gives ${kindOf(now)}.`;
    throw badArgument(given, "Give a function that gives a Date.");
  };
}

export const aPath: FieldCheck = [isText, "Give its path."];

/** Tells whether a value is a text that says something and can be an argument of a program. */
export const isWord = (value: unknown): value is string =>
  isText(value) && value.trim() !== "" && !value.includes("\0");
export const areWords = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isWord);
export const hasTexts = (value: unknown): boolean => isRecord(value) && Object.values(value).every(isText);

/** Recognises addresses without a password, which would end up in every log that names them. */
export function isAddress(value: unknown): boolean {
  if (!isWord(value) || !/^https?:\/\/[^/]/.test(value) || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  return username === "" && password === "";
}

/** Tells whether an object has no class of its own: one that has may keep any fields. */
export function isPlain(value: unknown): value is object {
  const kind: unknown = Object.getPrototypeOf(Object(value));
  return kind === null || kind === Object.prototype;
}

/** Marks a field that is required, and checked by the code that uses it. */
export const laterChecked = (_value: unknown): boolean => true;

/** Marks a field that may be anything or left out, and is checked by the code that uses it. */
export const anyValue: FieldCheck = [() => true, ""];

/** Makes a check accept a field that is left out. */
export function optional([fits, wants]: FieldCheck): FieldCheck {
  return [(value) => value === undefined || fits(value), wants];
}

/** Checks a function's options and names the first field that does not fit, or is not known. */
export function checkOptions<Given>(name: string, given: unknown, checks: FieldChecks<Given>): void {
  checkNeeded<Given>(name, given, checks);
  checkNames<Given>(name, given, Object.keys(checks) as (keyof Given & string)[]);
}

/** Checks only the names of options whose values are checked where they are used: an unknown name would be ignored silently. */
export function checkNames<Given>(name: string, given: unknown, known: readonly (keyof Given & string)[]): void {
  if (!isRecord(given)) throw badArgument(`What ${name} was given is ${kindOf(given)}.`, `It takes ${listed(known)}.`);
  if (!isPlain(given)) return;
  const names: readonly string[] = known;
  const unknown = Object.keys(given).find((field) => given[field] !== undefined && !names.includes(field));
  if (unknown !== undefined) throw badArgument(`${name} takes no “${unknown}”.`, `It takes ${listed(known)}.`);
}

/** Checks only the fields a function cannot do without. */
export function checkNeeded<Given>(name: string, given: unknown, checks: Partial<FieldChecks<Given>>): void {
  const all = checks as Readonly<Record<string, FieldCheck>>;
  if (!isObject(given) || Array.isArray(given)) {
    const isNeeded = ([fits]: FieldCheck) => fits === laterChecked || !fits(undefined);
    const needed = Object.keys(all).filter((field) => isNeeded(all[field] as FieldCheck));
    const awaited = isPromise(given) ? "Await it first. " : "";
    throw badArgument(
      `What ${name} was given is ${kindOf(given)}.`,
      `${awaited}Give ${name}({ ${needed.join(", ")} }).`,
    );
  }
  for (const field of Object.keys(all)) {
    const [fits, wants] = all[field] as FieldCheck;
    const value = (given as Readonly<Record<string, unknown>>)[field];
    if (!fits(value)) throw badField(name, field, value, wants);
  }
}

function badField(name: string, field: string, value: unknown, wants: string): Problem {
  const awaited = isPromise(value) ? "Await it first. " : "";
  return badArgument(`The \`${field}\` that ${name} was given is ${kindOf(value)}.`, `${awaited}${wants}`);
}

type CallsOptions = {
  /** Names of functions that are left unchecked. */
  readonly except?: readonly string[];
  /**
   * Says that the functions run code they did not get with the call, so that only a missing first argument is surely the caller's
   * mistake.
   */
  readonly runsOthers?: boolean;
};

/**
 * Checks the functions of an object where others call them: a TypeError caused by an argument that is missing, not awaited or no
 * object becomes a Problem that names the function. An error that the caller's own code may have thrown stays as it is.
 */
export function checkedCalls<Given extends object>(name: string, given: Given, options: CallsOptions = {}): Given {
  const checked = Object.entries(given).map(([key, value]) => {
    const place = `${name}.${key}`;
    if (options.except?.includes(key)) return [key, value];
    if (typeof value === "function") return [key, checkedCall(place, value, options)];
    return [key, isRecord(value) && isPlain(value) ? checkedCalls(place, value, options) : value];
  });
  return Object.fromEntries(checked);
}

type AnyCall = (...given: unknown[]) => unknown;

function checkedCall(name: string, call: AnyCall, { runsOthers = false }: CallsOptions): AnyCall {
  return (...given) => {
    const failed = (error: unknown): never => {
      const isMisuse = error instanceof TypeError || error instanceof RangeError;
      const at = isMisuse ? wrongArgument(given, call.length, runsOthers) : -1;
      throw at === -1 ? error : misuse(name, given[at], at);
    };
    if (isPromise(given[0])) throw misuse(name, given[0], 0);
    try {
      const result = call(...given);
      return result instanceof Promise ? result.catch(failed) : result;
    } catch (error) {
      return failed(error);
    }
  };
}

/** Finds the argument that must have been wrong, counted from 0; -1 where that is not sure. */
function wrongArgument(given: readonly unknown[], wanted: number, runsOthers: boolean): number {
  const [first] = given;
  if ((first ?? undefined) === undefined || isPromise(first)) return 0;
  if (runsOthers || given.some((one) => [one, ...Object.values(Object(one))].some(isFunction))) return -1;
  const all = Array.from({ length: Math.max(wanted, given.length) }, (_, at) => given[at]);
  return all.includes(undefined) ? all.indexOf(undefined) : all.some(isObject) ? -1 : 0;
}

function misuse(name: string, value: unknown, at: number): Problem {
  const subject = at === 0 ? `What ${name} was given` : `Argument ${at + 1} of ${name}`;
  const awaited = isPromise(value) ? "Await it first. " : "";
  return badArgument(
    `${subject} is ${kindOf(value)}.`,
    `${awaited}Its arguments are in docs/reference/${name.split(".")[0]}.md.`,
  );
}

/** The place of a setting with fields of its own, and a hint on how it is written. */
export type SettingPlace = {
  readonly name: string;
  readonly place: string;
  readonly hint: string;
  /** The code of its Problem: `bad-config`, unless given. */
  readonly code?: string;
};

type SettingFields<Given> = SettingPlace & {
  /** Checks by field, each with what is wrong with a value that does not fit, as in “is no text”. */
  readonly fields: FieldChecks<Given>;
  readonly needs?: readonly (keyof Given & string)[];
};

/** Checks settings as they were written: names the first field that is missing, not known or not right, but never its value. */
export function checkFields<Given>(given: unknown, about: SettingFields<Given>): void {
  const { name, place, needs = [] } = about;
  const fields: Readonly<Record<string, FieldCheck>> = about.fields;
  if (!isRecord(given)) throw badSetting(about, "is no object");
  const missing = needs.find((field) => given[field] === undefined);
  if (missing !== undefined) throw badSetting(about, `has no ${missing}`);
  for (const [field, value] of Object.entries(given)) {
    const check = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (!check) {
      const known = Object.keys(fields).join(", ");
      const message = `${place} sets “${name}.${field}”, which is not a setting. Those are ${known}.`;
      throw new Problem(about.code ?? "bad-config", message.replace(/^the /, "The "), about.hint);
    }
    if (value !== undefined && !check[0](value)) throw badSetting({ ...about, name: `${name}.${field}` }, check[1]);
  }
}

export function badSetting({ name, place, hint, code = "bad-config" }: SettingPlace, what: string): Problem {
  return new Problem(code, `The setting “${name}” in ${place} ${what}.`, hint);
}

/** Returns an object's fields without those that are undefined. */
export function defined<Asked extends object>(
  asked: Asked,
): { [Name in keyof Asked]?: Exclude<Asked[Name], undefined> } {
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) as never;
}
