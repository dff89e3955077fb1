import { closeSync, type Dirent, existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import { ignoredBy, maxIgnoreBytes, reopen, ignoreFileRules as rulesIn } from "../../sources/disk/directory.ts";
import { disk, isWithin } from "../../sources/disk/disk.ts";
import { createFiles } from "../../sources/disk/file.ts";
import { openFile, openFolder, readWhole } from "./files.ts";
import type { MatchReply, MatchRequest } from "./matcher-worker.ts";
import { type LocatedPath, pathProblem, type Workspace } from "./workspace.ts";

/** A running search: its thread and its time limit are released whatever happens. */
export type FileSearch = { readonly matcher: Matcher; readonly signal: AbortSignal; readonly isLate: () => boolean };

export async function withSearch<Result>(
  seconds: number,
  stopped: AbortSignal,
  work: (search: FileSearch) => Promise<Result>,
): Promise<Result> {
  const clock = new AbortController();
  const timer = setTimeout(() => clock.abort(), seconds * 1000);
  const signal = AbortSignal.any([stopped, clock.signal]);
  const matcher = createMatcher(signal);
  try {
    return await work({ matcher, signal, isLate: () => signal.aborted });
  } finally {
    clearTimeout(timer);
    await matcher.close();
  }
}

export type SearchedFile = { readonly shown: string; readonly text: string };

export type SearchFilesOptions = {
  readonly search: FileSearch;
  readonly glob: Glob | undefined;
  /** Maximum size of a file that is searched, in bytes. */
  readonly fileBytes: number;
  /** Counts of files that were skipped. Binary files are not counted: nobody misses them. */
  readonly skipped: { large: number; unreadable: number };
};

/** Maximum number of files, and of characters, that are searched at once. */
const batch = { files: 64, chars: 1_000_000 };

/** Reads the texts to search, a batch at a time: one file, or those below a directory that match the glob. */
export async function* searchedFiles(
  workspace: Workspace,
  place: LocatedPath,
  { search, glob, fileBytes, skipped }: SearchFilesOptions,
): AsyncGenerator<readonly SearchedFile[]> {
  let texts: SearchedFile[] = [];
  let chars = 0;
  for await (const paths of pathBatches(workspace, place, search.signal)) {
    const wanted = await glob?.(search.matcher, paths);
    for (const real of paths.filter((_, index) => wanted?.[index] ?? true)) {
      const text = textOf(workspace, real, { fileBytes, skipped });
      if (text === undefined) continue;
      texts.push({ shown: workspace.shown(real), text });
      chars += text.length;
      if (chars < batch.chars) continue;
      yield texts;
      texts = [];
      chars = 0;
    }
    if (texts.length > 0) yield texts;
    texts = [];
    chars = 0;
  }
}

async function* pathBatches(workspace: Workspace, place: LocatedPath, signal: AbortSignal): AsyncGenerator<string[]> {
  if (!isFolder(place)) {
    yield [place.real];
    return;
  }
  let paths: string[] = [];
  for await (const { real, kind } of walk(workspace, place.real, signal)) {
    if (kind === "file") paths.push(real);
    if (paths.length < batch.files) continue;
    yield paths;
    paths = [];
  }
  yield paths;
}

export function isFolder({ real, shown }: LocatedPath): boolean {
  try {
    return statSync(real).isDirectory();
  } catch (error) {
    throw pathProblem(error, shown, "read");
  }
}

function textOf(
  workspace: Workspace,
  real: string,
  { fileBytes, skipped }: Pick<SearchFilesOptions, "fileBytes" | "skipped">,
): string | undefined {
  try {
    const shown = workspace.shown(real);
    const file = openFile(workspace, { requested: shown, real, exists: true, shown });
    try {
      const bytes = readWhole(file, fileBytes);
      if (bytes === undefined) skipped.large++;
      // The first line begins after a byte-order mark.
      return bytes === undefined || bytes.includes(0) ? undefined : bytes.toString("utf8").replace(/^\uFEFF/, "");
    } finally {
      closeSync(file.fd);
    }
  } catch {
    skipped.unreadable++;
    return undefined;
  }
}

export type WalkEntry = { readonly real: string; readonly kind: "file" | "folder" | "link" | "other" };

/**
 * Lists everything below a directory, by name: hidden files too, but neither `.git` nor what .gitignore files exclude, nor
 * protected files. Links are listed and not followed, so there is no way out and no circle.
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
    const { value: entry } = here.entries.next();
    if (!entry) {
      path.pop();
      continue;
    }
    const real = join(here.folder, entry.name);
    if (entry.name === ".git" || here.rules.ignores(real, entry.isDirectory()) || isProtected(real)) continue;
    const kind = kindOf(entry);
    yield { real, kind };
    if (kind === "folder") path.push(open(real, here.rules.within(real)));
  }
}

export function kindOf(entry: Dirent): WalkEntry["kind"] {
  if (entry.isDirectory()) return "folder";
  if (entry.isFile()) return "file";
  return entry.isSymbolicLink() ? "link" : "other";
}

/** Lists a directory; one that cannot be listed, or has changed, counts as empty. */
function entriesOf(workspace: Workspace, folder: string): Dirent[] {
  try {
    return listFolder(workspace, folder, folder);
  } catch {
    return [];
  }
}

/** Lists a directory sorted by code units: the same everywhere, whatever the language of the machine. */
export function listFolder(workspace: Workspace, real: string, asked: string): Dirent[] {
  const folder = openFolder(workspace, real, { asked, use: "read" });
  try {
    const entries = readdirSync(folder.at, { withFileTypes: true });
    return entries.sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
  } finally {
    folder.close();
  }
}

/** The rules of .gitignore files for the entries of one directory. */
type GitignoreRules = {
  readonly ignores: (path: string, isFolder: boolean) => boolean;
  /** Adds the rules of the .gitignore in a directory below. */
  readonly within: (folder: string) => GitignoreRules;
};

type Rules = ReturnType<typeof rulesIn>;

/** Reads the rules for a directory: its own, and those above it up to the repository's top, or else to `base`. */
function gitignoreRules(folder: string, base: string): GitignoreRules {
  const files = createFiles(disk, Date.now);
  const folders = foldersAbove(folder, base);
  const top = folders[0] as string;
  const nameIn = (path: string) => relative(top, path).split(sep).join("/");
  const folderName = (path: string) => (path === top ? "" : `${nameIn(path)}/`);
  // Unreadable rules are reported where skills are searched; a search of files goes on without them.
  const add = (rules: Rules, name: string, inside: string): Rules => {
    const path = join(inside, name);
    return rulesIn([{ path, state: files.read(path, maxIgnoreBytes) }], folderName(inside), rules, () => {});
  };
  const rulesOf = (rules: Rules): GitignoreRules => ({
    ignores: (path, isFolder) => ignoredBy(rules, isFolder ? folderName(path) : nameIn(path)) !== undefined,
    within: (inner) => rulesOf(add(rules, ".gitignore", inner)),
  });
  const all = folders.reduce((rules, one) => add(rules, ".gitignore", one), add(undefined, ".git/info/exclude", top));
  // Rules against the directory itself do not count: whoever names it wants to see its content.
  for (const one of folders.slice(1)) reopen(all, folderName(one));
  return rulesOf(all);
}

/** Lists the directories from the repository's top, or else from `base`, down to this one. */
function foldersAbove(folder: string, base: string): string[] {
  const folders = [folder];
  for (let here = folder; !existsSync(join(here, ".git")); here = dirname(here)) {
    if (dirname(here) === here) return folders.filter((one) => one === folder || isWithin(base, one));
    folders.unshift(dirname(here));
  }
  return folders;
}

/** Tells which of these real paths match. */
export type Glob = (matcher: Matcher, paths: readonly string[]) => Promise<readonly boolean[]>;

/**
 * Makes a glob. Without a slash it matches names, at any depth; with one it matches paths, from the searched directory or from
 * the working directory. A `!` before it inverts it.
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
    // Hidden files are searched like others; “+(a|b)” and similar forms are no globs in other tools. A name may hold a newline,
    // too: “.” stands for it.
    const regex = picomatch.makeRe(words, { dot: true, nonegate: true, noextglob: true, flags: "s" });
    if (regex) return regex;
  } catch (error) {
    throw new Problem("bad-pattern", `The glob “${words}” cannot be used: ${reasonOf(error)}.`, "Write a simpler one.");
  }
  throw new Problem("bad-pattern", `“${words}” is no glob.`, "Give one like *.ts or src/**/*.test.ts.");
}

/**
 * Regular expressions in a thread of their own: one that takes for ever blocks nothing, and can be stopped. Globs are run there,
 * too, since they become regular expressions.
 */
type Matcher = {
  /** Tells which texts match as a whole. */
  readonly texts: (regex: RegExp, texts: readonly string[]) => Promise<readonly boolean[]>;
  /** Finds the lines of each text that match, counted from 0, up to `max` in all. */
  readonly lines: (regex: RegExp, texts: readonly string[], max: number) => Promise<readonly (readonly number[])[]>;
  readonly close: () => Promise<unknown>;
};

/** Starts a matcher's thread. When the signal aborts, the thread is stopped, and its caller gets an error. */
function createMatcher(signal: AbortSignal): Matcher {
  const worker = new Worker(workerFile(), {
    execArgv: [],
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  let settle: ((answer: MatchReply) => void) | undefined;
  const answered = (answer: MatchReply) => {
    settle?.(answer);
    settle = undefined;
  };
  worker.on("message", answered);
  worker.on("error", (error) => answered({ fault: reasonOf(error) }));
  worker.on("exit", () => answered({ fault: "the search was stopped" }));
  const stop = () => void worker.terminate();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();

  const ask = async (question: MatchRequest) => {
    if (question.texts.length === 0) return [];
    const answer = await new Promise<MatchReply>((resolve) => {
      settle = resolve;
      if (signal.aborted) answered({ fault: "the search was stopped" });
      else worker.postMessage(question);
    });
    if ("found" in answer) return answer.found;
    throw new Problem("bad-pattern", `The pattern cannot be searched for: ${answer.fault}.`, "Write a simpler one.");
  };
  return {
    texts: async ({ source, flags }, texts) => (await ask({ source, flags, texts })).map((lines) => lines.length > 0),
    lines: ({ source, flags }, texts, max) => ask({ source, flags, texts, lines: max }),
    close: () => {
      signal.removeEventListener("abort", stop);
      return worker.terminate();
    },
  };
}

/** Returns the address of the worker's file beside this one, in the source as in the built package. */
function workerFile(): URL {
  const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new URL(`./matcher-worker.${ending}`, import.meta.url);
}
