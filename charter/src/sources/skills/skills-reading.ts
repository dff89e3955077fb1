import { invisible } from "../../prompt/character.ts";
import { grouped } from "../../prompt/problem.ts";
import { type Part, present, type Reading } from "../../prompt/reading.ts";
import type { Wording } from "../disk/findings.ts";
import { type Skill, skillLimits } from "./skill.ts";

const readings = new WeakMap<readonly Skill[], { readonly max: number; readonly reading: Reading }>();
const toldParts = new Map<number, Part>();

/**
 * Makes a reading of a list of skills: sorted, each name once, without hidden ones, within `maxBytes`. For skills you
 * found yourself; `openProject` finds and reads them.
 */
export function skillsReading(
  skills: readonly Skill[],
  wording: Wording = "charter",
  maxBytes: number = skillLimits.listing,
): Reading {
  if (wording === "pi") return present(skills.filter(({ hidden }) => !hidden).map(piSkillPart));
  const known = readings.get(skills);
  if (known?.max === maxBytes) return known.reading;
  const reading = cutReading(sortedSkills(skills), maxBytes);
  readings.set(skills, { max: maxBytes, reading });
  return reading;
}

/** One of each name, the first. */
function sortedSkills(skills: readonly Skill[]): Skill[] {
  const byName = new Map<string, Skill>();
  for (const skill of skills) if (!byName.has(skill.name)) byName.set(skill.name, skill);
  return [...byName.values()].sort(inOrder);
}

/** By name in code-unit order, which no directory and no locale changes. */
export function inOrder(a: Skill, b: Skill): number {
  return a.name < b.name ? -1 : 1;
}

/** Those of the sorted skills that a listing of so many bytes shows, its last line counted when it does not show all. */
export function shownSkills(sorted: readonly Skill[], maxBytes: number): readonly Skill[] {
  const listed = sorted.filter(({ hidden }) => !hidden);
  const sizes = listed.map((skill) => Buffer.byteLength(skillPart(skill).text) + 1);
  if (sizes.reduce((sum, size) => sum + size, -1) <= maxBytes) return listed;
  let left = maxBytes - Buffer.byteLength(toldText(listed.length));
  const end = sizes.findIndex((size) => {
    left -= size;
    return left < 0;
  });
  return listed.slice(0, end);
}

function cutReading(sorted: readonly Skill[], max: number): Reading {
  const shown = shownSkills(sorted, max);
  const all = sorted.filter(({ hidden }) => !hidden).length;
  const missing = all - shown.length;
  if (missing === 0) return present(shown.map(skillPart));
  const message = `The listing of skills has room for ${grouped(max)} bytes: ${grouped(missing)} of ${grouped(all)} skills, the last by name, were left out. Hide some (“disable-model-invocation: true”) or move them away.`;
  return {
    status: "present",
    parts: [...shown.map(skillPart), toldPart(missing)],
    notices: [{ code: "skills-left-out", message }],
  };
}

function toldText(missing: number): string {
  return `  <!-- ${missing} more skills were left out to fit -->`;
}

function toldPart(missing: number): Part {
  const part = toldParts.get(missing) ?? { text: toldText(missing), kind: "told", id: "skills-left-out" };
  toldParts.set(missing, part);
  return part;
}

const parts = new WeakMap<Skill, Part>();
const piParts = new WeakMap<Skill, Part>();

/** A skill's lines in the listing. A name and a location have one line each, whatever is in them. */
export function skillPart(skill: Skill): Part {
  return parts.get(skill) ?? keep(parts, skill, onOneLine(xml(skill.name)), onOneLine(xml(skill.location)));
}

/** As pi writes it. */
function piSkillPart(skill: Skill): Part {
  return piParts.get(skill) ?? keep(piParts, skill, xml(skill.name), xml(skill.location));
}

function keep(kept: WeakMap<Skill, Part>, skill: Skill, name: string, location: string): Part {
  const part = {
    text: `  <skill>\n    <name>${name}</name>\n    <description>${xml(skill.description)}</description>\n    <location>${location}</location>\n  </skill>`,
    kind: "skill",
    id: `skill:${skill.name}`,
    source: skill.location,
  };
  kept.set(skill, part);
  return part;
}

const needsEscape = /[&<>"']/;
const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

function xml(words: string): string {
  return needsEscape.test(words) ? words.replace(/[&<>"']/g, (character) => escapes[character] as string) : words;
}

const breaksLines = new RegExp(`\\n|${invisible.source}`, "gu");

function onOneLine(words: string): string {
  if (!/[^\x20-\x7E]/.test(words)) return words;
  return words.replace(breaksLines, (character) => `&#x${(character.codePointAt(0) as number).toString(16)};`);
}
