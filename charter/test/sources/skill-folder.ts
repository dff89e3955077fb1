import { expect } from "vitest";
import { type Disk, disk } from "../../src/sources/disk/disk.ts";
import { createFiles } from "../../src/sources/disk/file.ts";
import type { SkillLimits } from "../../src/sources/skills/skill.ts";
import { createSkills, type SkillListing, type SkillRoot, skillsReading } from "../../src/sources/skills/skills.ts";
import { later, type Place } from "./place.ts";

export const skillText = (name: string, description = `Does ${name}.`) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\nDo it.\n`;

/** The skills of a place, looked for on a disk of one's own. */
export function finderOf(
  place: Place,
  { on = disk, limits = {}, now = later }: { on?: Disk; limits?: Partial<SkillLimits>; now?: () => number } = {},
) {
  const finder = createSkills({ disk: on, files: createFiles(on, now), limits, now });
  const root: SkillRoot = { path: place.root, place: "named", optional: false };
  return { ...finder, look: (...roots: SkillRoot[]): SkillListing => finder.look(roots.length > 0 ? roots : [root]) };
}

/** Name and place of each skill, without the directory they are all in. */
export function namesOf(place: Place, { skills }: SkillListing): string[] {
  return skills.map(({ name, location }) => `${name} ${location.replace(`${place.root}/`, "")}`);
}

/** What was said, with the root as “~”. */
export function toldOf(place: Place, { diagnostics }: SkillListing): string[] {
  return diagnostics.map(({ severity, code, path, message }) => {
    expect(path.startsWith(place.root)).toBe(true);
    return `${severity} ${code}: ${message}`.replaceAll(place.root, "~");
  });
}

/** What was considered and not used, or only in part, with the root as “~”. */
export function unusedOf(place: Place, { considered }: SkillListing): string[] {
  return considered.flatMap(({ path, reason }) =>
    reason === undefined ? [] : [`${path}: ${reason}`.replaceAll(place.root, "~")],
  );
}

export function listingOf(place: Place, { skills }: SkillListing): string {
  const reading = skillsReading(skills);
  if (reading.status !== "present") return reading.status;
  return reading.parts
    .map(({ text }) => text)
    .join("\n")
    .replaceAll(place.root, "~");
}
