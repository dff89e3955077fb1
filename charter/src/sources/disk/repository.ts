import { type Disk, isThere } from "./disk.ts";

const { dirname, join } = process.getBuiltinModule("node:path");

/** From the root of the disk down to it. */
export function directoriesTo(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [...directoriesTo(parent), directory];
}

/**
 * The directories down to the working directory that may have come from elsewhere with it: its repository, and one that
 * this is a part of. Where nothing tells, all but the user's home and what is above that. What is left is the user's own.
 */
export function foreignDirectories(disk: Disk, cwd: string, userHome: string | undefined): string[] {
  const directories = directoriesTo(cwd);
  const outermost = directories.findIndex((directory) => isThere(disk, join(directory, ".git")));
  if (outermost >= 0) return directories.slice(outermost);
  const own = userHome === undefined ? [] : directoriesTo(userHome);
  return directories.filter((directory) => directory === cwd || !own.includes(directory));
}

/** The working directory and what is above it, up to the root of its repository; without one, itself alone. */
export function repository(disk: Disk, cwd: string): string[] {
  const upwards = directoriesTo(cwd).reverse();
  const root = upwards.findIndex((directory) => isThere(disk, join(directory, ".git")));
  return upwards.slice(0, Math.max(0, root) + 1);
}
