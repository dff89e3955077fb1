import { chmodSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import type { Sha256 } from "../../prompt/prompt.ts";
import type { RequestSession } from "../model.ts";

/** Whose process it is: two agents or two users never share one. */
export type AgentPlace = Pick<RequestSession, "agent" | "user" | "operator">;

/** A place as a part of a path. The digest keeps two names apart that are alike to some file system. */
export function placeName({ agent, user, operator }: AgentPlace, sha256: Sha256): string {
  const whose = user !== undefined ? `user-${safeName(user, sha256)}` : operator ? "operator" : "nobody";
  return join(safeName(agent, sha256), whose);
}

export function safeName(name: string, sha256: Sha256): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40);
  return `${plain.replace(/^-|-$/g, "") || "x"}-${sha256(name).slice(0, 12)}`;
}

/** Makes a directory that only this account can read, with those above it. */
export function makeDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** An agent's tools can read all that is in its directory: nothing of ours may be there. */
export function checkDirectory(name: string, directory: string, ours: readonly string[]): void {
  const real = realPath(directory);
  const inside = ours.find((path) => isWithin(realPath(path), real));
  if (inside === undefined) return;
  throw new Problem(
    "acp-directory",
    `The directory of “acp/${name}”, ${directory}, holds ${inside}, which its tools could read.`,
    `Give acp.${name} another \`cwd\`, or keep that file elsewhere.`,
  );
}

function isWithin(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Where a path leads, links followed as far as it exists. */
function realPath(path: string): string {
  const whole = resolve(path);
  try {
    return realpathSync(whole);
  } catch {
    const above = dirname(whole);
    return above === whole ? whole : join(realPath(above), basename(whole));
  }
}

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
