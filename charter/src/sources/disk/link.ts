import type { Disk } from "./disk.ts";
import { codeOf } from "./file.ts";

/** What a link leads to. `circular`: links that lead to one another and nowhere else. */
export type LinkTarget = "directory" | "file" | "other" | "missing" | "circular" | "unavailable";

export function linkTarget(disk: Disk, path: string): LinkTarget {
  try {
    const found = disk.statSync(path, { throwIfNoEntry: false });
    if (!found) return "missing";
    return found.isDirectory() ? "directory" : found.isFile() ? "file" : "other";
  } catch (error) {
    const code = codeOf(error);
    return code === "ELOOP" ? "circular" : code === "ENOTDIR" ? "missing" : "unavailable";
  }
}

/** Where a path leads in the end; itself when nobody can say. */
export function realPath(disk: Disk, path: string): string {
  try {
    return disk.realpathSync.native(path);
  } catch {
    return path;
  }
}
