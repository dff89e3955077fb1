import { isWithin } from "../../sources/disk/within.ts";

const { lstatSync, readFileSync, realpathSync } = process.getBuiltinModule("node:fs");

/** Longer ones are shown as if they were new. */
const maxBytes = 1_048_576;

/** What a text file in the directory holds now, for an editor to show what a call changes in it; null for all others. */
export function fileBefore(root: string | undefined, path: string | undefined): string | null {
  if (root === undefined || path === undefined) return null;
  try {
    const real = realpathSync.native(path);
    if (!isWithin(realpathSync.native(root), real)) return null;
    const stat = lstatSync(real);
    if (!stat.isFile() || stat.size > maxBytes) return null;
    const bytes = readFileSync(real);
    return bytes.includes(0) ? null : bytes.toString("utf8");
  } catch {
    return null;
  }
}
