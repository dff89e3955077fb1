import { isWithin } from "../disk/within.ts";

const { dirname, resolve } = process.getBuiltinModule("node:path");

/** A text in quotes that is a path, as it is written, and whether it is imported, or a command begins with it. */
type NamedPath = { readonly path: string; readonly runs: boolean };

const endings = "[cm]?[jt]sx?|node|wasm|jar|exe|bat|cmd|ps1|(?:ba|z|fi|k|da)?sh|pyz?|rb|pl|php|lua";

/** What is run, by its name. */
export const script = new RegExp(`\\.(?:${endings})$`, "i");

/** By their names these are what programs write, and nobody runs. */
const written = /\.(?:db|sqlite3?|log)(?:-(?:wal|shm|journal))?$/;

/** A path begins with a dot, a slash or the module's own folder; commands name scripts without any of them, too. */
const inQuotes =
  /(?<runs>\b(?:from|import|require)\s*(?:\(\s*)?|\bcommand\s*:\s*(?:\[\s*)?)?(["'`])(?:(?<own>\$\{import\.meta\.dirname\})?(?<path>\.{0,2}\/[^"'`\0\r\n]*))\2/g;

/** A word of a line in quotes, or all of it: `sh -c "./run.sh --port 80"`. */
const word = new RegExp(`(?<![^\\s=])(?:\\.{1,2}/[^\\s\\0]+|[^\\s:*$=\\0]+\\.(?:${endings}))(?!\\S)`, "gi");

/** Every path that a module names. */
export function namedPaths(text: string): NamedPath[] {
  const whole = [...text.matchAll(inQuotes)].map(({ groups: { runs, own, path } = {} }) => ({
    path: `${own === undefined ? "" : "."}${path}`,
    runs: runs !== undefined,
  }));
  const words = text.split(/["'`\r\n]/).flatMap((line) => [...line.matchAll(word)].map(([path]) => path));
  return [...whole, ...words.map((path) => ({ path, runs: false }))];
}

/** Text in quotes, or a comment. */
const quotedOrComment = /(["'`])(?:\\.|(?!\1)[^\\\r\n])*\1|\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g;

/**
 * Says of the paths of a configuration, and of the files it names, which are data: its database, what its setting `data`
 * lists or holds, and databases and logs by their names. A script is none, whatever is said of it, nor is an import
 * or what a command begins with. A comment says nothing.
 */
export function dataTest(configuration: string, text: string): (named: NamedPath, from: string) => boolean {
  const said = text.replace(quotedOrComment, (found) => (found.startsWith("/") ? " " : found));
  const places = [/\bdatabase\s*:([^,}\n]*)/g, /\bdata\s*:\s*\[([^[\]]*)\]/g]
    .flatMap((setting) => [...said.matchAll(setting)].map(([, value = ""]) => value))
    .flatMap((value) => [...value.matchAll(/(["'`])(?:\$\{import\.meta\.dirname\}\/)?([^"'`]+)\1/g)])
    .map(([, , path = ""]) => resolve(dirname(configuration), path));
  return ({ path, runs }, from) => {
    if (runs || script.test(path)) return false;
    const whole = resolve(dirname(from), path).replace(/-(?:wal|shm|journal)$/, "");
    return written.test(path) || places.some((place) => isWithin(place, whole));
  };
}
