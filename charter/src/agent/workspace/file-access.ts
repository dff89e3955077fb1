import { closeSync } from "node:fs";
import { dirname } from "node:path";
import { isWithin } from "../../sources/disk/within.ts";
import { ensureFolder } from "./folder-handle.ts";
import { openFile } from "./open-file.ts";
import type { LocatedPath, Workspace } from "./workspace.ts";

/**
 * Another way to the text of files than the disk: an editor, whose buffers may not be saved yet. It is asked only for
 * what the workspace allows, and only for files of the working directory.
 */
export type FileAccess = {
  /** The whole text; nothing where there is none to be had this way: then the disk is read. */
  readonly read: (path: string) => Promise<string | undefined>;
  readonly write: (path: string, text: string) => Promise<void>;
};

/** The text of a file as `files` has it; nothing where the disk is to be read. The walls are looked at first. */
export async function openText(
  workspace: Workspace,
  files: FileAccess | undefined,
  place: LocatedPath,
): Promise<string | undefined> {
  if (!files || !isWithin(workspace.root, place.real)) return undefined;
  if (place.exists) closeSync(openFile(workspace, place).fd);
  return files.read(place.real);
}

/** Writes a text by way of `files`; false where the disk is to be written. Missing directories above it are made. */
export async function writeText(
  workspace: Workspace,
  files: FileAccess | undefined,
  place: LocatedPath,
  text: string,
): Promise<boolean> {
  if (!files || !isWithin(workspace.root, place.real)) return false;
  if (place.exists) closeSync(openFile(workspace, place).fd);
  else ensureFolder(workspace, dirname(place.real), place.requested).close();
  await files.write(place.real, text);
  return true;
}
