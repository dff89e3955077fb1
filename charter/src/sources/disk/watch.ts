import type { FSWatcher } from "node:fs";
import { type Disk, isThere, isWithin } from "./disk.ts";
import { realPath } from "./file.ts";

const { watch } = process.getBuiltinModule("node:fs");
const { basename, dirname, join } = process.getBuiltinModule("node:path");

type WatchOptions = {
  readonly disk: Disk;
  /** Asked again after each change: a new skill is watched as well. */
  readonly targets: () => WatchTargets;
  readonly onChange: (paths: readonly string[]) => void;
  /** Milliseconds from the first event to the call: a file that is saved is often several events. */
  readonly debounceMs?: number;
};

/** Watches files until it is closed. */
export type FileWatcher = { readonly close: () => void };

type Watcher = { readonly watcher: FSWatcher; readonly identity: string };

/**
 * Tells when files change, appear or go. A convenience: where the system cannot tell, it stays silent, so nothing may
 * depend on it. It keeps no process alive.
 *
 * Directories are watched, not files: a file that is replaced is another file, one that is not there yet is none. And
 * one by one, since Node's recursive watching on Linux opens a watcher for every file.
 */
export function watchFiles({
  disk,
  targets: wanted,
  onChange: changed,
  debounceMs: wait = 50,
}: WatchOptions): FileWatcher {
  const watchers = new Map<string, Watcher>();
  const pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let places = arrange();

  function arrange(): WatchedPlaces {
    const now = watchedPlaces(disk, wanted());
    for (const [directory, { identity }] of watchers) if (now.directories.get(directory) !== identity) drop(directory);
    for (const [directory, identity] of now.directories) if (!watchers.has(directory)) add(directory, identity);
    return now;
  }

  function add(directory: string, identity: string): void {
    try {
      const watcher = watch(directory, { persistent: false }, (_event, name) => heard(directory, name));
      watcher.on("error", () => {
        drop(directory);
        note(directory);
      });
      watchers.set(directory, { watcher, identity });
    } catch {
      // Gone again, or the system has no watches left.
    }
  }

  function drop(directory: string): void {
    watchers.get(directory)?.watcher.close();
    watchers.delete(directory);
  }

  function heard(directory: string, name: string | null): void {
    if (name !== null) note(join(directory, name));
    // Under its own name a directory tells that it is gone; another one in its place needs another watcher.
    if (name === basename(directory)) drop(directory);
    if (name === null || name === basename(directory)) note(directory);
  }

  function note(path: string): void {
    if (!concerns(places, path)) return;
    pending.add(path);
    timer ??= setTimeout(tell, wait).unref();
  }

  function tell(): void {
    timer = undefined;
    const before = places;
    places = arrange();
    const paths = new Set([...pending].flatMap((path) => [...affected(before, path), ...affected(places, path)]));
    pending.clear();
    if (paths.size > 0) changed([...paths].sort());
  }

  return {
    close: () => {
      clearTimeout(timer);
      for (const directory of [...watchers.keys()]) drop(directory);
      pending.clear();
    },
  };
}

function concerns({ files, folders, above }: WatchedPlaces, path: string): boolean {
  return files.has(path) || above.has(path) || folders.some((folder) => isWithin(folder, path));
}

/** Which known paths an event at a path is about: itself, or all there is below a directory that came or went. */
function affected({ files, folders, present }: WatchedPlaces, path: string): string[] {
  const file = files.get(path);
  if (file !== undefined) return [file];
  if (folders.some((folder) => isWithin(folder, path))) return [path];
  return [...present].filter((known) => isWithin(path, known));
}

/** What is to be watched: files, and folders with all that is in them. Neither needs to be there yet. */
export type WatchTargets = { readonly files: readonly string[]; readonly folders: readonly string[] };

type WatchedPlaces = {
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

function watchedPlaces(disk: Disk, { files, folders }: WatchTargets): WatchedPlaces {
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
