import { createDirectories } from "../disk/directory.ts";
import type { Disk } from "../disk/disk.ts";
import type { Files } from "../disk/file.ts";
import { isOfSkills } from "./skill-entry.ts";
import { createSkillFiles } from "./skill-file.ts";
import { type SkillLimits, skillLimits } from "./skill-limits.ts";
import {
  type MergedSkills,
  mergeSkills,
  type RootSkills,
  type SkillListing,
  type SkillRoot,
  skillListing,
} from "./skill-listing.ts";
import { skillTree } from "./skill-tree.ts";

export type { SkillListing, SkillRoot } from "./skill-listing.ts";

type SkillsOptions = {
  readonly disk: Disk;
  readonly files: Files;
  readonly limits?: Partial<SkillLimits>;
  readonly now?: () => number;
};

type Skills = {
  /** The same object as long as nothing changed, which costs a stat for each directory and for each skill's file. */
  readonly look: (roots: readonly SkillRoot[]) => SkillListing;
  readonly forget: () => void;
};

type Last = { readonly found: readonly RootSkills[]; readonly merged: MergedSkills; readonly answer: SkillListing };

/** The skills under some roots; of two with one name, the one in the earlier root. */
export function createSkills({ disk, files, now = Date.now, ...options }: SkillsOptions): Skills {
  const limits = { ...skillLimits, ...options.limits };
  const directories = createDirectories(disk, now, isOfSkills);
  const skillFiles = createSkillFiles(files, limits.frontMatter);
  let last: Last | undefined;

  const isSame = ({ root, tree, reads }: RootSkills) =>
    tree.unchanged() && (root.withheld !== undefined || sameList(reads, skillFiles.read(tree.places), Object.is));

  function find(root: SkillRoot): RootSkills {
    const before = last?.found.find((one) => one.root.path === root.path)?.tree;
    const tree = before?.unchanged() ? before : skillTree(root.path, { disk, files, directories, limits });
    const reads = root.withheld === undefined ? skillFiles.read(tree.places) : [];
    return { root, tree, reads };
  }

  return {
    look(roots) {
      if (last && sameRoots(last.found, roots) && last.found.every(isSame)) return last.answer;
      const found = roots.map(find);
      const merged = keptSkills(last?.merged, mergeSkills(found));
      const answer = last && sameMerged(last.merged, merged) ? last.answer : skillListing(merged, limits.listing);
      last = { found, merged, answer };
      return answer;
    },
    forget() {
      last = undefined;
      directories.forget();
      skillFiles.forget();
    },
  };
}

function sameRoots(found: readonly RootSkills[], roots: readonly SkillRoot[]): boolean {
  return found.length === roots.length && found.every(({ root }, index) => sameRecord(root, roots[index] as SkillRoot));
}

/** The same skills are the same list, so that what was made of it is not made again. */
function keptSkills(before: MergedSkills | undefined, now: MergedSkills): MergedSkills {
  return before && sameList(before.skills, now.skills, Object.is) ? { ...now, skills: before.skills } : now;
}

/** A file that comes or goes beside the skills changes nothing. */
function sameMerged(before: MergedSkills, now: MergedSkills): boolean {
  const { skills, diagnostics, candidates } = before;
  if (skills !== now.skills || !sameList(candidates, now.candidates, sameRecord)) return false;
  return sameList(diagnostics, now.diagnostics, sameRecord);
}

function sameList<T>(a: readonly T[], b: readonly T[], same: (a: T, b: T) => boolean): boolean {
  return a.length === b.length && a.every((one, index) => same(one, b[index] as T));
}

function sameRecord<T extends object>(a: T, b: T): boolean {
  const names = Object.keys(a) as (keyof T)[];
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
