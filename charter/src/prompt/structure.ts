import { lineKey, space } from "./character.ts";
import type { Layer, Section } from "./section.ts";

/**
 * Structure that nobody else's words may pass for, in one section: headings down to `level`, rules where they part sections, the
 * lines (as `lineKey` has them) and tags by which this charter opens, closes and parts its sections.
 */
export type ForbiddenStructure = {
  readonly level: number;
  readonly rules: boolean;
  readonly lines: ReadonlySet<string>;
  readonly tags: ReadonlySet<string>;
  /** Says that the section stands alone, under no heading: there is nothing its words could pass for. */
  readonly free: boolean;
};

/** Forbids no structure: only what hides the following text is looked for. */
export const nothingForbidden: ForbiddenStructure = {
  level: 0,
  rules: false,
  lines: new Set(),
  tags: new Set(),
  free: false,
};

/** Fields of a charter that say how its sections are parted. */
export type CharterStructure = {
  readonly separator?: string;
  readonly layers: readonly Layer[];
  readonly givesWay?: readonly unknown[];
};

/** Returns the structure that each section's words may not pass for, in the order of the charter's sections. */
export function forbiddenBy(charter: CharterStructure, sections: readonly Section[]): ForbiddenStructure[] {
  const separators = separatorsOf(charter);
  const apart = [...separators, ...sections.flatMap(({ lead, closing }) => [lead, closing])].flatMap(linesOf);
  const headings = sections.flatMap(({ heading }) => linesOf(heading)).filter((line) => !underline.test(line));
  const named = [...apart, ...headings];
  const rules = apart.some((line) => ruleLine.test(line));
  const tags = new Set(named.flatMap(tagNames));
  const levels = sections.map(headingLevel);
  const deepest = Math.max(0, ...levels);
  const free = sections.length === 1 && standsAlone(charter, sections[0] as Section);
  const byLevel = new Map<number, ReadonlySet<string>>();
  let level = 0;
  return levels.map((own) => {
    level = own || level; // a section without a heading of its own stands under the heading before it
    const high = level || deepest; // before all headings, its words could pass for any of them
    let lines = byLevel.get(high);
    if (!lines) {
      lines = new Set(named.filter((line) => isNamed(line, high, rules)).map(lineKey));
      byLevel.set(high, lines);
    }
    return { level: high, rules, lines, tags, free };
  });
}

/** Tells whether a section holds only its words: no heading or literal, and no line that tells of a cut. */
function standsAlone({ givesWay = [] }: CharterStructure, { heading, lead, words, closing, limit }: Section): boolean {
  return givesWay.length === 0 && [heading, lead, words, closing, limit].every((own) => own === undefined);
}

/** Returns the level of the heading a section opens with, as Markdown or HTML has it; 0 when it has none. */
export function headingLevel({ heading = "" }: Section): number {
  const [first = "", second = ""] = heading.trimStart().split("\n");
  const signs = /^(#{1,6})(?:[ \t]|$)/.exec(first)?.[1] ?? "";
  if (signs !== "") return signs.length;
  const line = underline.exec(second);
  if (line && first.trim() !== "") return line[1] ? 1 : 2;
  return Number(/^<h([1-6])\b/i.exec(first)?.[1] ?? 0);
}

const underline = /^[ \t]*(?:(=+)|(-+))[ \t]*$/;
const ruleLine = /^[ \t]*([-*_])(?:[ \t]*\1){2,}[ \t]*$/;

/** Tells whether a line must be compared: neither the level of headings nor the rule against rules covers it. */
function isNamed(line: string, level: number, rules: boolean): boolean {
  if (!visible.test(line) || line.length > maxLineLength) return false;
  if (rules && ruleLine.test(line)) return false;
  return (/^(#{1,6})[ \t]/.exec(line)?.[1]?.length ?? 7) > level;
}

/** Maximum length of a charter's line that words are compared with; a longer one is prose. */
const maxLineLength = 300;

const visible = new RegExp(`(?!${space})\\S`);

function linesOf(text: string | undefined): string[] {
  return (text ?? "").split("\n");
}

/** Lists the tags of a line that is made of tags, or begins with one. */
function tagNames(line: string): string[] {
  if (!/^[ \t]*</.test(line)) return [];
  return [...line.matchAll(/<[ \t]*\/?[ \t]*([A-Za-z][\w:.-]*)/g)]
    .map(([, name = ""]) => name.toLowerCase())
    .filter((name) => !/^(?:h[1-6]|hr)$/.test(name));
}

/** Tells whether a text begins with a blank line, so that it is no part of a paragraph or a quotation above it. */
export function beginsBlank(text: string): boolean {
  return /^[ \t]*\r?\n[ \t]*\r?\n/.test(text);
}

function separatorsOf(charter: CharterStructure): string[] {
  return [charter.separator ?? "", ...charter.layers.map((layer) => layer.separator ?? "")];
}
