import { nearestName } from "../amend/override/misspelling.ts";
import { invisible } from "../prompt/character.ts";
import { Problem } from "../prompt/problem.ts";
import type { Notice } from "../prompt/reading.ts";

/**
 * A value of a facts file, and its path there ("inbox[2].sender"), so that a Problem can name it. Reading one that is missing (or
 * null) gives `undefined`; reading nonsense throws a Problem.
 */
export type Fact = { readonly path: string; readonly value: unknown };

export function factsOf(value: unknown): Fact {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw wrongShape("facts", "an object", value);
  return { path: "", value };
}

export function field(fact: Fact, name: string): Fact {
  const path = fact.path === "" ? name : `${fact.path}.${name}`;
  if (fact.value === undefined || fact.value === null) return { path, value: undefined };
  if (typeof fact.value !== "object" || Array.isArray(fact.value)) throw wrongShape(fact.path, "an object", fact.value);
  const value = Object.hasOwn(fact.value, name) ? (fact.value as Record<string, unknown>)[name] : undefined;
  return { path, value: value === null ? undefined : value };
}

export function text(fact: Fact): string | undefined {
  if (fact.value === undefined) return undefined;
  if (typeof fact.value !== "string") throw wrongShape(fact.path, "text", fact.value);
  if (!fact.value.isWellFormed())
    throw malformed(fact.path, "half a character (a lone surrogate)", fact.value.search(/\p{Surrogate}/u));
  if (fact.value.includes("\0")) throw malformed(fact.path, "a NUL character", fact.value.indexOf("\0"));
  return fact.value;
}

/** Reads a text of one line, at most `max` characters, that opens no heading: the form of an operator's setting. */
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
  if (typeof fact.value !== "number" || !Number.isFinite(fact.value))
    throw wrongShape(fact.path, "a number", fact.value);
  return fact.value;
}

/** Reads a whole number from `min` up. */
export function count(fact: Fact, min = 0): number | undefined {
  const value = number(fact);
  if (value === undefined || (Number.isSafeInteger(value) && value >= min)) return value;
  throw wrongShape(fact.path, `a whole number from ${min} up`, value);
}

export function flag(fact: Fact): boolean | undefined {
  if (fact.value === undefined || typeof fact.value === "boolean") return fact.value;
  throw wrongShape(fact.path, "true or false", fact.value);
}

export function list(fact: Fact): Fact[] {
  if (fact.value === undefined) return [];
  if (!Array.isArray(fact.value)) throw wrongShape(fact.path, "a list", fact.value);
  return fact.value.map((value, index) => ({ path: `${fact.path}[${index}]`, value: value ?? undefined }));
}

export function entries(fact: Fact): [name: string, value: Fact][] {
  if (fact.value === undefined) return [];
  if (typeof fact.value !== "object" || fact.value === null || Array.isArray(fact.value))
    throw wrongShape(fact.path, "an object", fact.value);
  return Object.keys(fact.value).map((name) => [name, field(fact, name)]);
}

export function oneOf<Choice extends string>(fact: Fact, choices: readonly Choice[]): Choice | undefined {
  const value = text(fact);
  if (value === undefined) return undefined;
  const choice = choices.find((known) => known === value);
  if (choice !== undefined) return choice;
  throw new Problem("bad-facts", `The fact “${fact.path}” is “${value}”.`, `It can be ${choices.join(", ")}.`);
}

/** Returns the value, or throws a Problem that names the field it should be in. */
export function required<Value>(fact: Fact, value: Value | undefined): Value {
  if (value !== undefined) return value;
  throw new Problem(
    "bad-facts",
    `The fact “${fact.path}” is missing.`,
    "docs/facts.md lists what each charter is told.",
  );
}

function wrongShape(path: string, wanted: string, value: unknown): Problem {
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

/** The allowed shape of a fact: anything; fields by name; or a list of such. `*` stands for any name. */
type FactShape = "anything" | readonly [FactShape] | FactFields;

/** The facts of a charter besides those of all charters, as docs/facts.md lists them. */
export type FactFields = { readonly [name: string]: FactShape };

/** Declares fields that hold anything, by their names. */
export const fields = (names: string): FactFields =>
  Object.fromEntries(names.split(" ").map((name) => [name, "anything"]));

const common: FactFields = {
  ...fields("agent user channel now zone standing revisions edition imported secondOpinion window mcp"),
  tools: [fields("name promptSnippet promptGuidelines left")],
  turn: fields("tainted amendments callsLeft"),
  sessions: fields("idleHours across"),
  attachments: fields("maxBytes maxCount kinds trusted"),
};

/** A fact that nobody reads: its path, and the name that may have been meant. */
type UnknownFact = { readonly path: string; readonly meant: string | undefined };

/** Lists the facts a charter does not read, at any depth. A charter without declared facts may be given any. */
export function unknownFacts(own: FactFields | undefined, facts: Fact): UnknownFact[] {
  const shape: FactFields = { ...common, ...(own ?? { "*": "anything" }) };
  const paths = pathsOf(shape, "");
  return unreadIn(facts.value, shape, "").map((path) => ({ path, meant: meantBy(path, paths) }));
}

/** Makes notices of unknown facts: what they were meant to set does not hold, and the operator should know. */
export function unknownFactNotices(charter: string, own: FactFields | undefined, facts: Fact): Notice[] {
  return unknownFacts(own, facts).map(({ path, meant }) => {
    const guess = meant === undefined ? "" : ` Did you mean “${meant}”?`;
    return { code: "unknown-fact", message: `The charter ${charter} is not told “${path}”; it was not read.${guess}` };
  });
}

/** Lists the top-level names that a charter reads from settings. */
export function settingNames(own: FactFields | undefined): string[] {
  return Object.keys({ ...common, ...own }).filter((name) => !perTurnFacts.has(name));
}

/** Lists every path that a charter reads from settings besides those of all charters: `original.soul`. */
export function settingPaths(own: FactFields): string[] {
  const lasting = Object.fromEntries(Object.entries(own).filter(([name]) => !perTurnFacts.has(name)));
  const paths = pathsOf(lasting, "");
  return paths.filter((path) => !paths.some((one) => one.startsWith(`${path}.`)));
}

/** Facts that come with every turn, or from amendments. */
export const perTurnFacts = new Set("agent user channel now standing revisions turn identity imported".split(" "));

function unreadIn(value: unknown, shape: FactShape, path: string): string[] {
  if (shape === "anything" || typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) {
    if (!isList(shape)) return [];
    return value.flatMap((one, index) => unreadIn(one, shape[0], `${path}[${index}]`));
  }
  if (isList(shape)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const below = path === "" ? name : `${path}.${name}`;
    const known = Object.hasOwn(shape, name) ? shape[name] : shape["*"];
    // A null does nothing, whatever its name is.
    if (known === undefined) return inner === null ? [] : [below];
    return unreadIn(inner, known, below);
  });
}

function isList(shape: FactShape): shape is readonly [FactShape] {
  return Array.isArray(shape);
}

/** Lists every path that is read, such as `original.soul`; paths in lists are left out. */
function pathsOf(shape: FactShape, path: string): string[] {
  if (shape === "anything" || isList(shape)) return [path];
  const below = Object.entries(shape).filter(([name]) => name !== "*");
  const inner = below.flatMap(([name, one]) => pathsOf(one, path === "" ? name : `${path}.${name}`));
  return path === "" ? inner : [path, ...inner];
}

/** Guesses the meant path: a name a slip away beside it, or the same name elsewhere. */
function meantBy(path: string, paths: readonly string[]): string | undefined {
  const last = (one: string) => one.slice(one.lastIndexOf(".") + 1);
  const folder = path.slice(0, path.length - last(path).length);
  const beside = paths.filter((one) => one.startsWith(folder) && !one.slice(folder.length).includes("."));
  const near = nearestName(
    last(path),
    beside.map((one) => one.slice(folder.length)),
  );
  if (near !== undefined) return folder + near;
  const elsewhere = paths.filter((one) => last(one) === last(path));
  return elsewhere.length > 0 ? elsewhere[0] : undefined;
}
