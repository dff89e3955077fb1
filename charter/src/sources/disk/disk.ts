import { invisible } from "../../prompt/character.ts";
import { quoted } from "../../prompt/fence.ts";

const { dirname, isAbsolute, join, sep } = process.getBuiltinModule("node:path");
const { homedir, userInfo } = process.getBuiltinModule("node:os");

const fs = process.getBuiltinModule("node:fs");

/** Facts about a file that are known without reading it, named as in node:fs. */
export type FileStats = {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly birthtimeMs: number;
  readonly isFile: () => boolean;
  readonly isDirectory: () => boolean;
  readonly isSymbolicLink: () => boolean;
  readonly isFIFO: () => boolean;
  readonly isSocket: () => boolean;
};

export type DiskEntry = Pick<FileStats, "isFile" | "isDirectory" | "isSymbolicLink"> & { readonly name: string };

type Stat = {
  (path: string): FileStats;
  (path: string, options: { readonly throwIfNoEntry: false }): FileStats | undefined;
};

/**
 * Functions of node:fs that files are read with. Pass your own in tests: one that fails, counts, or changes a file between two
 * calls. The types are written out, so that Node's need not be installed.
 */
export type Disk = {
  readonly statSync: Stat;
  readonly lstatSync: Stat;
  readonly readdirSync: {
    (path: string): string[];
    (path: string, options: { readonly withFileTypes: true }): DiskEntry[];
  };
  readonly realpathSync: { (path: string): string; readonly native: (path: string) => string };
  readonly openSync: (path: string, flags: number) => number;
  readonly fstatSync: (file: number) => FileStats;
  readonly readSync: (file: number, bytes: Uint8Array, offset: number, length: number, position: null) => number;
  readonly closeSync: (file: number) => void;
};

export const disk: Disk = fs;

/** Checks whether anything has this name. An error counts as nothing. */
export function isThere(disk: Disk, path: string): boolean {
  try {
    return disk.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Formats a path for a line: as it is, or quoted if it would break the line. */
export function pathLine(path: string): string {
  return invisible.test(path) || path.includes("\n") ? quoted(path) : path;
}

/** Checks whether a path is a directory or inside it. Both must be absolute and resolved. */
export function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

/** Lists the directories from the root of the disk down to this one. */
export function directoriesTo(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [...directoriesTo(parent), directory];
}

/**
 * Lists the directories, down to the working directory, that may come from someone else: its repository, and an outer one it is
 * part of. Without a repository, all but the user's home and what is above it. The others are the user's own.
 */
export function foreignDirectories(disk: Disk, cwd: string, userHome: string | undefined): string[] {
  const directories = directoriesTo(cwd);
  const outermost = directories.findIndex((directory) => isThere(disk, join(directory, ".git")));
  if (outermost >= 0) return directories.slice(outermost);
  const own = userHome === undefined ? [] : directoriesTo(userHome);
  return directories.filter((directory) => directory === cwd || !own.includes(directory));
}

/** The working directory and those above it, up to the root of its repository; without one, itself alone. */
export function repository(disk: Disk, cwd: string): string[] {
  const upwards = directoriesTo(cwd).reverse();
  const root = upwards.findIndex((directory) => isThere(disk, join(directory, ".git")));
  return upwards.slice(0, Math.max(0, root) + 1);
}

/**
 * Home directory of the user, if there is one. An empty or relative HOME is ignored and the system asked: otherwise it would mean
 * whatever directory the command runs in, and a project's own files would count as the user's.
 */
export function userHome(): string | undefined {
  return [homedir, () => userInfo().homedir].map(homeFrom).find((path) => path !== undefined && isAbsolute(path));
}

/** Calls a function of the system that fails in a container whose user is unknown. */
function homeFrom(where: () => string): string | undefined {
  try {
    return where();
  } catch {
    return undefined;
  }
}
