import { aPath, checkNeeded, isBoolean } from "../../prompt/argument.ts";
import { type Disk, isWithin, pathLine, disk as usualDisk } from "../disk/disk.ts";
import { codeOf, createFiles, isAbsence, realPath, unusedReasons } from "../disk/file.ts";
import type { ConsideredFile, Diagnostic, DiagnosticCode } from "../disk/findings.ts";

const { join, resolve } = process.getBuiltinModule("node:path");

/** Directories of extensions, and whether the project is trusted. */
export type ExtensionPlaces = {
  readonly cwd: string;
  readonly home: string;
  readonly config: string;
  readonly trusted: boolean;
  /** Absolute paths of files or directories named by whoever starts the agent. They are used without trust. */
  readonly named?: readonly string[];
  readonly disk?: Disk;
};

/**
 * Lists the extensions of a coding agent in the order they are loaded, for `loadExtensions`: the project's if it is trusted, the
 * global ones, those that were named. Each file once.
 */
export function usedExtensions(places: ExtensionPlaces): ConsideredFile[] {
  checkNeeded<ExtensionPlaces>("usedExtensions", places, {
    ...{ cwd: aPath, home: aPath, config: aPath },
    trusted: [isBoolean, "Say whether the project is trusted: true or false."],
  });
  const { cwd, home, config, trusted, named = [], disk = usualDisk } = places;
  const firstPaths = new Map<string, string>();

  function consider(
    place: ConsideredFile["place"],
    asked: string,
    { entries, diagnostics }: ExtensionFiles,
  ): ConsideredFile[] {
    const about = { role: "extension", place } as const;
    const not = (path: string, reason: string) => ({ path, ...about, used: false, reason });
    if (place === "named" && entries.length + diagnostics.length === 0) return [not(asked, "it holds no extension")];
    const used = entries.map((path) => {
      if (place === "project" && !trusted) return not(path, unusedReasons.untrusted);
      const real = realPath(disk, path);
      const first = firstPaths.get(real);
      if (first !== undefined)
        return not(path, first === path ? "it is used already" : `it is the same file as ${first}`);
      firstPaths.set(real, path);
      return { path, ...about, used: true };
    });
    return [...used, ...diagnostics.map(({ path, message }) => not(path, message))];
  }

  const folders = { project: join(cwd, config, "extensions"), global: join(home, "extensions") };
  return [
    // Files are the user's own if both are one directory.
    ...(folders.project === folders.global
      ? []
      : consider("project", folders.project, extensionFiles(folders.project, disk))),
    ...consider("global", folders.global, extensionFiles(folders.global, disk)),
    ...named.flatMap((path) => consider("named", path, namedExtension(path, disk))),
  ];
}

/** Entry files of extensions, and faults of others. */
export type ExtensionFiles = { readonly entries: readonly string[]; readonly diagnostics: readonly Diagnostic[] };

const isExtension = (name: string) => /\.(?:[mc]?js|m?ts)$/.test(name) && !/\.d\.m?ts$/.test(name);
const passedOver = (name: string) => name.startsWith(".") || name === "node_modules";

/**
 * Finds the extensions in a directory, sorted: each code file, and for each subdirectory the entries in its package.json, else
 * its index file. Deeper directories are not searched.
 */
export function extensionFiles(folder: string, disk: Disk = usualDisk): ExtensionFiles {
  const entries: string[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const name of namesIn(folder, disk, diagnostics)) {
    if (passedOver(name)) continue;
    const path = join(folder, name);
    const kind = kindAt(path, disk);
    if (kind === "directory") {
      const packaged = packageEntries(path, disk);
      entries.push(...packaged.entries);
      diagnostics.push(...packaged.diagnostics);
    } else if (!isExtension(name)) continue;
    else if (kind === "file") entries.push(path);
    else diagnostics.push(wrong(path, kind));
  }
  return { entries, diagnostics };
}

/** Entry files of a named path: a file, one extension's directory, or a directory of extensions. */
export function namedExtension(path: string, disk: Disk = usualDisk): ExtensionFiles {
  const kind = kindAt(path, disk);
  if (kind === "file") return { entries: [path], diagnostics: [] };
  if (kind !== "directory") return { entries: [], diagnostics: [wrong(path, kind)] };
  const own = packageEntries(path, disk);
  return own.entries.length + own.diagnostics.length > 0 ? own : extensionFiles(path, disk);
}

function namesIn(folder: string, disk: Disk, diagnostics: Diagnostic[]): string[] {
  const kind = kindAt(folder, disk);
  if (kind === "absent") return [];
  try {
    if (kind === "directory") return disk.readdirSync(folder).sort();
    diagnostics.push(kind === "file" || kind === "other" ? notADirectory(folder) : wrong(folder, kind));
  } catch {
    diagnostics.push(wrong(folder, "unreadable"));
  }
  return [];
}

function notADirectory(path: string): Diagnostic {
  return { severity: "error", code: "not-a-directory", path, message: `${pathLine(path)} is not a directory.` };
}

function wrong(path: string, kind: Exclude<PathKind, "file" | "directory">): Diagnostic {
  const known = {
    other: { code: "not-a-file", what: "is not a file" },
    unreadable: { code: "unreadable", what: "cannot be read" },
    broken: { code: "broken-link", what: "is a link to what is not there" },
    absent: { code: "extension-missing", what: "is not there" },
  } as const;
  const { code, what } = known[kind];
  return { severity: "error", code, path, message: `${pathLine(path)} ${what}.` };
}

const indexNames = ["index.ts", "index.js", "index.mts", "index.mjs", "index.cjs"];
const maxPackageBytes = 1_048_576;

export type PathKind = "file" | "directory" | "other" | "unreadable" | "broken" | "absent";

/** Kind of what a path leads to. */
export function kindAt(path: string, disk: Disk): PathKind {
  try {
    const stats = disk.statSync(path, { throwIfNoEntry: false });
    if (stats) return stats.isFile() ? "file" : stats.isDirectory() ? "directory" : "other";
    return disk.lstatSync(path, { throwIfNoEntry: false }) ? "broken" : "absent";
  } catch (error) {
    return codeOf(error) === "ELOOP" ? "broken" : isAbsence(error) ? "absent" : "unreadable";
  }
}

/** Entry files of one extension's directory: those in its package.json, else its index file. */
function packageEntries(
  folder: string,
  disk: Disk,
): { readonly entries: readonly string[]; readonly diagnostics: readonly Diagnostic[] } {
  const path = join(folder, "package.json");
  const diagnostics: Diagnostic[] = [];
  const say = (code: DiagnosticCode, message: string) =>
    void diagnostics.push({ severity: "error", code, path, message });
  const entries = namedIn(path, disk, say).flatMap((name) => {
    const entry = entryOf(folder, name, disk);
    if (entry === "outside")
      say("extension-outside", `${pathLine(path)} names “${name}”, which is outside its directory.`);
    else if (entry === undefined) say("extension-missing", `${pathLine(path)} names “${name}”, which is not there.`);
    else return [entry];
    return [];
  });
  const index = entries.length > 0 ? undefined : indexOf(folder, disk);
  return { entries: index === undefined ? [...new Set(entries)] : [index], diagnostics };
}

/** Reads the list in "charter" → "extensions", else the one in "pi" → "extensions". */
function namedIn(path: string, disk: Disk, say: (code: DiagnosticCode, message: string) => void): string[] {
  const state = createFiles(disk, () => 0).read(path, maxPackageBytes);
  if (state.status === "missing" || state.status === "empty") return [];
  if (state.status === "unavailable") {
    say("unreadable", `${state.reason}.`);
    return [];
  }
  try {
    const { charter, pi } = JSON.parse(state.text) as Record<string, { extensions?: unknown } | undefined>;
    const names = charter?.extensions ?? pi?.extensions ?? [];
    if (Array.isArray(names) && names.every((name) => typeof name === "string")) return names;
    say("bad-package", `${pathLine(path)}: “extensions” is not a list of paths.`);
  } catch {
    say("bad-package", `${pathLine(path)} is not JSON.`);
  }
  return [];
}

/** Entry file of an extension. It must be inside the folder by its name, and after links are resolved. */
function entryOf(folder: string, name: string, disk: Disk): string | "outside" | undefined {
  const path = resolve(folder, name);
  if (!isWithin(resolve(folder), path)) return "outside";
  try {
    const file = kindAt(path, disk) === "directory" ? indexOf(path, disk) : path;
    if (file === undefined || kindAt(file, disk) !== "file") return undefined;
    return isWithin(disk.realpathSync(folder), disk.realpathSync(file)) ? file : "outside";
  } catch {
    return undefined;
  }
}

function indexOf(folder: string, disk: Disk): string | undefined {
  return indexNames.map((name) => join(folder, name)).find((path) => kindAt(path, disk) === "file");
}
