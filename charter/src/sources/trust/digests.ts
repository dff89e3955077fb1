import { grouped } from "../../prompt/problem.ts";
import { charterFolderFiles } from "../charter-folder/charter-folder.ts";
import { type Disk, type FileStats, isWithin } from "../disk/disk.ts";
import { createFiles, isAbsence, realPath } from "../disk/file.ts";
import { kindAt } from "./extensions.ts";

const { dirname, join, resolve, sep } = process.getBuiltinModule("node:path");
const { O_NONBLOCK = 0, O_RDONLY } = process.getBuiltinModule("node:fs").constants;

/** Maximum number of bytes searched for the names of other files; the whole file is digested all the same. */
const maxSearchedBytes = 4_000_000;

/** Digests of a file and of every file it names, by their real paths. */
export type FileDigests = ReadonlyMap<string, string>;

/**
 * Digests a charter's file or a configuration, and every file that it names by a path, directly or through these: it may import,
 * run or read them. Packages, paths that are put together at run time, and data, which programs write, are left out. Data is not
 * searched for names.
 */
export function namedDigests(
  file: string,
  disk: Disk,
  limits: DigestLimits = digestLimits,
): FileDigests | { readonly tooBig: string } {
  const files = createFiles(disk, () => 0);
  const digests = new Map<string, string>();
  const waiting = [...(charterFolderFiles(file, disk) ?? [file])];
  let isData: ReturnType<typeof dataTest> | undefined;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    // A link's target names files relative to its own place.
    const path = realPath(disk, next);
    if (digests.has(path) || kindAt(path, disk) !== "file") continue;
    if (digests.size >= limits.files) return { tooBig: `more than ${limits.files} files` };
    digests.set(path, fileDigest(path, disk, limits.bytes) ?? "unreadable");
    if (!code.test(file)) continue;
    const state = files.read(path, maxSearchedBytes);
    if (state.status !== "present") continue;
    isData ??= dataTest(path, state.text);
    for (const namedPath of namedPaths(state.text)) {
      const whole = resolve(dirname(path), namedPath.path);
      waiting.push(...(isData(namedPath, path) ? scriptsAt(whole) : meant(whole)));
    }
  }
  return digests;
}

const code = /\.[cm]?[jt]s$/;

const moduleEndings = [".js", ".json", ".cjs", ".ts", ".cts"];

/** Scripts a path may mean without its ending, which count as code even among data. */
function scriptsAt(path: string): string[] {
  return moduleEndings.map((ending) => `${path}${ending}`).filter((one) => code.test(one));
}

/** Files that `require` finds by a path without an ending. */
function meant(path: string): string[] {
  return [
    path,
    ...moduleEndings.flatMap((ending) => [`${path}${ending}`, resolve(path, `index${ending}`)]),
    resolve(path, "package.json"),
  ];
}

/** A quoted path, as it is written. `runs`: it is imported, or a command begins with it. */
type NamedPath = { readonly path: string; readonly runs: boolean };

const endings = "[cm]?[jt]sx?|node|wasm|jar|exe|bat|cmd|ps1|(?:ba|z|fi|k|da)?sh|pyz?|rb|pl|php|lua";

/** Names of files that can run. */
export const script = new RegExp(`\\.(?:${endings})$`, "i");

/** Names of files that programs write and nobody runs. */
const written = /\.(?:db|sqlite3?|log)(?:-(?:wal|shm|journal))?$/;

/** Quoted paths: they begin with a dot, a slash or the module's own folder. Commands may name scripts without any of these. */
const inQuotes =
  /(?<runs>\b(?:from|import|require)\s*(?:\(\s*)?|\bcommand\s*:\s*(?:\[\s*)?)?(["'`])(?:(?<own>\$\{import\.meta\.dirname\})?(?<path>\.{0,2}\/[^"'`\0\r\n]*))\2/g;

/** Paths within a quoted line: `sh -c "./run.sh --port 80"`. */
const word = new RegExp(`(?<![^\\s=])(?:\\.{1,2}/[^\\s\\0]+|[^\\s:*$=\\0]+\\.(?:${endings}))(?!\\S)`, "gi");

/** Lists the paths that a module names. */
function namedPaths(text: string): NamedPath[] {
  const whole = [...text.matchAll(inQuotes)].map(({ groups: { runs, own, path } = {} }) => ({
    path: `${own === undefined ? "" : "."}${path}`,
    runs: runs !== undefined,
  }));
  const words = text.split(/["'`\r\n]/).flatMap((line) => [...line.matchAll(word)].map(([path]) => path));
  return [...whole, ...words.map((path) => ({ path, runs: false }))];
}

/** Quoted text, or a comment. */
const quotedOrComment = /(["'`])(?:\\.|(?!\1)[^\\\r\n])*\1|\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g;

/**
 * Makes a check for paths that are data: a configuration's database, what its setting `data` lists, and databases and logs by
 * their names. Scripts, imports and the first word of a command are never data. Comments are ignored.
 */
function dataTest(configuration: string, text: string): (named: NamedPath, from: string) => boolean {
  const code = text.replace(quotedOrComment, (found) => (found.startsWith("/") ? " " : found));
  const places = [/\bdatabase\s*:([^,}\n]*)/g, /\bdata\s*:\s*\[([^[\]]*)\]/g]
    .flatMap((setting) => [...code.matchAll(setting)].map(([, value = ""]) => value))
    .flatMap((value) => [...value.matchAll(/(["'`])(?:\$\{import\.meta\.dirname\}\/)?([^"'`]+)\1/g)])
    .map(([, , path = ""]) => resolve(dirname(configuration), path));
  return ({ path, runs }, from) => {
    if (runs || script.test(path)) return false;
    const whole = resolve(dirname(from), path).replace(/-(?:wal|shm|journal)$/, "");
    return written.test(path) || places.some((place) => isWithin(place, whole));
  };
}

/**
 * Maximum number and bytes of files that are compared when a project's extensions are trusted; a larger project cannot be
 * trusted.
 */
export type DigestLimits = { readonly files: number; readonly bytes: number };

/** Default limits: more than this is not a project's own code that a person could have read. */
const digestLimits: DigestLimits = { files: 20_000, bytes: 100_000_000 };

/**
 * Digests of all files of a project's extensions, by path from its root, since code may read any of them. A link counts by its
 * target's path and content.
 */
export type Digests = Readonly<Record<string, string>>;

type ExtensionFile = { readonly key: string; readonly path: string; readonly link: string | undefined };

/** Digests a project's extensions; `tooBig` says which limit is exceeded. */
export function extensionDigests(
  { root, config }: { readonly root: string; readonly config: string },
  disk: Disk,
  limits: DigestLimits = digestLimits,
): Digests | { readonly tooBig: string } {
  const digests: Record<string, string> = {};
  const fileList: ExtensionFile[] = [];
  const entered = new Set<string>();
  let count = 0;
  let bytes = 0;

  /** Directories are entered by their real paths and once each, so that circular links end. */
  function enter(folder: string, key: string): void {
    if (entered.has(folder)) return;
    entered.add(folder);
    try {
      for (const name of disk.readdirSync(folder).sort()) {
        if (count > limits.files || bytes > limits.bytes) return;
        visit(join(folder, name), `${key}/${name}`);
      }
    } catch {
      digests[`${key}/`] = "unreadable";
    }
  }

  function visit(path: string, key: string): void {
    count++;
    try {
      const real = disk.lstatSync(path).isSymbolicLink() ? disk.realpathSync(path) : undefined;
      met(disk.statSync(real ?? path), real ?? path, key, real);
    } catch {
      digests[key] = "unreadable";
    }
  }

  function met(stats: FileStats, path: string, key: string, link: string | undefined): void {
    if (stats.isDirectory()) {
      if (link !== undefined) digests[`${key}/`] = `link:${link}`;
      enter(path, key);
    } else if (stats.isFile()) {
      bytes += stats.size;
      fileList.push({ key, path, link });
    } else digests[key] = "not a file";
  }

  const folder = join(root, config, "extensions");
  try {
    const real = disk.realpathSync(folder);
    met(disk.statSync(real), real, `${config}/extensions`.split(sep).join("/"), real === folder ? undefined : real);
  } catch (error) {
    if (!isAbsence(error)) digests[`${config}/extensions`] = "unreadable";
  }
  if (count > limits.files) return { tooBig: `more than ${grouped(limits.files)} files` };
  const tooManyBytes = { tooBig: `more than ${grouped(limits.bytes)} bytes` };
  if (bytes > limits.bytes) return tooManyBytes;
  for (const { key, path, link } of fileList) {
    const digest = fileDigest(path, disk, limits.bytes);
    if (digest === undefined) return tooManyBytes;
    digests[key] = link === undefined ? digest : `link:${link}:${digest}`;
  }
  return digests;
}

/** Digests a file up to a size; undefined beyond, since a file can be endless whatever size it reports. */
function fileDigest(path: string, disk: Disk, max: number): string | undefined {
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
  const chunk = Buffer.allocUnsafe(65_536);
  try {
    const file = disk.openSync(path, O_RDONLY | O_NONBLOCK);
    try {
      for (let read = 0; read <= max; ) {
        const length = disk.readSync(file, chunk, 0, chunk.length, null);
        if (length === 0) return hash.digest("hex");
        hash.update(chunk.subarray(0, length));
        read += length;
      }
      return undefined;
    } finally {
      disk.closeSync(file);
    }
  } catch {
    return "unreadable";
  }
}

/** Lists the files that changed, are new or are gone, sorted. */
export function changedFiles(before: Digests, now: Digests): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(now)]);
  const at = (digests: Digests, key: string) => (Object.hasOwn(digests, key) ? digests[key] : undefined);
  return [...keys].filter((key) => at(before, key) !== at(now, key)).sort();
}
