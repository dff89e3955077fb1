import type { default as createIgnore, Ignore } from "ignore";
import { grouped, reasonOf } from "../../prompt/problem.ts";
import { type Disk, type DiskEntry, type FileStats, pathLine } from "./disk.ts";
import { createStableCheck, type FileState, shortReason } from "./file.ts";
import type { Diagnostic } from "./findings.ts";

export type DirectoryEntry = { readonly name: string; readonly kind: "directory" | "file" | "link" | "other" };

/** Entries of a directory, sorted by name. The same object as long as the directory and its entries are the same. */
export type Listing =
  | { readonly status: "present"; readonly entries: readonly DirectoryEntry[] }
  | { readonly status: "missing" }
  /** Entry of this name that is no directory. */
  | { readonly status: "other"; readonly file: boolean }
  | { readonly status: "unavailable"; readonly reason: string };

export type Directories = { readonly list: (path: string) => Listing; readonly forget: () => void };

type DirectoryIdentity = {
  readonly dev: number;
  readonly ino: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
};
type CachedListing = {
  readonly listing: Listing;
  readonly seen: DirectoryIdentity | undefined;
  readonly settled: boolean;
};

const missing: Listing = Object.freeze({ status: "missing" });
const quiet = { throwIfNoEntry: false } as const;
const typed = { withFileTypes: true } as const;

/**
 * Caches directories by path. A known one costs a stat: its times show entries that came or went, unless the change was too close
 * to the time it was read. `wanted` selects the entries of interest.
 */
export function createDirectories(disk: Disk, now: () => number, wanted: (entry: DiskEntry) => boolean): Directories {
  const known = new Map<string, CachedListing>();
  const isSettled = createStableCheck(now);

  function list(path: string): Listing {
    const cached = known.get(path);
    let stats: FileStats | undefined;
    try {
      stats = disk.statSync(path, quiet);
      if (!stats) return keep(path, missing);
      if (cached?.settled && sameDirectory(cached.seen, stats)) return cached.listing;
      if (!stats.isDirectory()) return keep(path, { status: "other", file: stats.isFile() }, stats);
      const settled = isSettled(stats);
      const entries: DirectoryEntry[] = [];
      for (const entry of disk.readdirSync(path, typed)) if (wanted(entry)) entries.push(entryOf(entry));
      if (entries.length > 1) entries.sort(byName);
      return keep(path, { status: "present", entries }, stats, settled);
    } catch (error) {
      return keep(path, { status: "unavailable", reason: shortReason(error) }, stats);
    }
  }

  function keep(path: string, listing: Listing, seen?: FileStats, settled = false): Listing {
    const before = known.get(path);
    const same = before && sameIdentity(before.seen, seen) && sameListing(before.listing, listing);
    const listingNow = same ? before.listing : listing;
    known.set(path, { listing: listingNow, seen: seen && seenOf(seen), settled });
    return listingNow;
  }

  return { list, forget: () => known.clear() };
}

function entryOf(entry: DiskEntry): DirectoryEntry {
  const kind = entry.isDirectory() ? "directory" : entry.isFile() ? "file" : entry.isSymbolicLink() ? "link" : "other";
  return { name: entry.name, kind };
}

/** Compares names by code units, independent of the disk's order. */
function byName(a: DirectoryEntry, b: DirectoryEntry): number {
  return a.name < b.name ? -1 : 1;
}

function seenOf({ dev, ino, mtimeMs, ctimeMs }: FileStats): DirectoryIdentity {
  return { dev, ino, mtimeMs, ctimeMs };
}

function sameDirectory(a: DirectoryIdentity | undefined, b: DirectoryIdentity): boolean {
  return sameIdentity(a, b) && a?.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
}

/** Compares the identity of directories, because a changed link may lead to another one with the same entries. */
function sameIdentity(a: DirectoryIdentity | undefined, b: DirectoryIdentity | undefined): boolean {
  return a?.ino === b?.ino && a?.dev === b?.dev;
}

function sameListing(a: Listing, b: Listing): boolean {
  if (a.status === "present" && b.status === "present")
    return (
      a.entries.length === b.entries.length &&
      a.entries.every(({ name, kind }, index) => name === b.entries[index]?.name && kind === b.entries[index]?.kind)
    );
  if (a.status === "unavailable" && b.status === "unavailable") return a.reason === b.reason;
  if (a.status === "other" && b.status === "other") return a.file === b.file;
  return a.status === b.status;
}

/** Ignore files; of two in one directory the later one decides. */
export const ignoreNames: readonly string[] = [".gitignore", ".ignore", ".fdignore"];
export const maxIgnoreBytes = 65_536;
const maxRules = 2000;
/** Maximum number of wildcards in a rule: each multiplies the ways a rule may match, all of which are tried before it fails. */
const maxWildcards = 3;

/** Rules of one directory. `prefix` is its path from where the search began, with a slash at the end. */
export type IgnoreFileRules = {
  readonly matcher: Ignore;
  readonly prefix: string;
  readonly above: IgnoreFileRules | undefined;
};
export type IgnoreFile = { readonly path: string; readonly state: FileState };

let library: typeof createIgnore | undefined;

/** Rules for a directory: those of its own files, then those above. The library is loaded when there is a file. */
export function ignoreFileRules(
  own: readonly IgnoreFile[],
  prefix: string,
  above: IgnoreFileRules | undefined,
  report: (diagnostic: Diagnostic) => void,
): IgnoreFileRules | undefined {
  const { createRequire } = process.getBuiltinModule("node:module");
  let matcher: Ignore | undefined;
  for (const { path, state } of own) {
    for (const diagnostic of state.diagnostics) report(diagnostic);
    if (state.status !== "present") continue;
    library ??= createRequire(import.meta.url)("ignore") as typeof createIgnore;
    matcher ??= library({ ignoreCase: false });
    const all = state.text.split("\n");
    if (state.more > 0) all.pop();
    if (state.more > 0 || all.length > maxRules) report(tooLong(path));
    for (const pattern of all.slice(0, maxRules)) {
      try {
        if (!pattern.startsWith("#") && pattern.split("**").length > maxWildcards + 1)
          throw new Error(`“**” is in it more than ${maxWildcards} times`);
        // Each rule is tried alone first: it is compiled when it is tested, and an invalid one must not stop the others.
        const rule = library({ ignoreCase: false }).add({ pattern, mark: path });
        rule.test("any");
        matcher.add(rule);
      } catch (error) {
        report(notUnderstood(path, pattern, reasonOf(error)));
      }
    }
  }
  return matcher ? { matcher, prefix, above } : above;
}

/**
 * Finds the file that excludes a path, if one does. The path is relative to where the search began; a directory's ends in a
 * slash. As in git, the deepest file with a matching rule decides, and nothing inside an excluded directory is ever asked about.
 */
export function ignoredBy(rules: IgnoreFileRules | undefined, path: string): string | undefined {
  for (let level = rules; level; level = level.above) {
    const { ignored, unignored, rule } = level.matcher.test(path.slice(level.prefix.length));
    if (ignored) return rule?.mark;
    if (!unignored) continue;
    if (path.endsWith("/")) reopen(level.above, path);
    return undefined;
  }
  return undefined;
}

/** Readmits a directory, whose path ends in a slash, because a matcher excludes all that is inside an excluded one. */
export function reopen(rules: IgnoreFileRules | undefined, path: string): void {
  for (let level = rules; level; level = level.above) {
    const relative = path.slice(level.prefix.length);
    if (relative !== "" && level.matcher.test(relative).ignored)
      level.matcher.add({ pattern: `!/${relative.replace(/[\\*?[\]]/g, "\\$&")}` });
  }
}

function notUnderstood(path: string, pattern: string, reason: string): Diagnostic {
  const message = `${pathLine(path)}: the rule ${JSON.stringify(pattern)} is not understood (${reason}). Take it out.`;
  return { severity: "warning", code: "ignore-file-invalid", path, message };
}

function tooLong(path: string): Diagnostic {
  const message = `${pathLine(path)} is long: only its first ${grouped(maxRules)} lines within ${grouped(maxIgnoreBytes)} bytes are used. Shorten it.`;
  return { severity: "warning", code: "ignore-file-too-long", path, message };
}
