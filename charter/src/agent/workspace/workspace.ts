import { readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { listed, Problem, reasonOf } from "../../prompt/problem.ts";
import { isWithin, pathLine } from "../../sources/disk/disk.ts";
import { codeOf } from "../../sources/disk/file.ts";

/** Absolute paths; a function is called each time, for paths that may change. */
type Paths = readonly string[] | (() => readonly string[]);

export type Use = "read" | "write";

/**
 * Access to the text of files other than the disk: an editor, whose buffers may not be saved yet. It is asked only for files that
 * the workspace allows, and only for those of the working directory.
 */
export type FileAccess = {
  /** Returns the whole text; undefined where there is none: then the disk is read. */
  readonly read: (path: string) => Promise<string | undefined>;
  readonly write: (path: string, text: string) => Promise<void>;
};

/** The directories and files a coding agent's file tools may use. */
export type Confinement = {
  /** The working directory. */
  readonly root: string;
  /** Further directories that file tools may read and write. */
  readonly allowed?: Paths;
  /** Directories or files that they may also read, list and search, such as skills. */
  readonly readable?: Paths;
  /**
   * Paths that are never used, not even inside the others: the store's database, for example. Their names may still be listed.
   */
  readonly protected?: Paths;
};

/** A path a model gave, and the real path it leads to: inside the workspace, and not protected. */
export type LocatedPath = {
  readonly requested: string;
  readonly real: string;
  readonly exists: boolean;
  /** The path as it is shown: relative to the working directory where it lies in it. The model can use it again. */
  readonly shown: string;
};

/**
 * The directories file tools are kept to.
 *
 * A path is judged by where it leads, not by how it is written: `..`, absolute paths and links are all followed first. A hard
 * link cannot be seen from a path: a file outside that also has a name inside counts as inside. (Writing replaces such a name and
 * leaves the other one as it was.)
 */
export type Workspace = {
  readonly root: string;
  readonly locate: (path: string, use: Use) => LocatedPath;
  /** Checks a path that is real already. */
  readonly check: (real: string, asked: string, use: Use) => void;
  /** Returns a function that tells which real paths are protected now. */
  readonly protection: () => (real: string) => boolean;
  /** Tells whether a file is a protected one under another name. */
  readonly isProtectedFile: (file: { readonly dev: bigint; readonly ino: bigint }) => boolean;
  readonly shown: (real: string) => string;
};

export function openWorkspace(confinement: Confinement): Workspace {
  const { root: givenRoot, allowed = [], readable = [], protected: protectedPaths = [] } = confinement;
  const root = rootOf(givenRoot);
  // Resolved anew each time: a database or an allowed directory may be created later.
  const places = (paths: Paths) =>
    (typeof paths === "function" ? paths() : paths).map((path) => placeOf(resolve(path)));
  const shown = (real: string) => pathLine(isWithin(root, real) ? relative(root, real) || "." : real);
  const protection = () => {
    const paths = places(protectedPaths);
    const beside = new Set(paths.flatMap(besideDatabase));
    return (real: string) => beside.has(real) || paths.some((path) => isWithin(path, real));
  };

  const check: Workspace["check"] = (real, asked, use) => {
    const others = places(allowed);
    const isIn = (bases: readonly string[]) => bases.some((base) => isWithin(base, real));
    if (!isIn([root, ...others])) {
      const mayRead = isIn(places(readable));
      if (use === "write" || !mayRead) throw outsideProblem({ asked, real, root, others, mayRead });
    }
    if (protection()(real)) throw protectedProblem(asked);
  };

  return {
    root,
    check,
    protection,
    shown,
    isProtectedFile: ({ dev, ino }) =>
      places(protectedPaths)
        .flatMap((path) => [path, ...besideDatabase(path)])
        .some((path) => {
          const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
          return stat !== undefined && stat.dev === dev && stat.ino === ino;
        }),
    locate: (asked, use) => {
      checkWords(asked);
      let place: RealPath;
      try {
        place = resolveRealPath(resolve(root, asked));
      } catch (error) {
        throw pathProblem(error, pathLine(asked), "read");
      }
      check(place.path, asked, use);
      return { requested: asked, real: place.path, exists: place.exists, shown: shown(place.path) };
    },
  };
}

type Outside = {
  readonly asked: string;
  readonly real: string;
  readonly root: string;
  readonly others: readonly string[];
  readonly mayRead: boolean;
};

function outsideProblem({ asked, real, root, others, mayRead }: Outside): Problem {
  const subject = asked === real ? `“${pathLine(asked)}”` : `“${pathLine(asked)}” leads to “${pathLine(real)}”, which`;
  return new Problem(
    "outside-workspace",
    `${subject} ${mayRead ? "may be read, not written" : `is outside the working directory “${root}”`}.`,
    `Give a path inside the working directory${others.length === 0 ? "" : ` or inside ${listed(others)}`}.`,
  );
}

export function protectedProblem(asked: string): Problem {
  return new Problem("protected-path", `“${pathLine(asked)}” is protected.`, "Leave it alone; use another file.");
}

/** Lists the files that SQLite keeps beside a database as parts of it. */
function besideDatabase(path: string): string[] {
  return ["-wal", "-shm", "-journal"].map((end) => path + end);
}

/**
 * Refuses paths that are empty, hold a NUL or begin with `~`, a shell's word: taken as a name it would make a directory “~”,
 * which someone may then remove in a shell.
 */
function checkWords(path: string): void {
  const fault = path.trim() === "" ? "is empty" : path.includes("\0") ? "holds a NUL" : undefined;
  const isHome = /^~(?:$|[/\\])/.test(path);
  if (fault === undefined && !isHome) return;
  throw new Problem(
    "bad-path",
    fault === undefined ? `“${pathLine(path)}” begins with “~”, which is not expanded here.` : `The path ${fault}.`,
    "Give a path from the working directory, or an absolute one.",
  );
}

function placeOf(path: string): string {
  try {
    return resolveRealPath(path).path;
  } catch {
    return path;
  }
}

function rootOf(given: string): string {
  const fault = (why: string) =>
    new Problem("bad-workspace", `The working directory “${given}” cannot be used: ${why}.`, "Name a directory.");
  if (!isAbsolute(given)) throw fault("its path is not absolute");
  try {
    const { path } = resolveRealPath(join(given));
    if (!statSync(path).isDirectory()) throw new Error("it is no directory");
    return path;
  } catch (error) {
    throw fault(reasonOf(error));
  }
}

/** Makes a Problem of an error of the disk. */
export function pathProblem(error: unknown, shown: string, doing: "read" | "written"): Problem {
  if (error instanceof Problem) return error;
  switch (codeOf(error)) {
    case "ENOENT":
      return new Problem("no-such-file", `There is no “${shown}”.`, "Look at what is there first.");
    case "ENOTDIR":
    case "EEXIST":
      return new Problem("not-a-file", `“${shown}” lies under something that is no directory.`, "Check the path.");
    case "EISDIR":
      return new Problem("not-a-file", `“${shown}” is a directory.`, "Name a file in it.");
    case "ELOOP":
      return new Problem(
        "bad-path",
        `“${shown}” is a link that leads nowhere, or was made one just now.`,
        "Name a file.",
      );
    case "ENAMETOOLONG":
      return new Problem("bad-path", "The path, or a name in it, is too long.", "Give a shorter one.");
    case "ENOSPC":
    case "EDQUOT":
      return new Problem("disk-full", `There is no room to write “${shown}”.`, "Make room; nothing was changed.");
    default: {
      const code = doing === "read" ? "unreadable" : "unwritable";
      return new Problem(code, `“${shown}” cannot be ${doing}: ${causeOf(error)}.`, "Check the path and its rights.");
    }
  }
}

/** Returns an error's cause without the call and the path, which may be one nobody asked for. */
function causeOf(error: unknown): string {
  const reason = reasonOf(error);
  return /^[A-Z]+: ([^,]+),/.exec(reason)?.[1] ?? reason;
}

type RealPath = { readonly path: string; readonly exists: boolean };

/** Maximum number of links in a row, the same as Linux follows. */
const maxLinks = 40;

/**
 * Returns the path with every link followed. A missing file lies where its nearest existing ancestor lies; a link to nothing
 * leads to the path it names, since a file written through it would be created there.
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
