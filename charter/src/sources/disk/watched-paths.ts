import { type Disk, isThere } from "./disk.ts";
import { realPath } from "./link.ts";

const { dirname, join } = process.getBuiltinModule("node:path");

/** What is to be watched: files, and folders with all that is in them. Neither needs to be there yet. */
export type WatchTargets = { readonly files: readonly string[]; readonly folders: readonly string[] };

export type WatchedPlaces = {
  /** The directories to watch, and which directory of the disk each is. */
  readonly directories: ReadonlyMap<string, string>;
  /** The files by every path they have: a link's target tells under the target's name. */
  readonly files: ReadonlyMap<string, string>;
  readonly folders: readonly string[];
  /** Whatever comes or goes here takes files or folders with it. */
  readonly above: ReadonlySet<string>;
  /** The files and folders that are there. */
  readonly present: ReadonlySet<string>;
};

/** Enough for any folder of skills; what is beyond is not watched. */
const maxDirectories = 2000;

export function watchedPlaces(disk: Disk, { files, folders }: WatchTargets): WatchedPlaces {
  const directories = new Map<string, string>();
  const names = new Map<string, string>();
  const above = new Set<string>();
  for (const path of files) {
    names.set(path, path);
    watchNearest(disk, dirname(path), directories);
    const real = realPath(disk, path);
    if (real === path) continue;
    names.set(real, path);
    watchNearest(disk, dirname(real), directories);
  }
  for (const folder of folders) {
    watchNearest(disk, dirname(folder), directories);
    watchTree(disk, folder, directories, new Set());
  }
  for (const path of [...files, ...folders]) addAbove(path, above);
  const present = new Set([...files, ...folders].filter((path) => isThere(disk, path)));
  return { directories, files: names, folders, above, present };
}

/** The directory, or the closest one above it that is there. */
function watchNearest(disk: Disk, directory: string, directories: Map<string, string>): void {
  if (directories.has(directory)) return;
  const identity = directoryIdentity(disk, directory);
  if (identity !== undefined) directories.set(directory, identity);
  else if (dirname(directory) !== directory) watchNearest(disk, dirname(directory), directories);
}

function watchTree(disk: Disk, folder: string, directories: Map<string, string>, seen: Set<string>): void {
  const identity = directoryIdentity(disk, folder);
  if (identity === undefined || seen.has(identity) || directories.size >= maxDirectories) return;
  seen.add(identity);
  directories.set(folder, identity);
  for (const name of childrenOf(disk, folder)) watchTree(disk, join(folder, name), directories, seen);
}

function childrenOf(disk: Disk, folder: string): string[] {
  try {
    return disk
      .readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map(({ name }) => name)
      .filter((name) => name !== "node_modules" && name !== ".git");
  } catch {
    return [];
  }
}

/** A number of a directory is given again once it is free, so the time it was made belongs to it. */
function directoryIdentity(disk: Disk, path: string): string | undefined {
  try {
    const found = disk.statSync(path, { throwIfNoEntry: false });
    return found?.isDirectory() ? `${found.dev}:${found.ino}:${found.birthtimeMs}` : undefined;
  } catch {
    return undefined;
  }
}

function addAbove(path: string, above: Set<string>): void {
  for (let parent = dirname(path); !above.has(parent); parent = dirname(parent)) above.add(parent);
}
