const fs = process.getBuiltinModule("node:fs");

/**
 * The functions of node:fs that files are read with. Pass your own in tests: one that fails, counts, or changes a file
 * between two calls.
 */
export type Disk = Pick<
  typeof fs,
  "statSync" | "lstatSync" | "readdirSync" | "realpathSync" | "openSync" | "fstatSync" | "readSync" | "closeSync"
>;

export const disk: Disk = fs;

/** Is there anything of that name? What cannot be looked at is taken for nothing. */
export function isThere(disk: Disk, path: string): boolean {
  try {
    return disk.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
