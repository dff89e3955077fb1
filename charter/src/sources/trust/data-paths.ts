import { isWithin } from "../disk/within.ts";

const { dirname, resolve } = process.getBuiltinModule("node:path");

/** A text in quotes that is a path, as it is written, and whether it is imported. */
type NamedPath = { readonly path: string; readonly imported: boolean };

/** What is run, by its name. */
export const script = /\.(?:[cm]?[jt]s|sh|py|rb|pl)$/;

/** By their names these are what programs write, and nobody runs. */
const written = /\.(?:db|sqlite3?|log)(?:-(?:wal|shm|journal))?$/;

/** A path begins with a dot, a slash or the module's own folder; commands name scripts without any of them, too. */
const inQuotes =
  /(?<imported>\b(?:from|import|require)\s*(?:\(\s*)?)?(["'`])(?:(?<own>\$\{import\.meta\.dirname\})?(?<path>\.{0,2}\/[^"'`\0\r\n]*)|(?<bare>[^"'`\s:*$]+\.(?:[cm]?[jt]s|sh|py|rb|pl)))\2/g;

/** Every path that a module names, in its order. */
export function namedPaths(text: string): NamedPath[] {
  return [...text.matchAll(inQuotes)].map(({ groups: { imported, own, path, bare } = {} }) => ({
    path: bare ?? `${own === undefined ? "" : "."}${path}`,
    imported: imported !== undefined,
  }));
}

/**
 * Says of the paths of a configuration, and of the files it names, which are data: its database, what its setting `data`
 * lists or holds, and databases and logs by their names. A script is none, whatever is said of it, nor is an import.
 */
export function dataTest(configuration: string, text: string): (named: NamedPath, from: string) => boolean {
  const places = [/\bdatabase\s*:([^,}\n]*)/g, /\bdata\s*:\s*\[([^[\]]*)\]/g]
    .flatMap((setting) => [...text.matchAll(setting)].map(([, said = ""]) => said))
    .flatMap((said) => [...said.matchAll(/(["'`])(?:\$\{import\.meta\.dirname\}\/)?([^"'`]+)\1/g)])
    .map(([, , path = ""]) => resolve(dirname(configuration), path));
  return ({ path, imported }, from) => {
    if (imported || script.test(path)) return false;
    const whole = resolve(dirname(from), path).replace(/-(?:wal|shm|journal)$/, "");
    return written.test(path) || places.some((place) => isWithin(place, whole));
  };
}
