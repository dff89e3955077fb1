import { isObject, isRecord, kindOf } from "./argument.ts";
import { placesIn } from "./forgery.ts";
import { listed, Problem } from "./problem.ts";
import type { Trust } from "./reading.ts";
import {
  type Actor,
  amendableFromInside,
  type Layer,
  type Mutability,
  type Section,
  type SectionScope,
  type Stability,
} from "./section.ts";
import { beginsBlank, type CharterStructure, nothingForbidden } from "./structure.ts";

/**
 * A step of trimming when a prompt is too long: which parts of which section are shortened, then left out, and from which end.
 */
export type GivesWayRule = {
  readonly section: string;
  /** The kind of part; all parts, unless given. */
  readonly parts?: string;
  /** The end whose parts are given up first. */
  readonly from: "start" | "end";
  /** The edition the rule holds for; both, unless given. */
  readonly edition?: Edition;
  /** "short": the parts are only shortened, never left out. */
  readonly to?: "short";
  /** Number of parts that are always kept. */
  readonly keep?: number;
  /**
   * The line the model reads instead of the missing parts, with {kept} and {missing}. Parts that a rule with `to: "short"` tells
   * of are not counted by a rule that leaves parts out; without such a rule, a part that was only shortened counts as missing.
   */
  readonly told: string;
};

/** The largest size of a prompt, in tokens, in characters or both. */
export type Limit = { readonly tokens?: number; readonly chars?: number };

/**
 * The declared shape of an agent's prompt: layers in order of precedence, the sections of each, who may change them,
 * and what is trimmed first when there is not enough room.
 */
export type Charter = {
  readonly name: string;
  readonly layers: readonly Layer[];
  /** The text between sections; a blank line, unless given. */
  readonly separator?: string;
  /** The largest size of the prompt, and of its compact edition. */
  readonly limit?: Limit & { readonly compact?: Limit };
  /** Rules for what is trimmed when the prompt is too long, in this order. */
  readonly givesWay?: readonly GivesWayRule[];
};

/** A section and its layer, as guards are given them. `fallback`: it belongs to the layer's fallback. */
export type PlacedSection = { readonly section: Section; readonly layer: Layer; readonly fallback: boolean };

const sectionsOfCharter = new WeakMap<Charter, readonly PlacedSection[]>();

/** Lists every section a charter can show, in order, a layer's fallback after its own sections. */
export function allSections(charter: Charter): readonly PlacedSection[] {
  return sectionsOfCharter.get(charter) ?? placeSections(charter);
}

function placeSections(charter: Charter): readonly PlacedSection[] {
  const { faults, isWhole } = shapeFaults(charter);
  if (!isWhole) throw invalidCharter(charter, faults);
  const sections = charter.layers.flatMap((layer) => [
    ...layer.sections.map((section) => ({ section, layer, fallback: false })),
    ...(layer.fallback ?? []).map((section) => ({ section, layer, fallback: true })),
  ]);
  sectionsOfCharter.set(charter, sections);
  return sections;
}

const namesOfCharter = new WeakMap<Charter, ReadonlySet<string>>();

export function hasSection(charter: Charter, name: string): boolean {
  const known = namesOfCharter.get(charter) ?? new Set(allSections(charter).map(({ section }) => section.name));
  namesOfCharter.set(charter, known);
  return known.has(name);
}

export function sectionMutability(section: Section, layer: Layer): Mutability {
  return section.mutability ?? layer.mutability;
}

/** Tells whether an actor is among those who may change a section. */
export function mayAmend({ section, layer }: Pick<PlacedSection, "section" | "layer">, actor: Actor): boolean {
  const mutability = sectionMutability(section, layer);
  return typeof mutability === "object" && (mutability.amendableBy as readonly Actor[]).includes(actor);
}

/** Tells whether each user has a copy of a section, or all users of the agent share one. */
export function sectionScope(section: Section, layer: Layer): SectionScope {
  const mutability = sectionMutability(section, layer);
  return (typeof mutability === "object" && mutability.scope) || "agent";
}

/** Returns whose words a section holds. Words that an agent or a user can change are never taken as the operator's own. */
export function sectionTrust(section: Section, layer: Layer): Trust {
  return section.trust ?? (amendableFromInside(sectionMutability(section, layer)) ? "user" : "own");
}

export function sectionStability(section: Section): Stability {
  return section.stability ?? "stable";
}

/** Finds the section of that name, or the only section of the layer of that name ("6"). */
export function findSection(charter: Charter, name: string): PlacedSection {
  const all = allSections(charter);
  const match = all.find((placed) => placed.section.name === name);
  if (match) return match;
  const ofLayer = all.filter((placed) => placed.layer.name === name);
  if (ofLayer.length === 1) return ofLayer[0] as PlacedSection;
  throw new Problem(
    "unknown-section",
    `The charter “${charter.name}” has no section “${name}”.`,
    `Its sections are ${listed(all.map((placed) => placed.section.name))}.`,
  );
}

const checked = new WeakSet<Charter>();

/**
 * Checks a charter and freezes it, so that nothing in it changes later. All mistakes are named at once, in one Problem.
 */
export function defineCharter(charter: Charter): Charter {
  if (checked.has(charter)) return charter;
  const faults = charterFaults(charter);
  if (faults.length > 0) throw invalidCharter(charter, faults);
  for (const { section, layer } of allSections(charter)) {
    for (const value of [
      section,
      section.limit,
      section.reserve,
      section.sources,
      layer,
      layer.sections,
      layer.fallback,
    ])
      Object.freeze(value);
    for (const mutability of [section.mutability, layer.mutability])
      if (typeof mutability === "object") Object.freeze(Object.freeze(mutability).amendableBy);
  }
  Object.freeze(charter.layers);
  checked.add(Object.freeze(charter));
  return charter;
}

function invalidCharter(charter: Charter, faults: readonly string[]): Problem {
  const name = typeof charter?.name === "string" ? charter.name : "?";
  return new Problem(
    "charter-invalid",
    `The charter “${name}” cannot be used: ${faults.join(" ")}`,
    "Fix the declaration; docs/charters.md shows every field.",
  );
}

/** The mistakes in a charter's shape. `isWhole`: its sections can be listed, whatever else is wrong with it. */
type ShapeFaults = { readonly faults: string[]; readonly isWhole: boolean };

function shapeFaults(charter: Charter): ShapeFaults {
  const faults: string[] = [];
  const broken = (fault: string): ShapeFaults => ({ faults: [...faults, fault], isWhole: false });
  if (!isObject(charter) || Array.isArray(charter))
    return broken(`It is ${kindOf(charter)}, where a charter is expected.`);
  if ("charter" in charter) return broken("It is a declaration: give its `charter`.");
  if (typeof charter.name !== "string" || charter.name === "") faults.push("It has no name.");
  faults.push(...unknownFields("The charter", charter, charterFields));
  if (charter.givesWay !== undefined && !isListOfObjects(charter.givesWay))
    faults.push("“givesWay” is not a list of rules.");
  if (!Array.isArray(charter.layers)) return broken("“layers” is not a list.");
  faults.push(...limitFaults("limit", charter.limit, ["tokens", "chars", "compact"]));
  faults.push(...limitFaults("limit.compact", charter.limit?.compact, ["tokens", "chars"]));
  const names = new Set<unknown>();
  const twice = charter.layers.find((layer) => names.size === names.add(layer?.name).size);
  if (twice) faults.push(`Two layers are called “${twice.name}”.`);
  for (const [index, layer] of charter.layers.entries()) {
    const sound =
      layer && Array.isArray(layer.sections) && (layer.fallback === undefined || Array.isArray(layer.fallback));
    if (!sound) return broken(`Layer ${index + 1} has no list of sections.`);
    faults.push(...unknownFields(`Layer “${layer.name}”`, layer, layerFields));
    for (const section of [...layer.sections, ...(layer.fallback ?? [])])
      if (typeof section?.name !== "string" || section.name === "") return broken("A section has no name.");
  }
  return { faults, isWhole: true };
}

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.every(isObject);
}

/** Lists the mistakes in a charter. */
export function charterFaults(charter: Charter): string[] {
  const { faults, isWhole } = shapeFaults(charter);
  if (!isWhole) return faults;
  const all = allSections(charter);
  if (all.length === 0) faults.push("It has no sections.");
  const byName = new Map<string, PlacedSection>();
  const others: PlacedSection[] = [];
  let changeable: string | undefined;
  for (const placed of all) {
    const { section, layer } = placed;
    if (byName.has(section.name)) faults.push(`Two sections are called “${section.name}”.`);
    byName.set(section.name, placed);
    const own = sectionFaults(placed);
    faults.push(...own);
    if (own.length > 0) continue;
    if (isOthers(placed)) others.push(placed);
    const mutability = sectionMutability(section, layer);
    if (mutability === "fixed" && changeable)
      faults.push(`The fixed section “${section.name}” comes after “${changeable}”, which others can change.`);
    const settings = mutability !== "fixed" || section.sources !== undefined;
    if (amendableFromInside(mutability) || (settings && sectionTrust(section, layer) !== "own"))
      changeable ??= section.name;
  }
  return [...faults, ...structureFaults(charter, all, others), ...givesWayFaults(charter, byName)];
}

/** Tells whether anyone but the operator can write in a section. */
function isOthers({ section, layer }: PlacedSection): boolean {
  const mutability = sectionMutability(section, layer);
  return amendableFromInside(mutability) || (mutability !== "fixed" && sectionTrust(section, layer) !== "own");
}

function givesWayFaults({ givesWay = [] }: Charter, byName: ReadonlyMap<string, PlacedSection>): string[] {
  const faults: string[] = [];
  let stable: string | undefined;
  for (const rule of isListOfObjects(givesWay) ? givesWay : []) {
    const placed = byName.get(rule.section);
    if (!placed) faults.push(`givesWay names “${rule.section}”, which is no section.`);
    else if (sectionMutability(placed.section, placed.layer) === "fixed")
      faults.push(`givesWay names “${rule.section}”, which is fixed.`);
    else if (sectionStability(placed.section) === "stable") stable ??= rule.section;
    if (!rule.told) faults.push(`givesWay for “${rule.section}” has no told: a cut must be told to the model.`);
  }
  for (const { section } of byName.values())
    if (stable && sectionStability(section) !== "stable" && !section.reserve)
      faults.push(
        `“${section.name}” is ${section.stability} without a reserve, so what “${stable}” gives up would depend on it.`,
      );
  return faults;
}

/** The amount of a charter that a prompt contains: everything, or the compact form for small context windows. */
export type Edition = "full" | "compact";

export function parseEdition(name: string): Edition {
  if (name === "full" || name === "compact") return name;
  throw new Problem("unknown-edition", `There is no edition “${name}”.`, "The editions are full and compact.");
}

/**
 * Returns a charter as plain data, without its sources, to send it as JSON to a browser or a worker that has the readings.
 * `assemble` makes the same prompt of it there.
 *
 * A section with sources keeps an empty list of them, so that a missing reading is still noticed.
 */
export function charterData(charter: Charter): Charter {
  return JSON.parse(
    JSON.stringify(defineCharter(charter), (field, value) => (field === "sources" ? [] : finite(value))),
  );
}

/** Replaces infinity, which JSON cannot write, by the greatest safe integer. */
function finite(value: unknown): unknown {
  return value === Number.POSITIVE_INFINITY ? Number.MAX_SAFE_INTEGER : value;
}

const charterFields = ["name", "layers", "separator", "limit", "givesWay"];
const layerFields = ["name", "owner", "mutability", "sections", "fallback", "separator"];
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
  "replaced",
];

/**
 * Lists fields that are not known. An unknown field is a misspelled one, and what it was meant to set would silently not hold.
 */
function unknownFields(what: string, thing: object, known: readonly string[]): string[] {
  const unknown = Object.keys(thing).filter((field) => !known.includes(field));
  return unknown.map((field) => `${what} has no field “${field}”; there are ${known.join(", ")}.`);
}

/** Lists what is wrong with a limit. A limit under an unknown name would be none at all. */
function limitFaults(what: string, limit: unknown, known: readonly string[]): string[] {
  if (limit === undefined) return [];
  if (!isRecord(limit)) return [`${what} is ${kindOf(limit)}; it is { ${known.join(", ")} }.`];
  return unknownFields(what, limit, known);
}

/** Lists what is wrong with the declaration of one section. */
function sectionFaults({ section, layer, fallback }: { section: Section; layer: Layer; fallback: boolean }): string[] {
  const name = `“${section.name}”`;
  const faults = [...unknownFields(name, section, sectionFields), ...textFaults(section)];
  const mutability = section.mutability ?? layer.mutability;
  if (!isMutability(mutability)) {
    const shown = mutability === undefined ? "nothing" : JSON.stringify(mutability);
    faults.push(`${name} says ${shown} of who may change it; say "fixed", "live" or { amendableBy, scope }.`);
    return faults;
  }
  faults.push(...limitFaults(`${name}: limit`, section.limit, ["chars", "told"]));
  faults.push(...limitFaults(`${name}: reserve`, section.reserve, ["chars", "tokens"]));
  faults.push(...amendableFaults(name, mutability));
  faults.push(...choiceFaults(section));
  if (section.sources !== undefined && section.trust === undefined)
    faults.push(
      `${name} has sources and says no trust: say whose words they bring: "own" (the operator's or your code's), "user" (the turn's user's or the agent's) or "foreign" (anybody else's; they are quoted).`,
    );
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
    if (value.isWellFormed() && !(field === "original" ? /\0/ : /[\0\uFEFF\u0085]/).test(value)) return [];
    return [`“${section.name}”: ${field} holds a character that no prompt may carry.`];
  });
}

function isMutability(mutability: Mutability | undefined): boolean {
  if (mutability === "fixed" || mutability === "live") return true;
  const actors: unknown = typeof mutability === "object" && mutability !== null ? mutability.amendableBy : undefined;
  return Array.isArray(actors) && actors.every((actor) => ["agent", "user", "operator"].includes(actor));
}

function amendableFaults(name: string, mutability: Mutability): string[] {
  if (typeof mutability !== "object") return [];
  const faults = unknownFields(`${name}: mutability`, mutability, ["amendableBy", "scope", "approvedBy"]);
  const { scope, approvedBy }: { readonly scope?: unknown; readonly approvedBy?: unknown } = mutability;
  const isShared = !amendableFromInside(mutability);
  if (approvedBy !== undefined && approvedBy !== "operator" && approvedBy !== "nobody")
    faults.push(`${name}: approvedBy is “${approvedBy}”; it can be operator, nobody.`);
  else if (approvedBy !== undefined && isShared)
    faults.push(`${name} is approved by the ${approvedBy}, and only the operator may change it: leave approvedBy out.`);
  if (scope === undefined ? !isShared : scope !== "user" && scope !== "agent")
    faults.push(
      `${name}: mutability says ${scope === undefined ? "no scope" : `the scope ${JSON.stringify(scope)}`}: say scope: "user" (each user has a copy of their own) or scope: "agent" (one text that all users of the agent are sent).`,
    );
  else if (scope === "user" && isShared)
    faults.push(`${name} is changed by the operator alone, so it is everybody's: leave its scope "user" out.`);
  return faults;
}

const choices = {
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

type SectionInLayer = { readonly section: Section; readonly layer: Layer };

/** Lists structure of the charter that cannot be told from words that `others` write next to it. */
function structureFaults(
  charter: CharterStructure,
  all: readonly SectionInLayer[],
  others: readonly SectionInLayer[],
): string[] {
  const [only] = all;
  if (others.length === 0 || (all.length === 1 && only?.section.heading === undefined)) return [];
  const faults = all.length > 1 ? separatorFaults("The separator between sections", charter.separator) : [];
  for (const layer of charter.layers)
    if (others.some((placed) => placed.layer === layer))
      faults.push(...separatorFaults(`The separator of layer “${layer.name}”`, layer.separator));
  for (const { section } of others) {
    faults.push(...partFaults(section));
    for (const field of ["lead", "heading", "words", "closing"] as const)
      if (hides(section[field]))
        faults.push(
          `“${section.name}”: ${field} opens a code fence or HTML that hides what follows; use a heading (## ${section.name}) or a tag (<${section.name}>).`,
        );
  }
  return faults;
}

/**
 * Checks that a separator begins with a blank line. Without one, a rule makes a heading of the paragraph above it, and a heading
 * becomes part of that paragraph.
 */
function separatorFaults(what: string, separator: unknown): string[] {
  if (typeof separator !== "string" || (beginsBlank(separator) && /\n[ \t]*$/.test(separator))) return [];
  return [`${what}, ${JSON.stringify(separator)}, runs into the words of others; ${separatorHint(separator)}.`];
}

function partFaults({ name, separator }: Section): string[] {
  if (separator === undefined || separator.trim() === "" || !separator.includes("\n") || beginsBlank(separator))
    return [];
  return [
    `“${name}”: the separator of its parts, ${JSON.stringify(separator)}, runs into the words of others; ${separatorHint(separator)}.`,
  ];
}

function separatorHint(separator: string): string {
  const seen = separator.trim();
  return `write ${JSON.stringify(seen === "" ? "\n\n" : `\n\n${seen}\n\n`)}`;
}

function hides(text: string | undefined): boolean {
  return text !== undefined && placesIn(text, nothingForbidden).places.some(({ certainty }) => certainty === "hides");
}
