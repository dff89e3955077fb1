import {
  allSections,
  type Charter,
  defineCharter,
  type Edition,
  type GivesWayRule,
  sectionMutability,
  sectionStability,
  sectionTrust,
} from "./charter.ts";
import { Problem } from "./problem.ts";
import type { Notice, Part, Reading, Trust } from "./reading.ts";
import type { Layer, Mutability, Section, Stability } from "./section.ts";
import { beginsBlank, type ForbiddenStructure, forbiddenBy, nothingForbidden } from "./structure.ts";
import { createPiece, type Piece } from "./tokens.ts";

/** The parts an edition left out, by kind: how many, and the line that tells the model. */
export type LeftOutParts = ReadonlyMap<string, { readonly line: Part; readonly missing: number }>;

/** A section's words as they stand in a prompt, without the separator that follows them. */
export type Rendering = {
  /**
   * The reading it was rendered from, and its part where that is the only one: in the common case nothing changed, and both are
   * compared first.
   */
  reading: Reading | undefined;
  only: Part | undefined;
  readonly planned: PlannedSection;
  readonly edition: Edition;
  readonly parts: readonly Part[];
  /** Says that every part shows its own words, neither fenced nor made inert. */
  readonly plain: boolean;
  /** Says that the section's separator, which ends a line, stands between all parts. */
  readonly parted: boolean;
  /**
   * Says that there is one part, no told line, without a shorter form (`single`); that a part stands under another (`nested`);
   * that one has a short form (`shortens`).
   */
  readonly single: boolean;
  readonly nested: boolean;
  readonly shortens: boolean;
  readonly cuts: readonly Cut[];
  readonly told: LeftOutParts | undefined;
  /** The rule that left its only part out, and put a told line there. */
  readonly droppedBy: GivesWayRule | undefined;
  /** The text that each part shows. */
  texts: readonly string[];
  /** Says that the texts were checked, and characters no prompt may carry mended or stripped. */
  sound: boolean;
  /** The parts of sources that were mended, and the one in which the limit of every section cut. */
  readonly mended: Part[];
  readonly overlong: Part | undefined;
  /** The notice that a source's own text has a line by which the charter opens a section; null once there is none. */
  repeated: Notice | null | undefined;
  /** The whole text and its pieces, with this separator after them; made when first asked for. */
  text: string | undefined;
  pieces: readonly Piece[] | undefined;
  separator: string;
  /** Says that it stood in a prompt: its text is kept from the second one on. */
  stood: boolean;
  /**
   * The size of the pieces, and what it was measured by. `opens`, `ends`: tokens can be counted separately before them, and
   * after.
   */
  size: number;
  sizedBy: unknown;
  opens: boolean;
  ends: boolean;
};

/** A section with everything that is worked out about it once, and its earlier renderings. */
export type PlannedSection = {
  readonly name: string;
  readonly section: Section;
  readonly layer: Layer;
  readonly index: number;
  readonly mutability: Mutability;
  readonly trust: Trust;
  readonly stability: Stability;
  readonly read: boolean;
  readonly forbidden: ForbiddenStructure;
  /** The text before its parts, by edition. */
  readonly opening: Readonly<Record<Edition, string>>;
  /** The fixed words inside the opening, by edition; empty when it has none. */
  readonly fixed: Readonly<Record<Edition, string>>;
  readonly separator: string;
  /** Says that its separator ends a line, and that its words are no stranger's unless a part says so. */
  readonly plainGaps: boolean;
  /** The line ends that others' words at its end need, so that a blank line follows: before its closing, before the separator. */
  readonly quotationEnd: string;
  readonly wordsEnd: string;
  /** The separator after it, when the next section is of the same layer (`within`), or of another (`after`). */
  readonly within: string;
  readonly after: string;
  readonly rules: readonly GivesWayRule[];
  readonly pieces: WeakMap<Part, Piece>;
  readonly forms: WeakMap<Part, Part>;
  readonly told: Map<string, Part>;
  /** The two newest renderings. */
  newest: Rendering | undefined;
  previous: Rendering | undefined;
};

type LayerPlan = {
  readonly own: readonly PlannedSection[];
  readonly fallback: readonly PlannedSection[];
  /** The separator between its sections. */
  readonly within: string;
};

/** A rule with the index of its section, and the section's rendering after the rule took its only part. */
export type PlannedRule = {
  readonly rule: GivesWayRule;
  readonly index: number;
  /** Says that the rule leaves parts out altogether, and all of them; then the kind of part and the edition it is for. */
  readonly takesAll: boolean;
  readonly kind: string | undefined;
  readonly edition: Edition | undefined;
  readonly dropped: Record<Edition, Rendering | undefined>;
};

/** A charter with everything that is worked out about it once; kept as long as the charter lives. */
export type Plan = {
  readonly charter: Charter;
  readonly layers: readonly LayerPlan[];
  /** The separator between two layers. */
  readonly between: string;
  readonly sections: readonly PlannedSection[];
  readonly byName: ReadonlyMap<string, PlannedSection>;
  /** `givesWay` in order. */
  readonly rules: readonly PlannedRule[];
  readonly fixedCount: number;
  /** Says that a section of state or events exists. */
  readonly moves: boolean;
  /** Finds a heading of the charter in a text; undefined where no source's text counts as own. */
  readonly headings: RegExp | undefined;
  /** The room that state and event sections are promised, in all. */
  readonly reserve: { readonly chars: number; readonly tokens: number };
};

const plans = new WeakMap<Charter, Plan>();

export function planOf(charter: Charter): Plan {
  const known = plans.get(charter);
  if (known) return known;
  const plan = makePlan(defineCharter(charter));
  plans.set(charter, plan);
  return plan;
}

/** Returns the structure that the words of one section may not pass for. */
export function forbiddenFor(charter: Charter, section: string): ForbiddenStructure {
  return planOf(charter).byName.get(section)?.forbidden ?? nothingForbidden;
}

function makePlan(charter: Charter): Plan {
  // Map.groupBy is the newest feature used: Node has it from 21 on, and everything else from 22.18 on.
  if (typeof Map.groupBy !== "function")
    throw new Problem(
      "node-too-old",
      "This JavaScript engine is too old.",
      "Use Node 22.18 or newer, or a browser of 2024 or newer.",
    );
  const rulesOf = Map.groupBy(charter.givesWay ?? [], (rule) => rule.section);
  const between = charter.separator ?? "\n\n";
  const all = allSections(charter);
  const forbidden = forbiddenBy(
    charter,
    all.map(({ section }) => section),
  );
  const sections = all.map(({ section, layer }, index): PlannedSection => {
    const trust = sectionTrust(section, layer);
    const separator = section.separator ?? "\n";
    const end = endBefore([layer.separator ?? between, between]);
    const opening = { full: openingOf(section, section.words), compact: openingOf(section, shortWords(section)) };
    // Fields that every prompt looks at come first, close together in memory.
    return {
      name: section.name,
      newest: undefined,
      previous: undefined,
      section,
      layer,
      index,
      mutability: sectionMutability(section, layer),
      trust,
      stability: sectionStability(section),
      read: section.sources !== undefined || typeof sectionMutability(section, layer) === "object",
      forbidden: forbidden[index] as ForbiddenStructure,
      opening,
      fixed: { full: section.words ?? "", compact: shortWords(section) ?? "" },
      separator,
      plainGaps: separator.includes("\n") && trust !== "foreign",
      quotationEnd: section.closing === undefined ? end : "\n",
      wordsEnd: section.closing === undefined ? end : "",
      within: layer.separator ?? between,
      after: between,
      rules: rulesOf.get(section.name) ?? [],
      pieces: new WeakMap(),
      forms: new WeakMap(),
      told: new Map(),
    };
  });
  const byName = new Map(sections.map((planned) => [planned.section.name, planned]));
  const placed = new Map(sections.map((planned) => [planned.section, planned]));
  const moving = sections.filter((planned) => planned.stability !== "stable");
  return {
    charter,
    sections,
    byName,
    layers: charter.layers.map((layer) => ({
      own: layer.sections.map((section) => placed.get(section) as PlannedSection),
      fallback: (layer.fallback ?? []).map((section) => placed.get(section) as PlannedSection),
      within: layer.separator ?? between,
    })),
    between,
    rules: (charter.givesWay ?? []).map((rule) => ({
      rule,
      index: (byName.get(rule.section) as PlannedSection).index,
      takesAll: !rule.keep && !rule.to,
      kind: rule.parts,
      edition: rule.edition,
      dropped: { full: undefined, compact: undefined },
    })),
    fixedCount: sections.filter((planned) => planned.mutability === "fixed").length,
    moves: moving.length > 0,
    headings: headingsOf(sections),
    reserve: {
      chars: moving.reduce((sum, { section }) => sum + (section.reserve?.chars ?? 0), 0),
      tokens: moving.reduce((sum, { section }) => sum + (section.reserve?.tokens ?? 0), 0),
    },
  };
}

/** Returns a pattern of the lines by which sections open, if any source's text stands among them unescaped. */
function headingsOf(sections: readonly PlannedSection[]): RegExp | undefined {
  const lines = sections.flatMap(({ section: { heading = "" } }) =>
    heading.split("\n").filter((one) => /\p{L}/u.test(one)),
  );
  if (lines.length === 0 || !sections.some(({ section, trust }) => section.sources && trust === "own"))
    return undefined;
  const escaped = (word: string) => word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  const patterns = lines.map((line) => line.trim().split(/\s+/).map(escaped).join("[ \\t]+"));
  return new RegExp(`^[ \\t]{0,3}(?:${patterns.join("|")})[ \\t#]*$`, "im");
}

function endBefore(separators: readonly string[]): string {
  if (separators.every(beginsBlank)) return "";
  return separators.every((separator) => separator.startsWith("\n")) ? "\n" : "\n\n";
}

function shortWords(section: Section): string | undefined {
  return section.compact === "short" ? (section.short ?? section.words) : section.words;
}

function openingOf(section: Section, words: string | undefined): string {
  return (section.lead ?? "") + [section.heading, words].filter((text) => text !== undefined).join("\n");
}

/**
 * The amount a section gave up to fit: its form now, how much is kept and missing, and why. “shortened”: the missing parts are
 * there in their short form.
 */
export type Cut = {
  readonly section: string;
  readonly form: "shorter" | "shortened" | "compact" | "dropped";
  readonly kept: number;
  readonly missing: number;
  /** The unit of `kept` and `missing`: characters, or a kind of part. */
  readonly unit: string;
  readonly because: string;
};

/** A section that is not in the prompt, and the reason. */
export type Omission = {
  readonly name: string;
  readonly reason: "empty" | "unavailable" | "gave-way" | "not-in-edition";
};

/** Fills the numbers into the line that tells the model of a cut. */
function toldText(told: string, kept: number, missing: number): string {
  return told.replaceAll("{kept}", String(kept)).replaceAll("{missing}", String(missing));
}

export function canShorten({ short, text }: Part): boolean {
  return short !== undefined && short.length < text.length;
}

/** Returns a part in its short form: one object for one part and its words, so that its token count is found again. */
export function shortOf({ forms }: PlannedSection, part: Part): Part {
  const { short: text = part.text } = part;
  const known = text === part.text ? part : forms.get(part);
  if (known?.text === text) return known;
  const form = { ...part, text };
  forms.set(part, form);
  return form;
}

/** Returns the line that tells the model of a cut, as a part of the section it stands in: one part for one text. */
export function toldPart({ told: known }: PlannedSection, told: string, kept: number, missing: number): Part {
  // No text has a NUL, so a key that begins with one finds a part before its text is made.
  const numbers = `\0${kept} ${missing} ${told}`;
  let part = known.get(numbers);
  if (part) return part;
  const text = toldText(told, kept, missing);
  if (known.size > 2000) known.clear();
  part = known.get(text) ?? { text, kind: "told", source: "charter", trust: "own" };
  known.set(text, part).set(numbers, part);
  return part;
}

/** Returns a part's piece: one object for one part, so that its token count is found again. */
export function pieceFor(planned: PlannedSection, part: Part, shown: string, gap: string): Piece {
  const newest = planned.pieces.get(part);
  for (let piece = newest; piece !== undefined; piece = piece.other)
    if (piece.gap === gap && piece.shown === shown) return piece;
  const piece = createPiece(shown, gap, newest);
  planned.pieces.set(part, piece);
  return piece;
}
