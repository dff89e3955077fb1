import { basename, relative } from "node:path";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import type { Matcher } from "./matcher.ts";
import type { Workspace } from "./workspace.ts";

/** Which of these real paths match. */
export type Glob = (matcher: Matcher, paths: readonly string[]) => Promise<readonly boolean[]>;

/**
 * A glob without a slash is about names, wherever they lie; one with a slash is about paths, from the directory that is
 * searched or from the working directory. `!` before it turns it round.
 */
export async function globOf(pattern: string, start: string, { root }: Workspace): Promise<Glob> {
  const negated = pattern.startsWith("!");
  const words = negated ? pattern.slice(1) : pattern;
  const regex = await regexOf(words);
  const bases = words.includes("/") ? [start, root] : [];
  return async (matcher, paths) => {
    const spellings =
      bases.length === 0 ? [paths.map((path) => basename(path))] : bases.map((base) => pathsFrom(base, paths));
    const verdicts = await matcher.texts(regex, spellings.flat());
    return paths.map((_, at) => spellings.some((_spelling, row) => verdicts[row * paths.length + at]) !== negated);
  };
}

function pathsFrom(base: string, paths: readonly string[]): string[] {
  return paths.map((path) => relative(base, path));
}

async function regexOf(words: string): Promise<RegExp> {
  const { default: picomatch } = await import("picomatch");
  try {
    // Hidden files are searched like others; “+(a|b)” and its like are no globs to those who know other tools.
    // A name may hold a newline, too: “.” stands for it.
    const regex = picomatch.makeRe(words, { dot: true, nonegate: true, noextglob: true, flags: "s" });
    if (regex) return regex;
  } catch (error) {
    throw new Problem("bad-pattern", `The glob “${words}” cannot be used: ${reasonOf(error)}.`, "Write a simpler one.");
  }
  throw new Problem("bad-pattern", `“${words}” is no glob.`, "Give one like *.ts or src/**/*.test.ts.");
}
