import type { ConsideredFile } from "./disk/considered-file.ts";
import { type Disk, isThere } from "./disk/disk.ts";
import type { FileState, Files } from "./disk/file.ts";
import type { FileLimits } from "./disk/file-limits.ts";
import { pathLine } from "./disk/path-line.ts";
import { directoriesTo, foreignDirectories } from "./disk/repository.ts";
import { unusedReasons } from "./disk/unused-reason.ts";
import { isWithin } from "./disk/within.ts";

const { join } = process.getBuiltinModule("node:path");

export type ContextPlaces = {
  readonly disk: Disk;
  readonly files: Files;
  readonly limits: FileLimits;
  readonly cwd: string;
  readonly home: string;
  /** The user's own directory: what is not below it is nobody's project. */
  readonly userHome?: string | undefined;
  /** Of a project nobody trusted, a link that leads out of its directory is not followed: it may lead to a secret. */
  readonly trusted: boolean;
};

/** A name that was looked for. `state`: what it holds, or why it was not asked. */
export type ContextCandidate = {
  readonly path: string;
  readonly place: ConsideredFile["place"];
  readonly state: FileState | string;
  /** Which file of the disk it is. */
  readonly identity?: string | undefined;
  /** It is read under this name only. */
  readonly meant?: string;
  /** Where it leads, and is not followed. */
  readonly outside?: string;
};

/** A name on a disk that tells capitals apart, as people write it who are used to one that does not. */
const variants: Readonly<Record<string, readonly string[]>> = {
  "AGENTS.md": ["Agents.md", "agents.md", "AGENTS.MD", "agents.MD"],
  "CLAUDE.md": ["Claude.md", "claude.md", "CLAUDE.MD", "claude.MD"],
};

/**
 * Every context file there may be, in the order of the prompt: the global directory, then from the root of the disk
 * down to the working directory, by the path that was given (a link on the way is not resolved: its reader knows it
 * under this name).
 */
export function findContextFiles(places: ContextPlaces): ContextCandidate[] {
  const { cwd, home } = places;
  const above = directoriesTo(cwd).filter((directory) => directory !== home);
  const foreign = places.trusted ? [] : foreignDirectories(places.disk, cwd, places.userHome);
  const looks = above.map((directory) => {
    const own = !foreign.includes(directory);
    return inDirectory({ ...places, trusted: own }, directory, "project", directory === cwd);
  });
  return [...inDirectory({ ...places, trusted: true }, home, "global", true), ...looks.flat()];
}

/** AGENTS.md, else CLAUDE.md. One that is there stands, whether it has words or not and whether it can be read or not. */
function inDirectory(
  { disk, files, limits, trusted }: ContextPlaces,
  directory: string,
  place: ConsideredFile["place"],
  close: boolean,
): ContextCandidate[] {
  const found: ContextCandidate[] = [];
  let standing: string | undefined;
  for (const name of ["AGENTS.md", "CLAUDE.md"]) {
    const path = join(directory, name);
    if (standing !== undefined) {
      if (isThere(disk, path)) found.push({ path, place, state: unusedReasons.insteadOf(pathLine(standing)) });
      continue;
    }
    const outside = trusted ? undefined : leadsOut(disk, path, directory);
    if (outside !== undefined) {
      found.push({ path, place, state: "it leads out of a project that is not trusted", outside });
      standing = path;
      continue;
    }
    const state = files.read(path, limits.contextFile);
    found.push({ path, place, state, identity: files.identity(path) });
    if (state.status !== "missing") standing = path;
    else if (close && state.diagnostics.length === 0) found.push(...variantsOf(disk, directory, name, place));
  }
  return found;
}

function leadsOut(disk: Disk, path: string, directory: string): string | undefined {
  if (!disk.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined;
  try {
    const [real, root] = [disk.realpathSync(path), disk.realpathSync(directory)];
    return isWithin(root, real) ? undefined : real;
  } catch {
    // Broken, or a circle: reading it says so.
    return undefined;
  }
}

function variantsOf(disk: Disk, directory: string, meant: string, place: ConsideredFile["place"]): ContextCandidate[] {
  return (variants[meant] ?? []).flatMap((name): ContextCandidate[] => {
    const path = join(directory, name);
    return isThere(disk, path) ? [{ path, place, state: `the name that is read is ${meant}`, meant }] : [];
  });
}
