const fs = process.getBuiltinModule("node:fs");

/** The part of node:fs that sources read through: another one may fail, count, or change a file between two calls. */
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
