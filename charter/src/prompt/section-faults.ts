import { isRecord, kindOf } from "./argument.ts";
import type { Layer } from "./layer.ts";
import { amendableFromInside, type Mutability } from "./mutability.ts";
import type { Section } from "./section.ts";

export const charterFields = ["name", "layers", "separator", "limit", "givesWay"];
export const layerFields = ["name", "owner", "mutability", "sections", "fallback", "separator"];
const texts = ["lead", "heading", "words", "short", "original", "fallback", "closing", "separator"] as const;
const sectionFields = [
  "name",
  ...texts,
  "wordings",
  "sources",
  "read",
  "mutability",
  "stability",
  "trust",
  "limit",
  "reserve",
  "compact",
  "scope",
];

/** A field nobody knows is a word misspelled: what was meant by it would silently not hold. */
export function unknownFields(what: string, thing: object, known: readonly string[]): string[] {
  const unknown = Object.keys(thing).filter((field) => !known.includes(field));
  return unknown.map((field) => `${what} has no field “${field}”; there are ${known.join(", ")}.`);
}

/** A limit by a name that nobody knows would be none at all. */
export function limitFaults(what: string, limit: unknown, known: readonly string[]): string[] {
  if (limit === undefined) return [];
  if (!isRecord(limit)) return [`${what} is ${kindOf(limit)}; it is { ${known.join(", ")} }.`];
  return unknownFields(what, limit, known);
}

/** What keeps a section from its promises. */
export function sectionFaults({
  section,
  layer,
  fallback,
}: {
  section: Section;
  layer: Layer;
  fallback: boolean;
}): string[] {
  const name = `“${section.name}”`;
  const faults = [...unknownFields(name, section, sectionFields), ...textFaults(section)];
  const mutability = section.mutability ?? layer.mutability;
  if (!isMutability(mutability)) {
    const said = mutability === undefined ? "nothing" : JSON.stringify(mutability);
    faults.push(
      `${name} says ${said} of who may change it; say "fixed", "live" or { amendableBy: agent, user, operator }.`,
    );
    return faults;
  }
  faults.push(...limitFaults(`${name}: limit`, section.limit, ["chars", "told"]));
  faults.push(...limitFaults(`${name}: reserve`, section.reserve, ["chars", "tokens"]));
  faults.push(...approvalFaults(name, mutability));
  faults.push(...choiceFaults(section));
  if (section.sources !== undefined && !isListOf(section.sources, "function"))
    faults.push(`${name}: sources is not a list of functions.`);
  if (mutability === "live" && !section.sources && section.words === undefined)
    faults.push(`${name} is generated per turn, and has neither sources nor words.`);
  if (section.read !== undefined && typeof section.read !== "function") faults.push(`${name}: read is not a function.`);
  if (mutability === "fixed") faults.push(...fixedFaults(section, fallback));
  else if (section.short !== undefined) faults.push(`${name} has a locked short form and is not fixed.`);
  else if (section.wordings !== undefined) faults.push(`${name} has locked wordings and is not fixed.`);
  if (section.compact === "line" && (typeof mutability !== "object" || section.read || section.sources))
    faults.push(`${name} cannot have a compact line: only an amendable text without sources or read brings one.`);
  return faults;
}

function textFaults(section: Section): string[] {
  return texts.flatMap((field) => {
    const value: unknown = section[field];
    if (value === undefined) return [];
    if (typeof value !== "string") return [`“${section.name}”: ${field} is not text.`];
    if (field === "original" || (value.isWellFormed() && !/[\0\uFEFF\u0085]/.test(value))) return [];
    return [`“${section.name}”: ${field} holds a character that no prompt may carry.`];
  });
}

function isMutability(mutability: Mutability | undefined): boolean {
  if (mutability === "fixed" || mutability === "live") return true;
  const actors: unknown = typeof mutability === "object" && mutability !== null ? mutability.amendableBy : undefined;
  return Array.isArray(actors) && actors.every((actor) => ["agent", "user", "operator"].includes(actor));
}

function approvalFaults(name: string, mutability: Mutability): string[] {
  if (typeof mutability !== "object") return [];
  const faults = unknownFields(`${name}: mutability`, mutability, ["amendableBy", "approvedBy"]);
  const { approvedBy } = mutability;
  if (approvedBy === undefined) return faults;
  if (approvedBy !== "operator") faults.push(`${name}: approvedBy is “${approvedBy}”; it can be operator.`);
  else if (!amendableFromInside(mutability))
    faults.push(`${name} is approved by the operator, and nobody else may change it: let amendableBy name who may.`);
  return faults;
}

const choices = {
  scope: ["user"],
  stability: ["stable", "event", "state"],
  trust: ["own", "user", "foreign"],
  compact: ["short", "omit", "line"],
} as const;

function choiceFaults(section: Section): string[] {
  return Object.entries(choices).flatMap(([field, known]) => {
    const value = section[field as keyof typeof choices];
    if (value === undefined || (known as readonly string[]).includes(value)) return [];
    return [`“${section.name}”: ${field} is “${value}”; it can be ${known.join(", ")}.`];
  });
}

function isListOf(value: unknown, type: string): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === type);
}

function fixedFaults(section: Section, fallback: boolean): string[] {
  const name = `“${section.name}”`;
  const faults: string[] = [];
  if (fallback) faults.push(`${name} is fixed, so it cannot be a layer's fallback.`);
  if (!section.words) faults.push(`${name} is fixed and has no words.`);
  if (section.compact === "omit")
    faults.push(`${name} is fixed, so no edition may leave it out; give it a short form.`);
  if (section.compact === "short" && !section.short) faults.push(`${name} has no short form for the compact edition.`);
  if (section.limit) faults.push(`${name} is fixed, so nothing may cut it.`);
  const { wordings } = section;
  if (wordings === undefined) return faults;
  if (!isListOf(wordings, "string")) return [...faults, `${name}: wordings is not a list of lines.`];
  const other = section.words?.split("\n").find((line) => !wordings.includes(line));
  if (other !== undefined) faults.push(`${name} says “${other}”, which is none of its wordings.`);
  return faults;
}
