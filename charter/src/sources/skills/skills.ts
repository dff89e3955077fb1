import { invisible } from "../../prompt/character.ts";
import { grouped } from "../../prompt/problem.ts";
import { type Part, present, type Reading } from "../../prompt/reading.ts";
import { createDirectories } from "../disk/directory.ts";
import { type Disk, pathLine, repository } from "../disk/disk.ts";
import { type Files, unusedReasons } from "../disk/file.ts";
import type { ConsideredFile, Diagnostic, Wording } from "../disk/findings.ts";
import {
  type Skill,
  type SkillLimits,
  type SkillPlace,
  type SkillReadResult,
  skillFault,
  skillLimits,
} from "./skill.ts";
import { createSkillFiles } from "./skill-file.ts";
import { isOfSkills, type SkillTree, skillTree } from "./skill-tree.ts";

const { join, resolve } = process.getBuiltinModule("node:path");

type SkillsOptions = {
  readonly disk: Disk;
  readonly files: Files;
  readonly limits?: Partial<SkillLimits>;
  readonly now?: () => number;
};

type Skills = {
  /**
   * Returns the listing; the same object as long as nothing changed, which costs a stat for each directory and each skill's file.
   */
  readonly look: (roots: readonly SkillRoot[]) => SkillListing;
  readonly forget: () => void;
};

type Last = { readonly found: readonly RootSkills[]; readonly merged: MergedSkills; readonly answer: SkillListing };

/** Finds the skills under some roots; of two with one name, the one in the earlier root wins. */
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
      const results = roots.map(find);
      const merged = keptSkills(last?.merged, mergeSkills(results));
      const answer = last && sameMerged(last.merged, merged) ? last.answer : skillListing(merged, limits.listing);
      last = { found: results, merged, answer };
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

/** Keeps the former list if the skills are the same, so that what was made from it is not made again. */
function keptSkills(before: MergedSkills | undefined, now: MergedSkills): MergedSkills {
  return before && sameList(before.skills, now.skills, Object.is) ? { ...now, skills: before.skills } : now;
}

/** Compares what a listing depends on: files beside the skills do not matter. */
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

type SkillPlaces = {
  readonly disk: Disk;
  readonly cwd: string;
  readonly home: string;
  readonly config: string;
  readonly trusted: boolean;
  readonly userHome?: string;
  readonly named: readonly string[];
};

/** Roots of skills, in order of precedence: named ones, the project's, the user's own. */
export function skillRoots(places: SkillPlaces): SkillRoot[] {
  const { disk, cwd, home, config, trusted, userHome, named } = places;
  const own = [join(home, "skills"), ...(userHome === undefined ? [] : [join(userHome, ".agents", "skills")])];
  const project = [
    join(cwd, config, "skills"),
    ...repository(disk, cwd).map((directory) => join(directory, ".agents", "skills")),
  ];
  const withheld = trusted ? {} : { withheld: unusedReasons.untrusted };
  return [
    ...named.map((path): SkillRoot => ({ path: resolve(cwd, path), place: "named", optional: false })),
    // A root in the user's own directory is the user's, not a project's.
    ...project
      .filter((path) => !own.includes(path))
      .map((path): SkillRoot => ({ path, place: "project", optional: true, ...withheld })),
    ...own.map((path): SkillRoot => ({ path, place: "global", optional: true })),
  ];
}

export type SkillRoot = {
  /** Path of a directory of skills, or of one file. */
  readonly path: string;
  readonly place: ConsideredFile["place"];
  /** Allows the root to be missing without a diagnostic. */
  readonly optional: boolean;
  /** Reason why its skills are considered and not used: “the project is not trusted”. Their files are not read. */
  readonly withheld?: string;
};

export type SkillListing = {
  /** Skills, one of each name, sorted by name; hidden ones too. */
  readonly skills: readonly Skill[];
  readonly diagnostics: readonly Diagnostic[];
  readonly considered: readonly ConsideredFile[];
};

type RootSkills = {
  readonly root: SkillRoot;
  readonly tree: SkillTree;
  /** Contents of its files; none for a root that is withheld. */
  readonly reads: readonly SkillReadResult[];
};

/** A file that was considered: its skill, and why it is not used or only in part. */
type SkillCandidate = Pick<ConsideredFile, "path" | "place"> & {
  readonly skill: Skill | undefined;
  readonly reason: string | undefined;
};

type MergedSkills = Pick<SkillListing, "skills" | "diagnostics"> & {
  readonly candidates: readonly SkillCandidate[];
};

/** Merges several roots: each real file once, and of two skills with one name the first. */
function mergeSkills(found: readonly RootSkills[]): MergedSkills {
  const candidates: SkillCandidate[] = [];
  const diagnostics: Diagnostic[] = [];
  const collisions: Diagnostic[] = [];
  const files = new Map<string, string>();
  // A file has a second path only by a link, or by another root.
  const sameTwice = found.filter(({ reads }) => reads.length > 0).length > 1 || found.some(({ tree }) => tree.linked);
  const byName = new Map<string, Skill>();
  for (const { root, tree, reads } of found) {
    const { place, withheld } = root;
    const unused = (path: string, because: string) =>
      candidates.push({ path, place, skill: undefined, reason: because });
    if (tree.status === "missing" && !root.optional) {
      const text = " is not there, so it has no skills. Fix the path, or leave it out.";
      diagnostics.push(skillFault("error", "skill-path-missing", root.path, text));
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
      candidates.push({ path, place, skill, reason: read.reason });
    }
  }
  const skills = [...byName.values()].sort(inOrder);
  return { skills, diagnostics: [...diagnostics, ...collisions], candidates };
}

/** Makes the listing, up to `maxBytes`. `considered` is computed when it is asked for; a prompt does not need it. */
function skillListing({ skills, diagnostics, candidates }: MergedSkills, maxBytes: number): SkillListing {
  let considered: readonly ConsideredFile[] | undefined;
  return {
    skills,
    diagnostics,
    get considered() {
      if (considered) return considered;
      const listed = new Set(shownSkills(skills, maxBytes));
      considered = candidates.map((one) => consideredOf(one, listed));
      return considered;
    },
  };
}

function consideredOf({ path, place, reason, skill }: SkillCandidate, shown: ReadonlySet<Skill>): ConsideredFile {
  const about = { path, role: "skill", place } as const;
  const why = reason === undefined ? {} : { reason };
  if (!skill || skill.hidden) return { ...about, used: false, ...why };
  if (!shown.has(skill)) return { ...about, used: false, reason: "the listing of skills has no room for it" };
  return { ...about, used: true, ...why, text: skillPart(skill).text };
}

function collision(winner: Skill, loser: Skill): Diagnostic {
  const text = ` is left out: ${pathLine(winner.location)} has the name “${loser.name}” too, and comes first. Rename one of them.`;
  return skillFault("warning", "collision", loser.location, text);
}

const readings = new WeakMap<readonly Skill[], { readonly max: number; readonly reading: Reading }>();
const toldParts = new Map<number, Part>();

/**
 * Makes a reading of a list of skills: sorted, each name once, without hidden ones, within `maxBytes`. For skills you found
 * yourself; `openProject` finds and reads them.
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

/** Skills sorted by name, the first of each name. */
function sortedSkills(skills: readonly Skill[]): Skill[] {
  const byName = new Map<string, Skill>();
  for (const skill of skills) if (!byName.has(skill.name)) byName.set(skill.name, skill);
  return [...byName.values()].sort(inOrder);
}

/** Compares names in code-unit order, which does not depend on directories or locales. */
function inOrder(a: Skill, b: Skill): number {
  return a.name < b.name ? -1 : 1;
}

/** Sorted skills that fit into a listing of `maxBytes`, with its last line included if not all fit. */
function shownSkills(sorted: readonly Skill[], maxBytes: number): readonly Skill[] {
  const listed = sorted.filter(({ hidden }) => !hidden);
  const sizes = listed.map((skill) => Buffer.byteLength(skillPart(skill).text) + 1);
  if (sizes.reduce((sum, size) => sum + size, -1) <= maxBytes) return listed;
  let room = maxBytes - Buffer.byteLength(toldText(listed.length));
  const end = sizes.findIndex((size) => {
    room -= size;
    return room < 0;
  });
  return listed.slice(0, end);
}

function cutReading(sorted: readonly Skill[], max: number): Reading {
  const listed = shownSkills(sorted, max);
  const all = sorted.filter(({ hidden }) => !hidden).length;
  const missing = all - listed.length;
  if (missing === 0) return present(listed.map(skillPart));
  const message = `The listing of skills has room for ${grouped(max)} bytes: ${grouped(missing)} of ${grouped(all)} skills, the last by name, were left out. Hide some (“disable-model-invocation: true”) or move them away.`;
  return {
    status: "present",
    parts: [...listed.map(skillPart), toldPart(missing)],
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

/** Part of a skill in the listing. Name and location have one line each, whatever they contain. */
function skillPart(skill: Skill): Part {
  return parts.get(skill) ?? keep(parts, skill, onOneLine(xml(skill.name)), onOneLine(xml(skill.location)));
}

/** Part of a skill in pi's wording. */
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
