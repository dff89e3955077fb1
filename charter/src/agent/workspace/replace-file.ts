import { randomUUID } from "node:crypto";
import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { ensureFolder } from "./folder-handle.ts";
import { changedProblem, checkRegular } from "./open-file.ts";
import { pathProblem } from "./path-problem.ts";
import type { LocatedPath, Workspace } from "./workspace.ts";

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants;

/**
 * Puts a whole new file in the place of the old one, which readers see until then; directories that are missing are
 * made. `seen` is what the file was when it was read: one that is another by now is left as it is.
 *
 * All in one go, so two calls of one process never come between each other's reading and writing. Between processes
 * the last look and the renaming are two moments: the later one wins, whole.
 */
export function replaceFile(workspace: Workspace, place: LocatedPath, bytes: Uint8Array, seen?: BigIntStats): void {
  const { real, shown } = place;
  try {
    if (real === workspace.root) checkRegular(lstatSync(real), shown);
    const folder = ensureFolder(workspace, dirname(real), place.requested);
    try {
      const target = `${folder.at}/${basename(real)}`;
      const before = lookAt(target);
      if (before) {
        if (before.isSymbolicLink()) throw changedProblem(shown);
        checkRegular(before, shown);
        accessSync(target, constants.W_OK);
      }
      const made = `${folder.at}/.charter-${randomUUID()}.tmp`;
      try {
        writeNew(made, bytes, before);
        if (seen && isOther(seen, lookAt(target))) throw changedProblem(shown);
        renameSync(made, target);
      } catch (error) {
        rmSync(made, { force: true });
        throw error;
      }
    } finally {
      folder.close();
    }
  } catch (error) {
    throw pathProblem(error, shown, "written");
  }
}

function lookAt(path: string): BigIntStats | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false });
}

function isOther(seen: BigIntStats, now: BigIntStats | undefined): boolean {
  return (
    now?.ino !== seen.ino || now.size !== seen.size || now.mtimeNs !== seen.mtimeNs || now.ctimeNs !== seen.ctimeNs
  );
}

/** With the rights the file had before, and its owner where that may be given. Until then it is nobody else's to read. */
function writeNew(path: string, bytes: Uint8Array, before: BigIntStats | undefined): void {
  const fd = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, before ? 0o600 : 0o666);
  try {
    writeFileSync(fd, bytes);
    if (!before) return;
    const { uid, gid } = fstatSync(fd, { bigint: true });
    if (uid !== before.uid || gid !== before.gid)
      try {
        fchownSync(fd, Number(before.uid), Number(before.gid));
      } catch {
        // Only the superuser may.
      }
    fchmodSync(fd, Number(before.mode & 0o777n));
  } finally {
    closeSync(fd);
  }
}
