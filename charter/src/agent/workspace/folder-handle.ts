import { closeSync, constants, lstatSync, mkdirSync, openSync, realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import { codeOf } from "../../sources/disk/file.ts";
import { openPath } from "./open-file.ts";
import type { Use, Workspace } from "./workspace.ts";

/** A directory that is kept open: what is done below `at` is done in it, whatever its path leads to by then. */
type FolderHandle = { readonly at: string; readonly close: () => void };

const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;

/** The directory at a real path; what is missing of it is made, one by one, each in the one that is held. */
export function ensureFolder(workspace: Workspace, real: string, asked: string): FolderHandle {
  const missing: string[] = [];
  let there = real;
  while (lstatSync(there, { throwIfNoEntry: false }) === undefined) {
    missing.unshift(basename(there));
    there = dirname(there);
  }
  let folder = openFolder(workspace, there, { asked, use: "write" });
  for (const name of missing) {
    try {
      const next = `${folder.at}/${name}`;
      makeFolder(next);
      const inner = openFolder(workspace, next, { asked, use: "write" });
      folder.close();
      folder = inner;
    } catch (error) {
      folder.close();
      throw error;
    }
  }
  return folder;
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    // Someone was quicker; if it is no directory, it cannot be held.
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

/** One that is there. Only Linux reaches its entries by its number; elsewhere the path is all there is. */
export function openFolder(
  { check }: Workspace,
  path: string,
  { asked, use }: { readonly asked: string; readonly use: Use },
): FolderHandle {
  const fd = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    const where = openPath(fd);
    const at = where === undefined ? realpathSync.native(path) : `/proc/self/fd/${fd}`;
    check(where ?? at, asked, use);
    return { at, close: () => closeSync(fd) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
