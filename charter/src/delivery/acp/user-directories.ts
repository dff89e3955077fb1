import { chmodSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import type { Sha256 } from "../../prompt/prompt.ts";
import { placeName } from "./agent-directory.ts";

/** A user, with all agents or with one. */
type UserSelector = { readonly user: string; readonly agent?: string | undefined };

/** The directories that agents over ACP have for a user, whether they are still configured or not. */
export function findUserDirectories(home: string, { user, agent }: UserSelector, sha256: Sha256): string[] {
  const [ofAgent = "", ofUser = ""] = placeName({ agent: agent ?? "", user, operator: false }, sha256).split(/[\\/]/);
  return foldersIn(home).flatMap((program) => {
    const agents = foldersIn(join(home, program)).filter((one) => agent === undefined || one === ofAgent);
    return agents.map((one) => join(home, program, one, ofUser)).filter(isFolder);
  });
}

/** Removes such a directory with all that is in it. Links are removed, not what they lead to. */
export function removeDirectory(path: string): void {
  try {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // Some tools keep folders that nobody may write to.
      unlock(path);
      rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    }
  } catch (error) {
    throw new Problem(
      "acp-directory",
      `The directory ${path} of an agent over ACP could not be removed: ${reasonOf(error)}`,
      "All else is erased. Remove it by hand, or run charter erase again.",
    );
  }
}

/** Which directory it is: one that was removed and made again is another. Undefined where there is none. */
export function directoryId(path: string): string | undefined {
  try {
    const { ino, birthtimeMs } = lstatSync(path);
    return `${ino} ${birthtimeMs}`;
  } catch {
    return undefined;
  }
}

function unlock(path: string): void {
  if (!isFolder(path)) return;
  chmodSync(path, 0o700);
  for (const name of readdirSync(path)) unlock(join(path, name));
}

function foldersIn(path: string): string[] {
  try {
    return readdirSync(path).filter((name) => isFolder(join(path, name)));
  } catch {
    return [];
  }
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
