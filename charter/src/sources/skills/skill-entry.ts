import type { Diagnostic } from "../disk/diagnostic.ts";
import type { DirectoryEntry } from "../disk/directory.ts";
import type { Disk, DiskEntry } from "../disk/disk.ts";
import type { Files } from "../disk/file.ts";
import {
  type IgnoreFile,
  type IgnoreFileRules,
  ignoredBy,
  ignoreFileRules,
  ignoreNames,
  maxIgnoreBytes,
} from "../disk/ignore-files.ts";
import { type LinkTarget, linkTarget, realPath } from "../disk/link.ts";
import { pathLine } from "../disk/path-line.ts";
import { againstSpecification, skillFault } from "./skill-fault.ts";
import type { SkillPlace } from "./skill-place.ts";

const { basename, sep } = process.getBuiltinModule("node:path");

/** A directory on the way. `relative`: to the root, with a slash after it; "" for the root. `linked`: behind a link. */
export type Folder = {
  readonly path: string;
  readonly real: string;
  readonly relative: string;
  readonly name: string;
  readonly depth: number;
  readonly linked: boolean;
  readonly rules: IgnoreFileRules | undefined;
};

/** What was found on the way so far. */
export type FolderFindings = {
  readonly places: SkillPlace[];
  /** Directories that are still to be entered, those that only links lead to last. */
  readonly folders: Folder[];
  readonly linkedFolders: Folder[];
  readonly skipped: { readonly path: string; readonly reason: string }[];
  readonly diagnostics: Diagnostic[];
  /** Links to what is looked at in no other way, and the ignore files. */
  readonly links: (readonly [path: string, target: LinkTarget])[];
  readonly ignoring: IgnoreFile[];
};

/** The entries of a directory that matter for skills. Hidden ones and installed packages do not. */
export function isOfSkills(entry: DiskEntry): boolean {
  const { name } = entry;
  if (name.charCodeAt(0) === 0x2e) return ignoreNames.includes(name);
  if (entry.isDirectory() || entry.isSymbolicLink()) return name !== "node_modules";
  return /\.md$/i.test(name);
}

/** What the entries of a directory are for skills. Nothing that an ignore file names is looked at. */
export function lookInside(
  folder: Folder,
  entries: readonly DirectoryEntry[],
  { disk, files }: { readonly disk: Disk; readonly files: Files },
  found: FolderFindings,
): void {
  const { path, real, relative, depth } = folder;
  const start = path.endsWith(sep) ? path : `${path}${sep}`;
  const rules = rulesInside(folder, start, entries, files, found);
  // A root that is a skill itself has its notes beside it, as every skill may.
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

/** May a file of that name be a skill? `loose`: in a root, where every Markdown file may. */
function isSkillName(name: string, loose: boolean): boolean {
  return name === "SKILL.md" || (loose && name.endsWith(".md"));
}

function faultOf(path: string, name: string, kind: DirectoryEntry["kind"], loose: boolean): Diagnostic | undefined {
  if (kind === "file") {
    if (name === "SKILL.md" || name.length !== 8 || name.toLowerCase() !== "skill.md") return undefined;
    const said = " is not read: the file of a skill is called “SKILL.md”. Rename it.";
    return againstSpecification("warning", "case-variant", path, said);
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

/** What a link leads to, when it leads anywhere. Where that is not looked at anyway, the link is asked again next time. */
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
