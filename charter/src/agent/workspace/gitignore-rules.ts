import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { disk } from "../../sources/disk/disk.ts";
import { createFiles } from "../../sources/disk/file.ts";
import { ignoredBy, maxIgnoreBytes, reopen, ignoreFileRules as rulesIn } from "../../sources/disk/ignore-files.ts";
import { isWithin } from "../../sources/disk/within.ts";

/** What .gitignore files say of the entries of one directory. */
export type GitignoreRules = {
  readonly ignores: (path: string, isFolder: boolean) => boolean;
  /** The same with what the .gitignore in a directory below adds. */
  readonly within: (folder: string) => GitignoreRules;
};

type Rules = ReturnType<typeof rulesIn>;

/** The rules for a directory: its own, and those above it up to the repository's top, or else to `base`. */
export function gitignoreRules(folder: string, base: string): GitignoreRules {
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
