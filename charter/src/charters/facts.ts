import type { Declaration } from "../agent/declaration.ts";
import { quietTurn, type TurnFacts } from "../amend/guard.ts";
import { invisible } from "../prompt/character.ts";
import { allSections, type Charter, findSection, sectionMutability } from "../prompt/charter.ts";
import type { Notice } from "../prompt/notice.ts";
import { listed, Problem } from "../prompt/problem.ts";
import type { SourceContext, Standing, ToolLine } from "../prompt/source.ts";
import type { StandingFault } from "../store/amendments/standing.ts";
import type { DeclaredTurn } from "./declared-turn.ts";

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
  if ([...value].length > max) faults.push(`${[...value].length} characters where ${max} is the most`);
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
    "Mend the text where it comes from.",
  );
}

/** What every charter is told: who, where, when, with which tools. Without `now` the clock is asked. */
function turnFromFacts(facts: Fact, clock: () => Date): Omit<SourceContext, "standing"> {
  const now = text(field(facts, "now"));
  const at = now === undefined ? clock() : instant(now);
  const callsLeft = count(field(field(facts, "turn"), "callsLeft"));
  const [agent, user, channel, zone] = ["agent", "user", "channel", "zone"].map((name) => text(field(facts, name)));
  return {
    now: at.toISOString(),
    tools: list(field(facts, "tools")).map(toolLine),
    ...(callsLeft === undefined ? {} : { callsLeft }),
    ...(agent === undefined ? {} : { agent }),
    ...(user === undefined ? {} : { user }),
    ...(channel === undefined ? {} : { channel }),
    ...(zone === undefined || zone.trim() === "" ? {} : { zone }),
  };
}

/** An ISO 8601 time; without a zone it is UTC, whatever the machine's is. A day that does not exist is none. */
function instant(now: string): Date {
  const fields = /^(\d{4})-(\d\d)-(\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/.exec(now);
  const at = new Date(fields && now.includes("T") && fields[4] === undefined ? `${now}Z` : now);
  const day = fields ? new Date(`${fields[1]}-${fields[2]}-${fields[3]}T00:00:00Z`) : at;
  if (fields && !Number.isNaN(at.getTime()) && day.getUTCDate() === Number(fields[3])) return at;
  const message = `The fact “now” is “${now}”, which is no ISO 8601 time.`;
  throw new Problem("bad-facts", message, "Give 2026-02-18T15:04:00Z.");
}

function toolLine(fact: Fact): ToolLine {
  if (typeof fact.value === "string") return { name: toolName(fact) };
  const summary = text(field(fact, "promptSnippet"));
  const guidelines = list(field(fact, "promptGuidelines")).map((guideline) => required(guideline, text(guideline)));
  const left = count(field(fact, "left"));
  return {
    name: toolName(field(fact, "name")),
    ...(summary === undefined ? {} : { summary }),
    ...(guidelines.length === 0 ? {} : { guidelines }),
    ...(left === undefined ? {} : { left }),
  };
}

function toolName(fact: Fact): string {
  const name = required(fact, text(fact));
  if (/^\w[\w.:/-]{0,127}$/.test(name)) return name;
  throw new Problem(
    "bad-facts",
    `The fact “${fact.path}” is no tool name: ${JSON.stringify(name)}.`,
    "Use the letters A to Z, digits, _ . : / and -.",
  );
}

function turnFactsOf(facts: Fact): TurnFacts {
  const turn = field(facts, "turn");
  return {
    tainted: flag(field(turn, "tainted")) ?? quietTurn.tainted,
    amendments: count(field(turn, "amendments")) ?? quietTurn.amendments,
    state: text(field(field(facts, "state"), "state")) ?? quietTurn.state,
  };
}

const knownFacts = new Set(
  [
    "agent user channel now zone tools standing revisions turn original settings identity soul skills state inbox",
    "waiting conversations memory edition cwd home config system append context base operator core imported secondOpinion",
  ]
    .join(" ")
    .split(" "),
);

/** A fact no charter knows is a word misspelled: what was meant by it does not hold, and the operator should know. */
export function unknownFacts(facts: Fact): Notice[] {
  return entries(facts)
    .filter(([name]) => !knownFacts.has(name))
    .map(([name]) => ({ code: "unknown-fact", message: `No charter is told “${name}”; it was not read.` }));
}

/**
 * The standing texts in the facts, by section. One that is no longer valid is not used: the original is, and a notice
 * says so. Words for a section that nobody amends are not read at all.
 */
function standingFromFacts(
  charter: Charter,
  facts: Fact,
  fault: StandingFault = () => undefined,
): { standing: Record<string, Standing>; notices: Notice[] } {
  const standing: Record<string, Standing> = {};
  const notices: Notice[] = [];
  const revisions = field(facts, "revisions");
  for (const [name, fact] of entries(field(facts, "standing"))) {
    const { section, layer } = sectionNamed(charter, name, fact.path);
    if (typeof sectionMutability(section, layer) !== "object") {
      const message = `“${fact.path}” was not read: nobody amends “${section.name}”.`;
      notices.push({ code: "standing-ignored", section: section.name, message });
      continue;
    }
    const given = text(fact);
    if (given === undefined) continue;
    const wrong = fault(section.name, given);
    const revision = count(field(revisions, name)) ?? 0;
    const message = `The standing text of “${section.name}” is not used: ${wrong} The original stands.`;
    standing[section.name] = wrong
      ? { text: section.original ?? "", revision: 0, notices: [{ code: "standing-invalid", message }] }
      : { text: given, revision };
  }
  return { standing, notices };
}

function sectionNamed(charter: Charter, name: string, path: string) {
  try {
    return findSection(charter, name);
  } catch {
    const names = allSections(charter).map(({ section }) => section.name);
    throw new Problem(
      "bad-facts",
      `The fact “${path}” names no section of “${charter.name}”.`,
      `They are ${listed(names)}.`,
    );
  }
}

/** A declaration with the turn the facts tell of. */
export function declaredTurnOf(declaration: Declaration, facts: Fact, clock: () => Date): DeclaredTurn {
  const { standing, notices } = standingFromFacts(declaration.charter, facts, declaration.fault);
  const edition = oneOf(field(facts, "edition"), ["full", "compact"]);
  return {
    ...declaration,
    ...(edition === undefined ? {} : { edition }),
    turn: { ...turnFromFacts(facts, clock), standing },
    turnFacts: turnFactsOf(facts),
    notices,
  };
}
