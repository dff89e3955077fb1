import type { FSWatcher } from "node:fs";
import { type Disk, isThere, isWithin } from "./disk.ts";
import { realPath } from "./file.ts";

const { watch } = process.getBuiltinModule("node:fs");
const { basename, dirname, join } = process.getBuiltinModule("node:path");

type WatchOptions = {
  readonly disk: Disk;
  /** Returns the targets, and is called again after each change, so that a new skill is watched too. */
  readonly targets: () => WatchTargets;
  readonly onChange: (paths: readonly string[]) => void;
  /** Milliseconds from the first event to the call, because saving a file often causes several events. */
  readonly debounceMs?: number;
};

/** Watches files until it is closed. */
export type FileWatcher = { readonly close: () => void };

type Watcher = { readonly watcher: FSWatcher; readonly identity: string };

/**
 * Reports files that change, appear or go. Nothing may depend on it: it stays silent where the system cannot watch. It does not
 * keep the process alive.
 *
 * Directories are watched, not files: a replaced file is another file, and a missing one cannot be watched. They are watched one
 * by one, since Node's recursive watching on Linux opens a watcher for every file.
 */
export function watchFiles({ disk, targets, onChange, debounceMs = 50 }: WatchOptions): FileWatcher {
  const watchers = new Map<string, Watcher>();
  const pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let places = arrange();

  function arrange(): WatchedPlaces {
    const now = watchedPlaces(disk, targets());
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
      // The directory is gone again, or the system has no watches left.
    }
  }

  function drop(directory: string): void {
    watchers.get(directory)?.watcher.close();
    watchers.delete(directory);
  }

  function heard(directory: string, name: string | null): void {
    if (name !== null) note(join(directory, name));
    // A directory reports its own removal under its own name; a new one in its place needs a new watcher.
    if (name === basename(directory)) drop(directory);
    if (name === null || name === basename(directory)) note(directory);
  }

  function note(path: string): void {
    if (!concerns(places, path)) return;
    pending.add(path);
    timer ??= setTimeout(tell, debounceMs).unref();
  }

  function tell(): void {
    timer = undefined;
    const before = places;
    places = arrange();
    const paths = new Set([...pending].flatMap((path) => [...affected(before, path), ...affected(places, path)]));
    pending.clear();
    if (paths.size > 0) onChange([...paths].sort());
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

/** Paths an event is about: the known path itself, or all known ones below a directory that came or went. */
function affected({ files, folders, present }: WatchedPlaces, path: string): string[] {
  const file = files.get(path);
  if (file !== undefined) return [file];
  if (folders.some((folder) => isWithin(folder, path))) return [path];
  return [...present].filter((known) => isWithin(path, known));
}

/** Files and folders to watch, the latter with everything in them. Neither need exist yet. */
export type WatchTargets = { readonly files: readonly string[]; readonly folders: readonly string[] };

type WatchedPlaces = {
  /** Directories to watch, each with its identity on the disk. */
  readonly directories: ReadonlyMap<string, string>;
  /** Files by every path they have: a link's target reports changes under the target's name. */
  readonly files: ReadonlyMap<string, string>;
  readonly folders: readonly string[];
  /** Directories in which a change may add or remove targets. */
  readonly above: ReadonlySet<string>;
  /** Files and folders that exist. */
  readonly present: ReadonlySet<string>;
};

/** Maximum number of watched directories, enough for any folder of skills. */
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

/** Watches the directory, or the closest existing one above it. */
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

/** Identity of a directory, with the time it was created, because inode numbers are reused. */
function directoryIdentity(disk: Disk, path: string): string | undefined {
  try {
    const stats = disk.statSync(path, { throwIfNoEntry: false });
    return stats?.isDirectory() ? `${stats.dev}:${stats.ino}:${stats.birthtimeMs}` : undefined;
  } catch {
    return undefined;
  }
}

function addAbove(path: string, above: Set<string>): void {
  for (let parent = dirname(path); !above.has(parent); parent = dirname(parent)) above.add(parent);
}
