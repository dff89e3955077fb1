import { invisible } from "../prompt/character.ts";
import { Problem } from "../prompt/problem.ts";

/**
 * A value out of a facts file, and where it stands there ("inbox[2].sender"), so that whatever is wrong with it is
 * named. Reading one that is missing (or null) gives `undefined`; reading nonsense throws a Problem.
 */
export type Fact = { readonly path: string; readonly value: unknown };

export function factsOf(value: unknown): Fact {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw bad("facts", "an object", value);
  return { path: "", value };
}

export function field(fact: Fact, name: string): Fact {
  const path = fact.path === "" ? name : `${fact.path}.${name}`;
  if (fact.value === undefined || fact.value === null) return { path, value: undefined };
  if (typeof fact.value !== "object" || Array.isArray(fact.value)) throw bad(fact.path, "an object", fact.value);
  const value = Object.hasOwn(fact.value, name) ? (fact.value as Record<string, unknown>)[name] : undefined;
  return { path, value: value === null ? undefined : value };
}

export function text(fact: Fact): string | undefined {
  if (fact.value === undefined) return undefined;
  if (typeof fact.value !== "string") throw bad(fact.path, "text", fact.value);
  if (!fact.value.isWellFormed())
    throw malformed(fact.path, "half a character (a lone surrogate)", fact.value.search(/\p{Surrogate}/u));
  if (fact.value.includes("\0")) throw malformed(fact.path, "a NUL character", fact.value.indexOf("\0"));
  return fact.value;
}

/** A text of one line, at most so many characters, that opens no heading: what an operator's setting may be. */
export function line(fact: Fact, max: number): string | undefined {
  const value = text(fact)?.trim();
  if (value === undefined || value === "") return undefined;
  const faults: string[] = [];
  if (invisible.test(value)) faults.push("an invisible character");
  if (/[\r\n]/.test(value)) faults.push("more than one line");
  if (/^(?:```|~~~)/.test(value)) faults.push("a code fence");
  if (/^[ \t>*+-]*#{1,6}(?:[ \t]|$)/.test(value)) faults.push("a heading");
  if ([...value].length > max) faults.push(`${[...value].length} characters; the limit is ${max}`);
  if (faults.length === 0) return value;
  throw new Problem("bad-facts", `The fact “${fact.path}” has ${faults.join(", and ")}.`, "Give one plain line.");
}

export function number(fact: Fact): number | undefined {
  if (fact.value === undefined) return undefined;
  if (typeof fact.value !== "number" || !Number.isFinite(fact.value)) throw bad(fact.path, "a number", fact.value);
  return fact.value;
}

/** A whole number from `least` up. */
export function count(fact: Fact, min = 0): number | undefined {
  const value = number(fact);
  if (value === undefined || (Number.isSafeInteger(value) && value >= min)) return value;
  throw bad(fact.path, `a whole number from ${min} up`, value);
}

export function flag(fact: Fact): boolean | undefined {
  if (fact.value === undefined || typeof fact.value === "boolean") return fact.value;
  throw bad(fact.path, "true or false", fact.value);
}

export function list(fact: Fact): Fact[] {
  if (fact.value === undefined) return [];
  if (!Array.isArray(fact.value)) throw bad(fact.path, "a list", fact.value);
  return fact.value.map((value, index) => ({ path: `${fact.path}[${index}]`, value: value ?? undefined }));
}

export function entries(fact: Fact): [name: string, value: Fact][] {
  if (fact.value === undefined) return [];
  if (typeof fact.value !== "object" || fact.value === null || Array.isArray(fact.value))
    throw bad(fact.path, "an object", fact.value);
  return Object.keys(fact.value).map((name) => [name, field(fact, name)]);
}

export function oneOf<Choice extends string>(fact: Fact, choices: readonly Choice[]): Choice | undefined {
  const value = text(fact);
  if (value === undefined) return undefined;
  const choice = choices.find((known) => known === value);
  if (choice !== undefined) return choice;
  throw new Problem("bad-facts", `The fact “${fact.path}” is “${value}”.`, `It can be ${choices.join(", ")}.`);
}

/** The value, or a Problem that names the field it should be in. */
export function required<Value>(fact: Fact, value: Value | undefined): Value {
  if (value !== undefined) return value;
  throw new Problem(
    "bad-facts",
    `The fact “${fact.path}” is missing.`,
    "docs/facts.md lists what each charter is told.",
  );
}

function bad(path: string, wanted: string, value: unknown): Problem {
  const got = value === undefined || value === null ? "nothing" : Array.isArray(value) ? "a list" : `${kindOf(value)}`;
  return new Problem(
    "bad-facts",
    `The fact “${path}” should be ${wanted}, not ${got}.`,
    "docs/facts.md lists what each charter is told.",
  );
}

function kindOf(value: unknown): string {
  if (typeof value === "object") return "an object";
  if (typeof value === "string") return "text";
  return `${typeof value} ${String(value)}`;
}

function malformed(path: string, what: string, at: number): Problem {
  return new Problem(
    "bad-facts",
    `The fact “${path}” holds ${what} at index ${at}.`,
    "Fix the text where it comes from.",
  );
}
