const fs = process.getBuiltinModule("node:fs");

/** What is known of a file without reading it, in the words of node:fs. */
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
 * The functions of node:fs that files are read with. Pass your own in tests: one that fails, counts, or changes a file
 * between two calls. The types are written out, so that Node's need not be installed.
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

/** Is there anything of that name? What cannot be looked at is taken for nothing. */
export function isThere(disk: Disk, path: string): boolean {
  try {
    return disk.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
