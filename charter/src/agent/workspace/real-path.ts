import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { codeOf } from "../../sources/disk/file.ts";

export type RealPath = { readonly path: string; readonly exists: boolean };

/** As many links in a row as Linux follows. */
const maxLinks = 40;

/**
 * Where a path leads when every link is followed. What is not there yet lies where its nearest ancestor lies that is; a
 * link to nothing leads to the nothing it names, since that is where a file written through it would come to be.
 */
export function resolveRealPath(path: string, links = 0): RealPath {
  try {
    return { path: realpathSync.native(path), exists: true };
  } catch (error) {
    if (codeOf(error) !== "ENOENT" || dirname(path) === path) throw error;
  }
  const folder = resolveRealPath(dirname(path), links);
  const here = join(folder.path, basename(path));
  const target = folder.exists ? linkAt(here) : undefined;
  if (target === undefined) return { path: here, exists: false };
  if (links === maxLinks) throw Object.assign(new Error("too many links in a row"), { code: "ELOOP" });
  return resolveRealPath(resolve(folder.path, target), links + 1);
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
