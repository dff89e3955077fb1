import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  statSync,
} from "node:fs";
import { Problem } from "../../prompt/problem.ts";
import { pathProblem } from "./path-problem.ts";
import { resolveRealPath } from "./real-path.ts";
import { type LocatedPath, protectedProblem, type Workspace } from "./workspace.ts";

export type OpenFile = { readonly fd: number; readonly stat: BigIntStats };

/** Windows has no such flags. */
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/**
 * Opens a regular file for reading, and nothing else: what is a pipe or a device is not even opened. Where the open
 * file lies is asked again afterwards, since a link may have been put in the way after the path was looked at.
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

/** All of an open file; nothing where it has more bytes than that. */
export function readWhole({ fd, stat }: OpenFile, maxBytes: number): Buffer | undefined {
  if (stat.size > BigInt(maxBytes)) return undefined;
  const chunks: Buffer[] = [];
  // Some files say that they are empty and are not, and any may grow meanwhile.
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

export function checkRegular(stat: Kind, shown: string): void {
  if (stat.isFile()) return;
  const [what, hint] = stat.isDirectory()
    ? ["a directory", "List it, or name a file in it."]
    : ["a pipe, a device or another thing that is no file", "Name a file."];
  throw new Problem("not-a-file", `“${shown}” is ${what}.`, hint);
}

/** Linux says where an open file lies; elsewhere the path is followed again, and must lead to the same file. */
function pathOfOpen(fd: number, stat: BigIntStats, { real, shown }: LocatedPath): string {
  const path = openPath(fd);
  if (path !== undefined) return path;
  const again = resolveRealPath(real).path;
  const now = statSync(again, { bigint: true });
  if (now.dev !== stat.dev || now.ino !== stat.ino) throw changedProblem(shown);
  return again;
}

export function openPath(fd: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined;
  }
}

export function changedProblem(shown: string): Problem {
  return new Problem(
    "file-changed",
    `“${shown}” was changed by someone else at the same time.`,
    "Read it again first.",
  );
}
