import type { Diagnostic } from "../disk/diagnostic.ts";
import { type Disk, disk as usualDisk } from "../disk/disk.ts";
import { pathLine } from "../disk/path-line.ts";
import { kindAt, type PathKind, packageEntries } from "./extension-package.ts";

const { join } = process.getBuiltinModule("node:path");

/** The files extensions begin with, and what is wrong with others. */
export type ExtensionFiles = { readonly entries: readonly string[]; readonly diagnostics: readonly Diagnostic[] };

const isExtension = (name: string) => /\.(?:[mc]?js|m?ts)$/.test(name) && !/\.d\.m?ts$/.test(name);
const passedOver = (name: string) => name.startsWith(".") || name === "node_modules";

/**
 * The extensions in a directory, sorted: each file of code, and of each directory what its package.json names, else its
 * index file. Deeper than that nothing is looked for.
 */
export function extensionFiles(folder: string, disk: Disk = usualDisk): ExtensionFiles {
  const entries: string[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const name of namesIn(folder, disk, diagnostics)) {
    if (passedOver(name)) continue;
    const path = join(folder, name);
    const kind = kindAt(path, disk);
    if (kind === "directory") {
      const found = packageEntries(path, disk);
      entries.push(...found.entries);
      diagnostics.push(...found.diagnostics);
    } else if (!isExtension(name)) continue;
    else if (kind === "file") entries.push(path);
    else diagnostics.push(wrong(path, kind));
  }
  return { entries, diagnostics };
}

/** What a path that somebody named stands for: a file, one extension's directory, or a directory of extensions. */
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
