import type { ConsideredFile } from "../disk/considered-file.ts";
import type { Diagnostic } from "../disk/diagnostic.ts";
import { pathLine } from "../disk/path-line.ts";
import { unusedReasons } from "../disk/unused-reason.ts";
import type { Skill } from "./skill.ts";
import { skillFault } from "./skill-fault.ts";
import type { SkillReadResult } from "./skill-fields.ts";
import { skillPart } from "./skill-part.ts";
import type { SkillPlace } from "./skill-place.ts";
import type { SkillTree } from "./skill-tree.ts";
import { inOrder, shownSkills } from "./skills-reading.ts";

export type SkillRoot = {
  /** A directory of skills, or one file. */
  readonly path: string;
  readonly place: ConsideredFile["place"];
  /** Nothing is said when it is not there. */
  readonly optional: boolean;
  /** Why its skills are considered and not used: “the project is not trusted”. Their files are not read. */
  readonly withheld?: string;
};

export type SkillListing = {
  /** One of each name, by name; hidden ones too. */
  readonly skills: readonly Skill[];
  readonly diagnostics: readonly Diagnostic[];
  readonly considered: readonly ConsideredFile[];
};

export type RootSkills = {
  readonly root: SkillRoot;
  readonly tree: SkillTree;
  /** What its places are; nothing of a root that is withheld. */
  readonly reads: readonly SkillReadResult[];
};

/** A file that was looked at: the skill it is, and why it is not used or only in part. */
type SkillCandidate = Pick<ConsideredFile, "path" | "place"> & {
  readonly skill: Skill | undefined;
  readonly reason: string | undefined;
};

export type MergedSkills = Pick<SkillListing, "skills" | "diagnostics"> & {
  readonly candidates: readonly SkillCandidate[];
};

/** What several roots have together: each real file once, and of two skills with one name the first. */
export function mergeSkills(found: readonly RootSkills[]): MergedSkills {
  const looked: SkillCandidate[] = [];
  const diagnostics: Diagnostic[] = [];
  const collisions: Diagnostic[] = [];
  const files = new Map<string, string>();
  // A file has a second path only by a link, or by another root.
  const sameTwice = found.filter(({ reads }) => reads.length > 0).length > 1 || found.some(({ tree }) => tree.linked);
  const byName = new Map<string, Skill>();
  for (const { root, tree, reads } of found) {
    const { place, withheld } = root;
    const unused = (path: string, because: string) => looked.push({ path, place, skill: undefined, reason: because });
    if (tree.status === "missing" && !root.optional) {
      const said = " is not there, so it has no skills. Fix the path, or leave it out.";
      diagnostics.push(skillFault("error", "skill-path-missing", root.path, said));
      unused(root.path, unusedReasons.absent);
    }
    if (withheld !== undefined) {
      for (const { path } of tree.places) unused(path, withheld);
      continue;
    }
    diagnostics.push(...tree.diagnostics);
    for (const one of tree.skipped) unused(one.path, one.reason);
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
      looked.push({ path, place, skill, reason: read.reason });
    }
  }
  const skills = [...byName.values()].sort(inOrder);
  return { skills, diagnostics: [...diagnostics, ...collisions], candidates: looked };
}

/** `most`: bytes of the listing. What was looked at is for those who ask; a prompt does not. */
export function skillListing(
  { skills, diagnostics, candidates: looked }: MergedSkills,
  maxBytes: number,
): SkillListing {
  let considered: readonly ConsideredFile[] | undefined;
  return {
    skills,
    diagnostics,
    get considered() {
      if (considered) return considered;
      const shown = new Set(shownSkills(skills, maxBytes));
      considered = looked.map((one) => consideredOf(one, shown));
      return considered;
    },
  };
}

function consideredOf(
  { path, place, reason: because, skill }: SkillCandidate,
  shown: ReadonlySet<Skill>,
): ConsideredFile {
  const about = { path, role: "skill", place } as const;
  const why = because === undefined ? {} : { reason: because };
  if (!skill || skill.hidden) return { ...about, used: false, ...why };
  if (!shown.has(skill)) return { ...about, used: false, reason: "the listing of skills has no room for it" };
  return { ...about, used: true, ...why, text: skillPart(skill).text };
}

function collision(winner: Skill, loser: Skill): Diagnostic {
  const said = ` is left out: ${pathLine(winner.location)} has the name “${loser.name}” too, and comes first. Rename one of them.`;
  return skillFault("warning", "collision", loser.location, said);
}
