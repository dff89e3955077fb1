import type { Diagnostic, DiagnosticCode } from "../disk/diagnostic.ts";
import type { Disk } from "../disk/disk.ts";
import { codeOf, createFiles, isAbsence } from "../disk/file.ts";
import { pathLine } from "../disk/path-line.ts";
import { isWithin } from "../disk/within.ts";

const { join, resolve } = process.getBuiltinModule("node:path");

const indexNames = ["index.ts", "index.js", "index.mts", "index.mjs", "index.cjs"];
const max = 1_048_576;

export type PathKind = "file" | "directory" | "other" | "unreadable" | "broken" | "absent";

/** What a path leads to. */
export function kindAt(path: string, disk: Disk): PathKind {
  try {
    const stats = disk.statSync(path, { throwIfNoEntry: false });
    if (stats) return stats.isFile() ? "file" : stats.isDirectory() ? "directory" : "other";
    return disk.lstatSync(path, { throwIfNoEntry: false }) ? "broken" : "absent";
  } catch (error) {
    return codeOf(error) === "ELOOP" ? "broken" : isAbsence(error) ? "absent" : "unreadable";
  }
}

/** The entry files of one extension's directory: what its package.json names, else its index file. */
export function packageEntries(
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

/** The list in "charter" → "extensions", else the one in "pi" → "extensions". */
function namedIn(path: string, disk: Disk, say: (code: DiagnosticCode, message: string) => void): string[] {
  const state = createFiles(disk, () => 0).read(path, max);
  if (state.status === "missing" || state.status === "empty") return [];
  if (state.status === "unavailable") {
    say("unreadable", `${state.reason}.`);
    return [];
  }
  try {
    const { charter, pi } = JSON.parse(state.text) as Record<string, { extensions?: unknown } | undefined>;
    const named = charter?.extensions ?? pi?.extensions ?? [];
    if (Array.isArray(named) && named.every((name) => typeof name === "string")) return named;
    say("bad-package", `${pathLine(path)}: “extensions” is not a list of paths.`);
  } catch {
    say("bad-package", `${pathLine(path)} is not JSON.`);
  }
  return [];
}

/** Inside by its name and by where it leads. */
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
