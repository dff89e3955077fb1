import { isObject, kindOf } from "./argument.ts";
import type { Edition } from "./edition.ts";
import type { Layer } from "./layer.ts";
import { amendableFromInside, type Mutability } from "./mutability.ts";
import type { Trust } from "./part.ts";
import { listed, Problem } from "./problem.ts";
import type { Section, Stability } from "./section.ts";
import { charterFields, layerFields, limitFaults, sectionFaults, unknownFields } from "./section-faults.ts";
import { structureFaults } from "./structure-faults.ts";

/**
 * One step of trimming when a prompt is too long: which parts of which section are shortened, then left out, and from
 * which end.
 */
export type GivesWayRule = {
  readonly section: string;
  /** The kind of part; all parts, unless given. */
  readonly parts?: string;
  /** Which end is given up first. */
  readonly from: "start" | "end";
  /** Only in this edition. */
  readonly edition?: Edition;
  /** "short": they are only shortened, never left out. */
  readonly to?: "short";
  /** How many are always kept. */
  readonly keep?: number;
  /**
   * What the model reads instead of them, with {kept} and {missing}. Parts that a rule with `to: "short"` tells of are
   * not counted by a rule that leaves parts out; without such a rule, what it only shortened counts as missing.
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
  /** Goes between sections; a blank line, unless given. */
  readonly separator?: string;
  /** The largest size of the prompt, and of its compact edition. */
  readonly limit?: Limit & { readonly compact?: Limit };
  /** What is trimmed when the prompt is too long, in this order. */
  readonly givesWay?: readonly GivesWayRule[];
};

/** A section and its layer, as guards are given it. `fallback`: it belongs to the layer's fallback. */
export type PlacedSection = { readonly section: Section; readonly layer: Layer; readonly fallback: boolean };

const known = new WeakMap<Charter, readonly PlacedSection[]>();

/** Every section a charter can show, in order, a layer's fallback after its own. */
export function allSections(charter: Charter): readonly PlacedSection[] {
  return known.get(charter) ?? placeSections(charter);
}

function placeSections(charter: Charter): readonly PlacedSection[] {
  const { faults, isWhole } = shapeFaults(charter);
  if (!isWhole) throw invalidCharter(charter, faults);
  const sections = charter.layers.flatMap((layer) => [
    ...layer.sections.map((section) => ({ section, layer, fallback: false })),
    ...(layer.fallback ?? []).map((section) => ({ section, layer, fallback: true })),
  ]);
  known.set(charter, sections);
  return sections;
}

const names = new WeakMap<Charter, ReadonlySet<string>>();

export function hasSection(charter: Charter, name: string): boolean {
  const known = names.get(charter) ?? new Set(allSections(charter).map(({ section }) => section.name));
  names.set(charter, known);
  return known.has(name);
}

export function sectionMutability(section: Section, layer: Layer): Mutability {
  return section.mutability ?? layer.mutability;
}

/** Words that an agent or a user can change are never taken as the operator's own. */
export function sectionTrust(section: Section, layer: Layer): Trust {
  return section.trust ?? (amendableFromInside(sectionMutability(section, layer)) ? "user" : "own");
}

export function sectionStability(section: Section): Stability {
  return section.stability ?? "stable";
}

/** The section of that name, or the only one of the layer of that name ("6"). */
export function findSection(charter: Charter, name: string): PlacedSection {
  const all = allSections(charter);
  const named = all.find((placed) => placed.section.name === name);
  if (named) return named;
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

/** `isWhole`: its sections can be found, whatever else is wrong with it. */
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
  const twice = charter.layers.find(
    (layer, index) => charter.layers.findIndex((one) => one?.name === layer?.name) < index,
  );
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

function charterFaults(charter: Charter): string[] {
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

/** Can anyone but the operator write in it? */
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
