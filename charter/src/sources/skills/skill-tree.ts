import { grouped } from "../../prompt/problem.ts";
import type { Diagnostic, DiagnosticCode } from "../disk/diagnostic.ts";
import type { Directories, Listing } from "../disk/directory.ts";
import type { Disk } from "../disk/disk.ts";
import type { Files } from "../disk/file.ts";
import { maxIgnoreBytes } from "../disk/ignore-files.ts";
import { linkTarget, realPath } from "../disk/link.ts";
import { pathLine } from "../disk/path-line.ts";
import { type Folder, type FolderFindings, lookInside } from "./skill-entry.ts";
import { skillFault } from "./skill-fault.ts";
import type { SkillLimits } from "./skill-limits.ts";
import type { SkillPlace } from "./skill-place.ts";

const { basename, dirname } = process.getBuiltinModule("node:path");

/** What there is under one root. */
export type SkillTree = {
  readonly status: Listing["status"];
  /** In the order in which the first of a name wins: by path, what was reached through a link last. */
  readonly places: readonly SkillPlace[];
  /** What was passed over, and why. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  /** A link leads to some of them. */
  readonly linked: boolean;
  readonly diagnostics: readonly Diagnostic[];
  /** Is the same there still? Costs a stat for each directory; the files that may be skills are not looked at. */
  readonly unchanged: () => boolean;
};

type SkillTreeOptions = {
  readonly disk: Disk;
  readonly files: Files;
  readonly directories: Directories;
  readonly limits: SkillLimits;
};

/**
 * Looks for skills: Markdown files in the root itself, and files named SKILL.md in every directory below. Links are
 * followed; each real directory is entered once, by its own path rather than by a link's, so a circle has no second round.
 */
export function skillTree(root: string, { disk, files, directories, limits }: SkillTreeOptions): SkillTree {
  const found: FolderFindings = {
    places: [],
    folders: [],
    linkedFolders: [],
    skipped: [],
    diagnostics: [],
    links: [],
    ignoring: [],
  };
  const listings: (readonly [path: string, listing: Listing])[] = [];
  const isNew = createEntering(root, limits, found);
  const real = realPath(disk, root);
  const top = { path: root, real, relative: "", name: basename(root), depth: 0, linked: false, rules: undefined };
  for (let batch: Folder[] = [top]; batch.length > 0; batch = nextBatch(found)) {
    const entered = batch.filter(isNew);
    // First every directory of a level, then what they hold: either goes faster when the other does not come between.
    const lists = entered.map(({ path }) => directories.list(path));
    for (const [index, folder] of entered.entries()) {
      const listing = lists[index] as Listing;
      const { path } = folder;
      listings.push([path, listing]);
      if (listing.status === "present") lookInside(folder, listing.entries, { disk, files }, found);
      else if (listing.status === "other" && path === root) lookAlone(listing.file, folder, found);
      else if (listing.status === "unavailable")
        found.diagnostics.push(skillFault("error", "unreadable", path, ` cannot be read: ${listing.reason}.`));
    }
  }
  const { places, skipped: passed, diagnostics, links, ignoring } = found;
  places.sort((a, b) => Number(a.linked) - Number(b.linked) || (a.path < b.path ? -1 : 1));
  if (places.length > limits.skills) {
    const said = ` has ${grouped(places.length)} skills; only the first ${grouped(limits.skills)} are looked at. Move some of them away.`;
    diagnostics.push(skillFault("warning", "too-many-skills", root, said));
  }
  return {
    status: listings[0]?.[1].status ?? "missing",
    places: places.slice(0, limits.skills),
    skipped: passed,
    linked: places.at(-1)?.linked ?? false,
    diagnostics,
    unchanged: () =>
      listings.every(([path, listing]) => directories.list(path) === listing) &&
      links.every(([path, target]) => linkTarget(disk, path) === target) &&
      ignoring.every(({ path, state }) => files.read(path, maxIgnoreBytes) === state),
  };
}

/** What links lead to waits until everything else was entered. */
function nextBatch({ folders, linkedFolders }: FolderFindings): Folder[] {
  return (folders.length > 0 ? folders : linkedFolders).splice(0);
}

/** Whether a directory is to be entered: no deeper and no more than the limits say, and none for the second time. */
function createEntering(root: string, limits: SkillLimits, { skipped: passed, diagnostics }: FolderFindings) {
  const entered: Folder[] = [];
  let byReal: Map<string, string> | undefined;
  const told = new Set<string>();
  const tell = (code: DiagnosticCode, path: string, said: string) => {
    if (!told.has(code)) diagnostics.push(skillFault("warning", code, path, said));
    told.add(code);
    return false;
  };
  return (folder: Folder): boolean => {
    const { path, real, depth, linked } = folder;
    // Without a link on the way no directory is met twice.
    if (linked) byReal ??= new Map(entered.map((one) => [one.real, one.path]));
    const before = byReal?.get(real);
    if (before !== undefined) {
      passed.push({ path, reason: `it is the same directory as ${pathLine(before)}` });
      return false;
    }
    if (depth > limits.depth) {
      const said = ` is more than ${limits.depth} directories below ${pathLine(root)}; nothing so deep is looked at. Move it up.`;
      return tell("too-deep", path, said);
    }
    if (entered.length >= limits.directories) {
      const said = ` has more than ${grouped(limits.directories)} directories; the others are not looked at. Name the folder of the skills instead.`;
      return tell("too-many-directories", root, said);
    }
    entered.push(folder);
    byReal?.set(real, path);
    return true;
  };
}

/** A root may be one file. */
function lookAlone(isFile: boolean, { path, real, name }: Folder, { places, diagnostics }: FolderFindings): void {
  const alone = name !== "SKILL.md";
  const fault = (code: DiagnosticCode, said: string) => diagnostics.push(skillFault("error", code, path, said));
  if (!isFile) fault("not-a-file", " is neither a directory nor a regular file.");
  else if (!name.endsWith(".md"))
    fault("not-markdown", " is not a Markdown file: the name of a skill's file ends in “.md”.");
  else places.push({ path, real, called: alone ? name.slice(0, -3) : basename(dirname(path)), alone, linked: false });
}
