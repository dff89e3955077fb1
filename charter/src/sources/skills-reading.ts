import type { Part } from "../prompt/part.ts";
import { present, type Reading } from "../prompt/reading.ts";
import type { Skill } from "./skill.ts";

const parts = new WeakMap<Skill, Part>();

/** Skills as parts: sorted, the first of a name, hidden ones left out. */
export function skillsReading(skills: readonly Skill[]): Reading {
  const byName = new Map<string, Skill>();
  for (const skill of skills) if (!byName.has(skill.name)) byName.set(skill.name, skill);
  const shown = [...byName.values()].filter(({ hidden }) => !hidden).sort((a, b) => (a.name < b.name ? -1 : 1));
  return present(shown.map(partOf));
}

function partOf(skill: Skill): Part {
  const known = parts.get(skill);
  if (known) return known;
  const { name, description, location } = skill;
  const part = {
    text: `  <skill>\n    <name>${xml(name)}</name>\n    <description>${xml(description)}</description>\n    <location>${xml(location)}</location>\n  </skill>`,
    kind: "skill",
    id: `skill:${name}`,
    source: location,
  };
  parts.set(skill, part);
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
