import { grouped, Problem } from "../../prompt/problem.ts";
import { createDirectories } from "../disk/directory.ts";
import { type Disk, type DiskEntry, pathLine, disk as usualDisk } from "../disk/disk.ts";
import { createFiles, type FileState, realPath } from "../disk/file.ts";
import { type CharterFiles, charterFile, readCharterFiles } from "./charter-files.ts";

const { join, resolve } = process.getBuiltinModule("node:path");
const { hash } = process.getBuiltinModule("node:crypto");

/** A folder of Markdown that is a charter. It is read whole or not at all. */
type CharterFolder = {
  /**
   * Reads what changed since the last time; the same object as long as nothing did. Throws a Problem that names every fault, or one
   * that says the folder changes while it is read.
   */
  readonly read: () => FolderContent;
};

/** What a folder held at one moment. */
export type FolderContent = CharterFiles & {
  /** SHA-256 of the names and texts of its files. */
  readonly digest: string;
};

type FolderOptions = {
  readonly disk?: Disk;
  readonly now?: () => number;
  readonly limits?: FolderLimits;
};

/** Limits of a folder: more is not a prompt that a person has written. */
type FolderLimits = { readonly files: number; readonly fileBytes: number; readonly bytes: number };

const folderLimits: FolderLimits = { files: 1000, fileBytes: 262_144, bytes: 4_194_304 };

/** How often a folder that changes meanwhile is read before it is given up. */
const maxReadings = 4;

export function openCharterFolder(path: string, options: FolderOptions = {}): CharterFolder {
  const { disk = usualDisk, now = Date.now, limits = folderLimits } = options;
  const files = createFiles(disk, now);
  const directories = createDirectories(disk, now, isOfCharter);
  /** What it came to the last time. A Problem is kept as well: nothing is read again until a file has changed. */
  let last:
    | {
        readonly texts: ReadonlyMap<string, string>;
        readonly faults: readonly string[];
        readonly content: FolderContent | Problem;
      }
    | undefined;

  /** Reads all files at one moment: undefined if something changed meanwhile. */
  function readAll(folder: string, faults: string[]): ReadonlyMap<string, string> | undefined {
    const listing = directories.list(folder);
    if (listing.status === "missing") throw noFolder(path);
    if (listing.status === "other") throw notFolder(path);
    if (listing.status === "unavailable") throw unreadable(path, `it cannot be read: ${listing.reason}`);
    if (listing.entries.length > limits.files)
      throw unreadable(path, `it has more than ${grouped(limits.files)} files`);
    faults.push(...collisions(listing.entries));
    const texts = new Map<string, string>();
    const states = new Map<string, FileState>();
    let bytes = 0;
    for (const { name, kind } of listing.entries) {
      const place = join(folder, name);
      if (kind === "link") faults.push(`${pathLine(name)} is a link. Put the file itself there.`);
      else if (kind !== "file") faults.push(`${pathLine(name)} is no file.`);
      if (kind !== "file") continue;
      const state = files.read(place, limits.fileBytes);
      if (state.status !== "unavailable") states.set(place, state);
      for (const { message } of state.diagnostics) faults.push(message.replace(`${pathLine(place)}`, pathLine(name)));
      if (state.status === "present" && state.more > 0)
        faults.push(`${pathLine(name)} has more than ${grouped(limits.fileBytes)} bytes.`);
      const text = state.status === "present" ? state.text : "";
      bytes += Buffer.byteLength(text);
      if (bytes > limits.bytes) throw unreadable(path, `its files have more than ${grouped(limits.bytes)} bytes`);
      texts.set(name, text);
    }
    const isWhole = directories.list(folder) === listing && [...states].every(isSame);
    return isWhole ? texts : undefined;
  }

  /** Checks that a path is still the very file that was read, with the same text, and no link to another. */
  function isSame([place, state]: readonly [string, FileState]): boolean {
    const stats = disk.lstatSync(place, { throwIfNoEntry: false });
    if (files.read(place, limits.fileBytes) !== state) return false;
    return stats !== undefined && !stats.isSymbolicLink() && `${stats.dev}:${stats.ino}` === files.identity(place);
  }

  return {
    read() {
      for (let tries = 0; tries < maxReadings; tries++) {
        const faults: string[] = [];
        const texts = readAll(realPath(disk, resolve(path)), faults);
        if (texts === undefined) continue;
        if (!last || !sameTexts(last.texts, texts) || last.faults.join() !== faults.join())
          last = { texts, faults, content: contentOf(path, texts, faults) };
        if (last.content instanceof Problem) throw last.content;
        return last.content;
      }
      throw unreadable(path, "it changed each time it was read");
    },
  };
}

function contentOf(
  path: string,
  texts: ReadonlyMap<string, string>,
  faults: readonly string[],
): FolderContent | Problem {
  try {
    return { ...readCharterFiles(path, texts, faults), digest: digestOf(texts) };
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** Lists the files of a folder that its charter is made of, by their paths; undefined if it is no charter's folder. */
export function charterFolderFiles(path: string, disk: Disk = usualDisk): readonly string[] | undefined {
  const listing = createDirectories(disk, () => 0, isOfCharter).list(path);
  if (listing.status !== "present" || !listing.entries.some(({ name }) => name === charterFile)) return undefined;
  return listing.entries.slice(0, folderLimits.files + 1).map(({ name }) => join(path, name));
}

/** Selects the files that matter. Notes in other formats, folders and hidden files may stand beside them. */
function isOfCharter(entry: DiskEntry): boolean {
  const { name } = entry;
  if (name.startsWith(".") || (entry.isDirectory() && !name.endsWith(".md"))) return false;
  return /\.md$/i.test(name) || /^charter\.ya?ml$/i.test(name);
}

/** Finds names that are one file on a disk that does not tell capitals from small letters, and files that are named wrongly. */
function collisions(entries: readonly { readonly name: string }[]): string[] {
  const known = new Map<string, string>();
  return entries.flatMap(({ name }) => {
    const folded = name.normalize("NFC").toLowerCase();
    const before = known.get(folded);
    known.set(folded, name);
    if (before !== undefined)
      return [`${pathLine(before)} and ${pathLine(name)} are one file on many disks. Rename one of them.`];
    if (/^charter\.ya?ml$/.test(folded) && name !== charterFile)
      return [`${pathLine(name)} is not read: it is called ${charterFile}.`];
    return folded.endsWith(".md") && !name.endsWith(".md")
      ? [`${pathLine(name)} is not read: its name ends in “.md”.`]
      : [];
  });
}

function sameTexts(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): boolean {
  return before.size === now.size && [...now].every(([name, text]) => before.get(name) === text);
}

function digestOf(texts: ReadonlyMap<string, string>): string {
  return hash("sha256", JSON.stringify([...texts]), "hex");
}

function noFolder(path: string): Problem {
  return new Problem(
    "no-such-file",
    `There is no charter at ${pathLine(path)}.`,
    `Check the path: it is a folder with a ${charterFile}. charter init makes one.`,
  );
}

function notFolder(path: string): Problem {
  return new Problem(
    "charter-unreadable",
    `The charter at ${pathLine(path)} is no folder.`,
    `Give the folder that has the ${charterFile}; a file of a charter ends in .ts or .js.`,
  );
}

function unreadable(path: string, why: string): Problem {
  return new Problem(
    "charter-unreadable",
    `The charter at ${pathLine(path)} cannot be used: ${why}.`,
    "Fix the folder; docs/charter-folder.md says what it may hold.",
  );
}
