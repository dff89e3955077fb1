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
  mkdirSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { Problem } from "../../prompt/problem.ts";
import { isWithin } from "../../sources/disk/disk.ts";
import { codeOf } from "../../sources/disk/file.ts";
import {
  type FileAccess,
  type LocatedPath,
  pathProblem,
  protectedProblem,
  resolveRealPath,
  type Use,
  type Workspace,
} from "./workspace.ts";

/**
 * Reads the text of a file by way of `files`; undefined where the disk is to be read. The workspace's walls are checked first.
 */
export async function openText(
  workspace: Workspace,
  files: FileAccess | undefined,
  place: LocatedPath,
): Promise<string | undefined> {
  if (!files || !isWithin(workspace.root, place.real)) return undefined;
  if (place.exists) closeSync(openFile(workspace, place).fd);
  return files.read(place.real);
}

/** Writes a text by way of `files`; returns false where the disk is to be written. Missing directories above it are made. */
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

export type OpenFile = { readonly fd: number; readonly stat: BigIntStats };

/** Flags of open(2). Windows lacks the last three. */
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/**
 * Opens a regular file for reading, and nothing else: a pipe or a device is not even opened. The open file's place is checked
 * again afterwards, since a link may have been put in the way after the path was checked.
 */
export function openFile(workspace: Workspace, place: LocatedPath): OpenFile {
  const { real, shown } = place;
  try {
    checkRegular(lstatSync(real), shown);
    const fd = openSync(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stat = fstatSync(fd, { bigint: true });
      checkRegular(stat, shown);
      workspace.check(pathOfOpen(fd, stat, place), place.requested, "read");
      if (workspace.isProtectedFile(stat)) throw protectedProblem(place.requested);
      return { fd, stat };
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  } catch (error) {
    throw pathProblem(error, shown, "read");
  }
}

/** Reads all of an open file; undefined where it is larger than that. */
export function readWhole({ fd, stat }: OpenFile, maxBytes: number): Buffer | undefined {
  if (stat.size > BigInt(maxBytes)) return undefined;
  const chunks: Buffer[] = [];
  // Some files claim to be empty and are not, and any may grow meanwhile.
  for (let size = 0; ; ) {
    const chunk = Buffer.allocUnsafe(Math.max(1, Number(stat.size) + 1 - size, chunks.length === 0 ? 0 : 65_536));
    const read = readSync(fd, chunk);
    if (read === 0) return Buffer.concat(chunks);
    size += read;
    if (size > maxBytes) return undefined;
    chunks.push(chunk.subarray(0, read));
  }
}

type Kind = Pick<BigIntStats, "isFile" | "isDirectory">;

function checkRegular(stat: Kind, shown: string): void {
  if (stat.isFile()) return;
  const [kind, hint] = stat.isDirectory()
    ? ["a directory", "List it, or name a file in it."]
    : ["a pipe, a device or another thing that is no file", "Name a file."];
  throw new Problem("not-a-file", `“${shown}” is ${kind}.`, hint);
}

/** Returns the path of an open file. Linux knows it; elsewhere the path is followed again, and must lead to the same file. */
function pathOfOpen(fd: number, stat: BigIntStats, { real, shown }: LocatedPath): string {
  const path = openPath(fd);
  if (path !== undefined) return path;
  const again = resolveRealPath(real).path;
  const now = statSync(again, { bigint: true });
  if (now.dev !== stat.dev || now.ino !== stat.ino) throw changedProblem(shown);
  return again;
}

function openPath(fd: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined;
  }
}

function changedProblem(shown: string): Problem {
  return new Problem(
    "file-changed",
    `“${shown}” was changed by someone else at the same time.`,
    "Read it again first.",
  );
}

/**
 * Replaces a file by a whole new one; readers see the old one until then. Missing directories are made. `seen` is the file's
 * state when it was read: one that has changed since is left as it is.
 *
 * All this is synchronous, so two calls of one process never come between each other's reading and writing. Between processes the
 * last check and the renaming are two moments: the later one wins, whole.
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

/** Writes a new file with the old one's rights, and its owner where that is possible. Until then nobody else can read it. */
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
        // Changing the owner needs the superuser.
      }
    fchmodSync(fd, Number(before.mode & 0o777n));
  } finally {
    closeSync(fd);
  }
}

/** A directory that is kept open: work below `at` is done in it, whatever its path leads to by then. */
type FolderHandle = { readonly at: string; readonly close: () => void };

/** Opens the directory at a real path; missing ones are made one by one, each inside the open one. */
function ensureFolder(workspace: Workspace, real: string, asked: string): FolderHandle {
  const missing: string[] = [];
  let existing = real;
  while (lstatSync(existing, { throwIfNoEntry: false }) === undefined) {
    missing.unshift(basename(existing));
    existing = dirname(existing);
  }
  let folder = openFolder(workspace, existing, { asked, use: "write" });
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
    // A directory that another process has just made will do; anything else of that name fails to open.
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

/** Opens an existing directory. Linux reaches its entries by its number; elsewhere only by its path. */
export function openFolder(
  { check }: Workspace,
  path: string,
  { asked, use }: { readonly asked: string; readonly use: Use },
): FolderHandle {
  const fd = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    const openedPath = openPath(fd);
    const at = openedPath === undefined ? realpathSync.native(path) : `/proc/self/fd/${fd}`;
    check(openedPath ?? at, asked, use);
    return { at, close: () => closeSync(fd) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
