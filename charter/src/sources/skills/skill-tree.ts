import { grouped } from "../../prompt/problem.ts";
import {
  type Directories,
  type DirectoryEntry,
  type IgnoreFile,
  type IgnoreFileRules,
  ignoredBy,
  ignoreFileRules,
  ignoreNames,
  type Listing,
  maxIgnoreBytes,
} from "../disk/directory.ts";
import { type Disk, type DiskEntry, pathLine } from "../disk/disk.ts";
import { type Files, type LinkTarget, linkTarget, realPath } from "../disk/file.ts";
import type { Diagnostic, DiagnosticCode } from "../disk/findings.ts";
import { againstSpecification, type SkillLimits, type SkillPlace, skillFault } from "./skill.ts";

const { basename, dirname, sep } = process.getBuiltinModule("node:path");

/** Skills under one root. */
export type SkillTree = {
  readonly status: Listing["status"];
  /** Possible skills in the order in which the first of a name wins: by path, those behind links last. */
  readonly places: readonly SkillPlace[];
  /** Paths that were skipped, and why. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  /** Shows that a link leads to some of them. */
  readonly linked: boolean;
  readonly diagnostics: readonly Diagnostic[];
  /** Checks whether everything is as before, with a stat for each directory. The files themselves are not checked. */
  readonly unchanged: () => boolean;
};

type SkillTreeOptions = {
  readonly disk: Disk;
  readonly files: Files;
  readonly directories: Directories;
  readonly limits: SkillLimits;
};

/**
 * Searches for skills: Markdown files in the root itself, and files named SKILL.md in every directory below. Links are followed;
 * each real directory is entered once, by its own path rather than a link's, so that circular links end.
 */
export function skillTree(root: string, { disk, files, directories, limits }: SkillTreeOptions): SkillTree {
  const findings: FolderFindings = {
    places: [],
    folders: [],
    linkedFolders: [],
    skipped: [],
    diagnostics: [],
    links: [],
    ignoring: [],
  };
  const listings: (readonly [path: string, listing: Listing])[] = [];
  const isNew = createEntering(root, limits, findings);
  const real = realPath(disk, root);
  const top = { path: root, real, relative: "", name: basename(root), depth: 0, linked: false, rules: undefined };
  for (let batch: Folder[] = [top]; batch.length > 0; batch = nextBatch(findings)) {
    const entered = batch.filter(isNew);
    // All directories of a level are read before their entries are examined, because each step is faster without the other in
    // between.
    const lists = entered.map(({ path }) => directories.list(path));
    for (const [index, folder] of entered.entries()) {
      const listing = lists[index] as Listing;
      const { path } = folder;
      listings.push([path, listing]);
      if (listing.status === "present") lookInside(folder, listing.entries, { disk, files }, findings);
      else if (listing.status === "other" && path === root) lookAlone(listing.file, folder, findings);
      else if (listing.status === "unavailable")
        findings.diagnostics.push(skillFault("error", "unreadable", path, ` cannot be read: ${listing.reason}.`));
    }
  }
  const { places, skipped, diagnostics, links, ignoring } = findings;
  places.sort((a, b) => Number(a.linked) - Number(b.linked) || (a.path < b.path ? -1 : 1));
  if (places.length > limits.skills) {
    const text = ` has ${grouped(places.length)} skills; only the first ${grouped(limits.skills)} are looked at. Move some of them away.`;
    diagnostics.push(skillFault("warning", "too-many-skills", root, text));
  }
  return {
    status: listings[0]?.[1].status ?? "missing",
    places: places.slice(0, limits.skills),
    skipped,
    linked: places.at(-1)?.linked ?? false,
    diagnostics,
    unchanged: () =>
      listings.every(([path, listing]) => directories.list(path) === listing) &&
      links.every(([path, target]) => linkTarget(disk, path) === target) &&
      ignoring.every(({ path, state }) => files.read(path, maxIgnoreBytes) === state),
  };
}

/** Next directories to enter; those behind links wait until all others are done. */
function nextBatch({ folders, linkedFolders }: FolderFindings): Folder[] {
  return (folders.length > 0 ? folders : linkedFolders).splice(0);
}

/** Creates the check whether a directory is entered: within the limits of depth and number, and each once. */
function createEntering(root: string, limits: SkillLimits, { skipped, diagnostics }: FolderFindings) {
  const entered: Folder[] = [];
  let byReal: Map<string, string> | undefined;
  const reportedCodes = new Set<string>();
  const tell = (code: DiagnosticCode, path: string, said: string) => {
    if (!reportedCodes.has(code)) diagnostics.push(skillFault("warning", code, path, said));
    reportedCodes.add(code);
    return false;
  };
  return (folder: Folder): boolean => {
    const { path, real, depth, linked } = folder;
    // A directory can be reached twice only by a link.
    if (linked) byReal ??= new Map(entered.map((one) => [one.real, one.path]));
    const before = byReal?.get(real);
    if (before !== undefined) {
      skipped.push({ path, reason: `it is the same directory as ${pathLine(before)}` });
      return false;
    }
    if (depth > limits.depth) {
      const text = ` is more than ${limits.depth} directories below ${pathLine(root)}; nothing so deep is looked at. Move it up.`;
      return tell("too-deep", path, text);
    }
    if (entered.length >= limits.directories) {
      const text = ` has more than ${grouped(limits.directories)} directories; the others are not looked at. Name the folder of the skills instead.`;
      return tell("too-many-directories", root, text);
    }
    entered.push(folder);
    byReal?.set(real, path);
    return true;
  };
}

/** Handles a root that is a single file. */
function lookAlone(isFile: boolean, { path, real, name }: Folder, { places, diagnostics }: FolderFindings): void {
  const alone = name !== "SKILL.md";
  const fault = (code: DiagnosticCode, said: string) => diagnostics.push(skillFault("error", code, path, said));
  if (!isFile) fault("not-a-file", " is neither a directory nor a regular file.");
  else if (!name.endsWith(".md"))
    fault("not-markdown", " is not a Markdown file: the name of a skill's file ends in “.md”.");
  else places.push({ path, real, called: alone ? name.slice(0, -3) : basename(dirname(path)), alone, linked: false });
}

/**
 * A directory to search. `relative`: its path from the root, with a slash at the end; "" for the root. `linked`: behind a link.
 */
type Folder = {
  readonly path: string;
  readonly real: string;
  readonly relative: string;
  readonly name: string;
  readonly depth: number;
  readonly linked: boolean;
  readonly rules: IgnoreFileRules | undefined;
};

/** Findings so far. */
type FolderFindings = {
  readonly places: SkillPlace[];
  /** Directories that are still to be entered; those behind links come last. */
  readonly folders: Folder[];
  readonly linkedFolders: Folder[];
  readonly skipped: { readonly path: string; readonly reason: string }[];
  readonly diagnostics: Diagnostic[];
  /** Links whose targets are not examined otherwise, to be checked again, and the ignore files. */
  readonly links: (readonly [path: string, target: LinkTarget])[];
  readonly ignoring: IgnoreFile[];
};

/** Selects directory entries that matter for skills. Hidden ones and installed packages do not. */
export function isOfSkills(entry: DiskEntry): boolean {
  const { name } = entry;
  if (name.charCodeAt(0) === 0x2e) return ignoreNames.includes(name);
  if (entry.isDirectory() || entry.isSymbolicLink()) return name !== "node_modules";
  return /\.md$/i.test(name);
}

/** Sorts the entries of a directory into findings, except those an ignore file names. */
function lookInside(
  folder: Folder,
  entries: readonly DirectoryEntry[],
  { disk, files }: { readonly disk: Disk; readonly files: Files },
  found: FolderFindings,
): void {
  const { path, real, relative, depth } = folder;
  const start = path.endsWith(sep) ? path : `${path}${sep}`;
  const rules = rulesInside(folder, start, entries, files, found);
  // A root that is a skill itself may have notes beside it, as every skill may.
  const loose = depth === 0 && !entries.some(({ name, kind }) => name === "SKILL.md" && kind !== "directory");
  for (const { name, kind: own } of entries) {
    if (name.charCodeAt(0) === 0x2e) continue;
    const inside = `${start}${name}`;
    const kind = own === "link" ? follow(inside, disk, found) : own;
    if (kind === undefined) continue;
    const by = rules && ignoredBy(rules, `${relative}${name}${kind === "directory" ? "/" : ""}`);
    if (by !== undefined) {
      if (kind === "directory" || isSkillName(name, loose))
        found.skipped.push({ path: inside, reason: `ignored by ${pathLine(by)}` });
      continue;
    }
    const fault = faultOf(inside, name, kind, loose);
    if (fault) {
      found.diagnostics.push(fault);
      continue;
    }
    const linked = folder.linked || own === "link";
    const leads = own === "link" ? realPath(disk, inside) : `${real}${sep}${name}`;
    if (kind === "directory") {
      const below = {
        path: inside,
        real: leads,
        relative: `${relative}${name}/`,
        name,
        depth: depth + 1,
        linked,
        rules,
      };
      (own === "link" ? found.linkedFolders : found.folders).push(below);
    } else if (kind === "file" && isSkillName(name, loose)) {
      const alone = name !== "SKILL.md";
      found.places.push({ path: inside, real: leads, called: alone ? name.slice(0, -3) : folder.name, alone, linked });
    }
  }
}

/** Checks whether a file of that name may be a skill. `loose`: in a root, where every Markdown file may. */
function isSkillName(name: string, loose: boolean): boolean {
  return name === "SKILL.md" || (loose && name.endsWith(".md"));
}

function faultOf(path: string, name: string, kind: DirectoryEntry["kind"], loose: boolean): Diagnostic | undefined {
  if (kind === "file") {
    if (name === "SKILL.md" || name.length !== 8 || name.toLowerCase() !== "skill.md") return undefined;
    const text = " is not read: the file of a skill is called “SKILL.md”. Rename it.";
    return againstSpecification("warning", "case-variant", path, text);
  }
  if (!isSkillName(name, loose && kind === "other")) return undefined;
  const what = kind === "directory" ? "a directory" : "no regular file";
  return skillFault("error", "not-a-file", path, ` is ${what}. The file of a skill must be a file.`);
}

function rulesInside(
  { relative, rules }: Folder,
  start: string,
  entries: readonly DirectoryEntry[],
  files: Files,
  { ignoring, diagnostics }: FolderFindings,
): IgnoreFileRules | undefined {
  if (!entries.some(({ name }) => name.charCodeAt(0) === 0x2e)) return rules;
  const own = ignoreNames
    .filter((name) => entries.some((entry) => entry.name === name && entry.kind !== "directory"))
    .map((name) => `${start}${name}`)
    .map((path): IgnoreFile => ({ path, state: files.read(path, maxIgnoreBytes) }));
  ignoring.push(...own);
  return ignoreFileRules(own, relative, rules, (diagnostic) => diagnostics.push(diagnostic));
}

/** Resolves a link. If its target is not examined otherwise, the link is recorded to be checked next time. */
function follow(path: string, disk: Disk, { links, diagnostics }: FolderFindings): DirectoryEntry["kind"] | undefined {
  const target = linkTarget(disk, path);
  if (target === "directory") return target;
  links.push([path, target]);
  if (target === "file" || target === "other") return target;
  const severity = basename(path) === "SKILL.md" ? "error" : "warning";
  const [code, said] = astray[target];
  diagnostics.push(skillFault(severity, code, path, said));
  return undefined;
}

const astray = {
  missing: ["broken-link", " is a link to something that is not there. Fix it or remove it."],
  circular: ["broken-link", " is a link that leads to itself. Remove it."],
  unavailable: ["unreadable", " is a link that cannot be followed. Fix it or remove it."],
} as const;
