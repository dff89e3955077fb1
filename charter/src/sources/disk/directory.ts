import type { Disk, DiskEntry, FileStats } from "./disk.ts";
import { shortReason } from "./file.ts";
import { createStableCheck } from "./stable-check.ts";

export type DirectoryEntry = { readonly name: string; readonly kind: "directory" | "file" | "link" | "other" };

/** What is in a directory, by name. The same object as long as it is the same directory with the same entries. */
export type Listing =
  | { readonly status: "present"; readonly entries: readonly DirectoryEntry[] }
  | { readonly status: "missing" }
  /** There is something of that name, and it is no directory. */
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
 * Directories by their path. A known one costs a stat: its times tell of entries that came or went, except when they
 * are so close to the moment it was read that they would not differ. `wanted`: the entries that are of interest.
 */
export function createDirectories(disk: Disk, now: () => number, wanted: (entry: DiskEntry) => boolean): Directories {
  const known = new Map<string, CachedListing>();
  const isSettled = createStableCheck(now);

  function list(path: string): Listing {
    const kept = known.get(path);
    let found: FileStats | undefined;
    try {
      found = disk.statSync(path, quiet);
      if (!found) return keep(path, missing);
      if (kept?.settled && sameDirectory(kept.seen, found)) return kept.listing;
      if (!found.isDirectory()) return keep(path, { status: "other", file: found.isFile() }, found);
      const settled = isSettled(found);
      const entries: DirectoryEntry[] = [];
      for (const entry of disk.readdirSync(path, typed)) if (wanted(entry)) entries.push(entryOf(entry));
      if (entries.length > 1) entries.sort(byName);
      return keep(path, { status: "present", entries }, found, settled);
    } catch (error) {
      return keep(path, { status: "unavailable", reason: shortReason(error) }, found);
    }
  }

  function keep(path: string, listing: Listing, seen?: FileStats, settled = false): Listing {
    const before = known.get(path);
    const same = before && sameIdentity(before.seen, seen) && sameListing(before.listing, listing);
    const kept = same ? before.listing : listing;
    known.set(path, { listing: kept, seen: seen && seenOf(seen), settled });
    return kept;
  }

  return { list, forget: () => known.clear() };
}

function entryOf(entry: DiskEntry): DirectoryEntry {
  const kind = entry.isDirectory() ? "directory" : entry.isFile() ? "file" : entry.isSymbolicLink() ? "link" : "other";
  return { name: entry.name, kind };
}

/** By code units, whatever order the disk has. */
function byName(a: DirectoryEntry, b: DirectoryEntry): number {
  return a.name < b.name ? -1 : 1;
}

function seenOf({ dev, ino, mtimeMs, ctimeMs }: FileStats): DirectoryIdentity {
  return { dev, ino, mtimeMs, ctimeMs };
}

function sameDirectory(a: DirectoryIdentity | undefined, b: DirectoryIdentity): boolean {
  return sameIdentity(a, b) && a?.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
}

/** A link that leads elsewhere now leads to another directory, even to one with the same entries. */
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
