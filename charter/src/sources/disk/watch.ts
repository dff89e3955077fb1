import type { FSWatcher } from "node:fs";
import type { Disk } from "./disk.ts";
import { type WatchedPlaces, type WatchTargets, watchedPlaces } from "./watched-paths.ts";
import { isWithin } from "./within.ts";

const { watch } = process.getBuiltinModule("node:fs");
const { basename, join } = process.getBuiltinModule("node:path");

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
