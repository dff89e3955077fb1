import { invisible } from "../../prompt/character.ts";
import type { Part } from "../../prompt/reading.ts";
import type { Skill } from "./skill.ts";

const parts = new WeakMap<Skill, Part>();
const piParts = new WeakMap<Skill, Part>();

/** A skill's lines in the listing. A name and a location have one line each, whatever is in them. */
export function skillPart(skill: Skill): Part {
  return parts.get(skill) ?? keep(parts, skill, onOneLine(xml(skill.name)), onOneLine(xml(skill.location)));
}

/** As pi writes it. */
export function piSkillPart(skill: Skill): Part {
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
