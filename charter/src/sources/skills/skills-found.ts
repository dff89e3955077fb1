import { because } from "../disk/because.ts";
import type { Considered } from "../disk/considered.ts";
import type { Diagnostic } from "../disk/diagnostic.ts";
import { pathLine } from "../disk/path-line.ts";
import type { Skill } from "./skill.ts";
import { skillFault } from "./skill-fault.ts";
import type { SkillRead } from "./skill-fields.ts";
import { skillPart } from "./skill-part.ts";
import type { SkillPlace } from "./skill-place.ts";
import type { SkillTree } from "./skill-tree.ts";
import { inOrder, shownSkills } from "./skills-reading.ts";

export type SkillRoot = {
  /** A directory of skills, or one file. */
  readonly path: string;
  readonly place: Considered["place"];
  /** Nothing is said when it is not there. */
  readonly optional: boolean;
  /** Why its skills are considered and not used: “the project is not trusted”. Their files are not read. */
  readonly withheld?: string;
};

export type SkillsFound = {
  /** One of each name, by name; hidden ones too. */
  readonly skills: readonly Skill[];
  readonly diagnostics: readonly Diagnostic[];
  readonly considered: readonly Considered[];
};

export type FoundInRoot = {
  readonly root: SkillRoot;
  readonly tree: SkillTree;
  /** What its places are; nothing of a root that is withheld. */
  readonly reads: readonly SkillRead[];
};

/** A file that was looked at: the skill it is, and why it is not used or only in part. */
export type LookedAt = Pick<Considered, "path" | "place"> & {
  readonly skill: Skill | undefined;
  readonly because: string | undefined;
};

export type Merged = Pick<SkillsFound, "skills" | "diagnostics"> & { readonly looked: readonly LookedAt[] };

/** What several roots have together: each real file once, and of two skills with one name the first. */
export function mergedSkills(found: readonly FoundInRoot[]): Merged {
  const looked: LookedAt[] = [];
  const diagnostics: Diagnostic[] = [];
  const collisions: Diagnostic[] = [];
  const files = new Map<string, string>();
  // A file has a second path only by a link, or by another root.
  const sameTwice = found.filter(({ reads }) => reads.length > 0).length > 1 || found.some(({ tree }) => tree.linked);
  const byName = new Map<string, Skill>();
  for (const { root, tree, reads } of found) {
    const { place, withheld } = root;
    const unused = (path: string, because: string) => looked.push({ path, place, skill: undefined, because });
    if (tree.status === "missing" && !root.optional) {
      const said = " is not there, so it has no skills. Mend the path, or leave it out.";
      diagnostics.push(skillFault("error", "skill-path-missing", root.path, said));
      unused(root.path, because.absent);
    }
    if (withheld !== undefined) {
      for (const { path } of tree.places) unused(path, withheld);
      continue;
    }
    diagnostics.push(...tree.diagnostics);
    for (const one of tree.passed) unused(one.path, one.because);
    for (const [index, read] of reads.entries()) {
      const { path, real } = tree.places[index] as SkillPlace;
      const before = sameTwice ? files.get(real) : undefined;
      if (before !== undefined) {
        unused(path, `it is the same file as ${pathLine(before)}`);
        continue;
      }
      if (sameTwice) files.set(real, path);
      if (read.diagnostics.length > 0) diagnostics.push(...read.diagnostics);
      const { skill } = read;
      const winner = skill && byName.get(skill.name);
      if (winner) {
        collisions.push(collision(winner, skill));
        unused(path, `${pathLine(winner.location)} has the same name`);
        continue;
      }
      if (skill) byName.set(skill.name, skill);
      looked.push({ path, place, skill, because: read.because });
    }
  }
  const skills = [...byName.values()].sort(inOrder);
  return { skills, diagnostics: [...diagnostics, ...collisions], looked };
}

/** `most`: bytes of the listing. What was looked at is for those who ask; a prompt does not. */
export function skillsFound({ skills, diagnostics, looked }: Merged, most: number): SkillsFound {
  let considered: readonly Considered[] | undefined;
  return {
    skills,
    diagnostics,
    get considered() {
      if (considered) return considered;
      const shown = new Set(shownSkills(skills, most));
      considered = looked.map((one) => consideredOf(one, shown));
      return considered;
    },
  };
}

function consideredOf({ path, place, because, skill }: LookedAt, shown: ReadonlySet<Skill>): Considered {
  const about = { path, role: "skill", place } as const;
  const why = because === undefined ? {} : { because };
  if (!skill || skill.hidden) return { ...about, used: false, ...why };
  if (!shown.has(skill)) return { ...about, used: false, because: "the listing of skills has no room for it" };
  return { ...about, used: true, ...why, words: skillPart(skill).text };
}

function collision(winner: Skill, loser: Skill): Diagnostic {
  const said = ` is left out: ${pathLine(winner.location)} has the name “${loser.name}” too, and stands first. Rename one of them.`;
  return skillFault("warning", "collision", loser.location, said);
}
