import { type Dirent, existsSync, readdirSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { disk } from "../../sources/disk/disk.ts";
import { createFiles } from "../../sources/disk/file.ts";
import { ignoredBy, maxIgnoreBytes, reopen, ignoreFileRules as rulesIn } from "../../sources/disk/ignore-files.ts";
import { isWithin } from "../../sources/disk/within.ts";
import { openFolder } from "./folder-handle.ts";
import type { Workspace } from "./workspace.ts";

export type WalkEntry = { readonly real: string; readonly kind: "file" | "folder" | "link" | "other" };

/**
 * All that lies below a directory, in the order of names: hidden files too, but neither `.git` nor what .gitignore files
 * exclude, nor what is protected. Links are named and not followed, so there is no way out and no way round in circles.
 */
export async function* walk(workspace: Workspace, start: string, signal: AbortSignal): AsyncGenerator<WalkEntry> {
  const isProtected = workspace.protection();
  const open = (folder: string, rules: GitignoreRules) => ({
    folder,
    rules,
    entries: entriesOf(workspace, folder).values(),
  });
  const path = [open(start, gitignoreRules(start, workspace.root))];
  for (let seen = 1; !signal.aborted; seen++) {
    if (seen % 256 === 0) await breathe();
    const here = path.at(-1);
    if (!here) return;
    const { value: found } = here.entries.next();
    if (!found) {
      path.pop();
      continue;
    }
    const real = join(here.folder, found.name);
    if (found.name === ".git" || here.rules.ignores(real, found.isDirectory()) || isProtected(real)) continue;
    const kind = kindOf(found);
    yield { real, kind };
    if (kind === "folder") path.push(open(real, here.rules.within(real)));
  }
}

export function kindOf(found: Dirent): WalkEntry["kind"] {
  if (found.isDirectory()) return "folder";
  if (found.isFile()) return "file";
  return found.isSymbolicLink() ? "link" : "other";
}

/** What cannot be listed, or is another by now, has nothing in it. */
function entriesOf(workspace: Workspace, folder: string): Dirent[] {
  try {
    return listFolder(workspace, folder, folder);
  } catch {
    return [];
  }
}

/** By code units: the same everywhere, whatever the language of the machine. */
export function listFolder(workspace: Workspace, real: string, asked: string): Dirent[] {
  const folder = openFolder(workspace, real, { asked, use: "read" });
  try {
    const entries = readdirSync(folder.at, { withFileTypes: true });
    return entries.sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
  } finally {
    folder.close();
  }
}

/** What .gitignore files say of the entries of one directory. */
type GitignoreRules = {
  readonly ignores: (path: string, isFolder: boolean) => boolean;
  /** The same with what the .gitignore in a directory below adds. */
  readonly within: (folder: string) => GitignoreRules;
};

type Rules = ReturnType<typeof rulesIn>;

/** The rules for a directory: its own, and those above it up to the repository's top, or else to `base`. */
function gitignoreRules(folder: string, base: string): GitignoreRules {
  const files = createFiles(disk, Date.now);
  const folders = foldersAbove(folder, base);
  const top = folders[0] as string;
  const nameIn = (path: string) => relative(top, path).split(sep).join("/");
  const folderName = (path: string) => (path === top ? "" : `${nameIn(path)}/`);
  // A rule nobody understands is told where skills are looked for; a search goes on without it.
  const add = (rules: Rules, name: string, inside: string): Rules => {
    const path = join(inside, name);
    return rulesIn([{ path, state: files.read(path, maxIgnoreBytes) }], folderName(inside), rules, () => {});
  };
  const rulesOf = (rules: Rules): GitignoreRules => ({
    ignores: (path, isFolder) => ignoredBy(rules, isFolder ? folderName(path) : nameIn(path)) !== undefined,
    within: (inner) => rulesOf(add(rules, ".gitignore", inner)),
  });
  const all = folders.reduce((rules, one) => add(rules, ".gitignore", one), add(undefined, ".git/info/exclude", top));
  // Whoever asks for a directory wants to see what is in it, whatever rules say of the directory itself.
  for (const one of folders.slice(1)) reopen(all, folderName(one));
  return rulesOf(all);
}

/** From the repository's top, or else from `base`, down to the directory. */
function foldersAbove(folder: string, base: string): string[] {
  const folders = [folder];
  for (let here = folder; !existsSync(join(here, ".git")); here = dirname(here)) {
    if (dirname(here) === here) return folders.filter((one) => one === folder || isWithin(base, one));
    folders.unshift(dirname(here));
  }
  return folders;
}
