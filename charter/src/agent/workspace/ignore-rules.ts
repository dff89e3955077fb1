import { existsSync, lstatSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { Ignore } from "ignore";
import { isWithin } from "../../sources/within.ts";

/** What .gitignore files say of the entries of one directory. */
export type IgnoreRules = {
  readonly ignores: (path: string, isFolder: boolean) => boolean;
  /** The same with what the .gitignore in a directory below adds. */
  readonly within: (folder: string) => IgnoreRules;
};

type Rules = { readonly folder: string; readonly says: Ignore };

/** Larger ones are nobody's list of files. */
const largest = 1_000_000;

/** The rules for a directory: its own, and those above it up to the repository's top, or else to `base`. */
export async function ignoreRules(folder: string, base: string): Promise<IgnoreRules> {
  const { default: ignore } = await import("ignore");
  const read = (path: string, from: string): Rules[] => {
    try {
      const stat = lstatSync(path);
      if (!stat.isFile() || stat.size > largest) return [];
      return [{ folder: from, says: ignore({ ignorecase: false }).add(readFileSync(path, "utf8")) }];
    } catch {
      return [];
    }
  };
  const rulesOf = (rules: readonly Rules[]): IgnoreRules => ({
    ignores: (path, isFolder) => ignored(rules, path, isFolder),
    within: (inner) => {
      const more = read(join(inner, ".gitignore"), inner);
      return more.length === 0 ? rulesOf(rules) : rulesOf([...more, ...rules]);
    },
  });
  const above = foldersAbove(folder, base);
  const top = above.at(-1) as string;
  const exclude = read(join(top, ".git/info/exclude"), top);
  return rulesOf([...above.flatMap((one) => read(join(one, ".gitignore"), one)), ...exclude]);
}

/** The directory, the one above it, and so on: the deepest rule that has a say decides. */
function foldersAbove(folder: string, base: string): string[] {
  const folders = [folder];
  for (let here = folder; !existsSync(join(here, ".git")); here = dirname(here)) {
    if (dirname(here) === here) return folders.filter((one) => one === folder || isWithin(base, one));
    folders.push(dirname(here));
  }
  return folders;
}

/**
 * Only what lies in a directory that is looked at is ever asked about. So where a rule speaks because it excludes that
 * directory itself, it was overruled already: by a deeper rule, or by whoever asked for that very directory.
 */
function ignored(rules: readonly Rules[], path: string, isFolder: boolean): boolean {
  for (const { folder, says } of rules) {
    const name = nameIn(folder, path);
    const verdict = says.test(isFolder ? `${name}/` : name);
    if (verdict.unignored) return false;
    if (verdict.ignored && !isInherited(says, name)) return true;
  }
  return false;
}

function isInherited(says: Ignore, name: string): boolean {
  const above = name.slice(0, Math.max(0, name.lastIndexOf("/")));
  return above !== "" && says.test(`${above}/`).ignored;
}

function nameIn(folder: string, path: string): string {
  return relative(folder, path).split(sep).join("/");
}
