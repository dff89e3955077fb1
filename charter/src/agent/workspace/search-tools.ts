import { readlinkSync } from "node:fs";
import { join } from "node:path";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import { pathLine } from "../../sources/disk/disk.ts";
import { defineTool, type Tool, type ToolOutput, toolInput } from "../tool.ts";
import { createLines, cutLine, failedOutput, sizeText, type WorkspaceLimits, withNotes } from "./limits.ts";
import {
  type FileSearch,
  type Glob,
  globOf,
  isFolder,
  kindOf,
  listFolder,
  type SearchedFile,
  type SearchFilesOptions,
  searchedFiles,
  type WalkEntry,
  walk,
  withSearch,
} from "./search.ts";
import { type LocatedPath, pathProblem, type Workspace } from "./workspace.ts";

const grepInput = toolInput((z) => ({
  pattern: z
    .string()
    .min(1)
    .max(2000)
    .describe("What to search for, line by line: a regular expression (JavaScript's), or plain words with literal"),
  path: z.string().optional().describe("Directory or file to search (default: the working directory)"),
  glob: z.string().min(1).max(1000).optional().describe("Only files that match, e.g. '*.ts' or 'src/**/*.test.ts'"),
  ignoreCase: z.boolean().optional().describe("Look past upper and lower case (default: false)"),
  literal: z.boolean().optional().describe("Take the pattern as plain words (default: false)"),
  context: z.int().min(0).max(100).optional().describe("Lines to show before and after each match (default: 0)"),
  limit: z.int().min(1).optional().describe("The most matches to show (default: 100)"),
}));

export function grepTool(workspace: Workspace, limits: WorkspaceLimits): Tool {
  const { matches, bytes, lineChars, fileBytes, searchSeconds } = limits;
  return defineTool({
    name: "grep",
    input: grepInput,
    summary: "Search file contents for patterns (respects .gitignore)",
    description: `Search the contents of files for a pattern. Gives matching lines as “path:line: text”, with paths from the working directory. Hidden files are searched; .git, binary files, files over ${sizeText(fileBytes)} and what .gitignore excludes are not. Shows at most ${matches} matches or ${sizeText(bytes)}; lines are cut after ${lineChars} characters.`,
    trusted: true,
    reads: true,
    run: async ({ path = ".", glob: globPattern, context = 0, limit = matches, ...pattern }, { signal }) => {
      const regex = patternRegex(pattern);
      const place = workspace.locate(path, "read");
      const glob = globPattern === undefined ? undefined : await globOf(globPattern, place.real, workspace);
      return withSearch(searchSeconds, signal, (search) =>
        grepFiles(workspace, place, { regex, glob, context, limit, search, limits }),
      );
    },
  });
}

type GrepQuery = Pick<SearchFilesOptions, "glob"> & {
  readonly regex: RegExp;
  readonly context: number;
  readonly limit: number;
  readonly search: FileSearch;
  readonly limits: WorkspaceLimits;
};

async function grepFiles(workspace: Workspace, place: LocatedPath, asked: GrepQuery): Promise<ToolOutput> {
  const { regex, glob, context, limit, search, limits } = asked;
  const { fileBytes, searchSeconds } = limits;
  const shown = createLines(limits.bytes);
  const skipped = { large: 0, unreadable: 0 };
  let count = 0;
  let full: "matches" | "bytes" | undefined;
  const take = (text: { readonly shown: string; readonly text: string }, lines: readonly number[]): void => {
    const fitting = lines.slice(0, limit - count);
    if (fitting.length < lines.length) full = "matches";
    count += fitting.length;
    for (const line of foundLines(text, fitting, context, limits))
      if (!shown.add(line)) {
        full = "bytes";
        return;
      }
  };
  try {
    for await (const files of searchedFiles(workspace, place, { search, glob, fileBytes, skipped })) {
      const texts = files.map(({ text }) => text);
      // A match more than is shown is asked for, to know whether there are more.
      const lines = await search.matcher.lines(regex, texts, limit - count + 1);
      for (const [index, file] of files.entries()) if (!full) take(file, lines[index] ?? []);
      if (full) break;
    }
  } catch (error) {
    if (!search.isLate()) throw error;
  }
  const notes = [
    full === "matches" && `The first ${limit} matches; there are more. Use limit=${limit * 2}, or search for less.`,
    full === "bytes" && `Cut at ${sizeText(limits.bytes)}; there are more. Search for less.`,
    skipped.large > 0 && `Not searched: ${filesText(skipped.large)} over ${sizeText(fileBytes)}.`,
    skipped.unreadable > 0 && `Not readable: ${filesText(skipped.unreadable)}.`,
    search.isLate() &&
      `Stopped after ${searchSeconds} s, so there may be more. Search fewer files, or write a simpler pattern: one with a repetition inside a repetition can take for ever.`,
  ].filter((note) => note !== false);
  const text = withNotes(shown.lines.length === 0 ? "No matches found" : shown.lines.join("\n"), notes);
  return search.isLate() ? { text, failed: true } : text;
}

function filesText(count: number): string {
  return count === 1 ? "1 file" : `${count} files`;
}

/**
 * Writes the matches of a file: `path:line: text` for a match, `path-line- text` for the lines around it, `--` where lines are
 * left out between.
 */
function foundLines(
  { shown, text }: SearchedFile,
  matches: readonly number[],
  context: number,
  limits: WorkspaceLimits,
): string[] {
  if (matches.length === 0) return [];
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  const matching = new Set(matches);
  const out: string[] = [];
  let next = 0;
  for (const match of matches) {
    const from = Math.max(next, match - context);
    const to = Math.min(lines.length - 1, match + context);
    if (context > 0 && from > next && next > 0) out.push("--");
    for (let at = from; at <= to; at++) {
      const [before, after] = matching.has(at) ? [":", ":"] : ["-", "-"];
      out.push(`${shown}${before}${at + 1}${after} ${cutLine(lines[at] ?? "", limits)}`);
    }
    next = Math.max(next, to + 1);
  }
  return out;
}

type SearchPattern = {
  readonly pattern: string;
  readonly literal?: boolean | undefined;
  readonly ignoreCase?: boolean | undefined;
};

/** Makes a JavaScript regular expression; one that begins with `(?i)`, as other tools write it, ignores case. */
function patternRegex({ pattern, literal = false, ignoreCase = false }: SearchPattern): RegExp {
  const [, inline = "", written = ""] = /^(\(\?i\))?([\s\S]*)$/.exec(pattern) ?? [];
  const words = literal ? pattern.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&") : written;
  const flags = ignoreCase || (!literal && inline !== "") ? "i" : "";
  try {
    return new RegExp(words, `${flags}u`);
  } catch {
    // The strict rules forbid what other tools allow, such as an escaped hyphen.
    return looseRegex(pattern, words, flags);
  }
}

function looseRegex(pattern: string, words: string, flags: string): RegExp {
  try {
    return new RegExp(words, flags);
  } catch (error) {
    const reason = reasonOf(error).replace(/^Invalid regular expression: .*: (?=[^:]*$)/s, "");
    throw new Problem(
      "bad-pattern",
      `“${pattern}” is no regular expression: ${reason}.`,
      "Fix it, or search for the very words with literal: true.",
    );
  }
}

const findInput = toolInput((z) => ({
  pattern: z.string().min(1).max(1000).describe("Glob, e.g. '*.ts', '**/*.json' or 'src/**/*.test.ts'"),
  path: z.string().optional().describe("Directory to search in (default: the working directory)"),
  limit: z.int().min(1).optional().describe("The most results (default: 1000)"),
}));

/** Number of names that are matched at once. */
const batchSize = 512;

export function findTool(workspace: Workspace, limits: WorkspaceLimits): Tool {
  const { paths, bytes, searchSeconds } = limits;
  return defineTool({
    name: "find",
    input: findInput,
    summary: "Find files by glob pattern (respects .gitignore)",
    description: `Find files and directories by a glob pattern: one without a slash matches names at any depth, one with a slash matches paths. Gives paths from the working directory, sorted, directories with a trailing “/”. Hidden files are found; .git and what .gitignore excludes are not, and links are not followed. Shows at most ${paths} results or ${sizeText(bytes)}.`,
    trusted: true,
    reads: true,
    run: async ({ pattern, path = ".", limit = paths }, { signal }) => {
      const place = workspace.locate(path, "read");
      if (!isFolder(place)) return failedOutput(`“${place.shown}” is no directory. Name one, or read the file.`);
      const glob = await globOf(pattern, place.real, workspace);
      return withSearch(searchSeconds, signal, (search) =>
        findPaths(workspace, place, { glob, limit, search, limits }),
      );
    },
  });
}

type FindQuery = {
  readonly glob: Glob;
  readonly limit: number;
  readonly search: FileSearch;
  readonly limits: WorkspaceLimits;
};

async function findPaths(
  workspace: Workspace,
  place: LocatedPath,
  { glob, limit, search, limits }: FindQuery,
): Promise<ToolOutput> {
  const shown = createLines(limits.bytes);
  let full: "results" | "bytes" | undefined;
  try {
    for await (const entries of entryBatches(walk(workspace, place.real, search.signal))) {
      const wanted = await glob(
        search.matcher,
        entries.map(({ real }) => real),
      );
      for (const { real, kind } of entries.filter((_, index) => wanted[index])) {
        if (shown.lines.length === limit) full = "results";
        else if (!shown.add(workspace.shown(real) + (kind === "folder" ? "/" : ""))) full = "bytes";
        if (full) break;
      }
      if (full) break;
    }
  } catch (error) {
    if (!search.isLate()) throw error;
  }
  const notes = [
    full === "results" && `The first ${limit} results; there are more. Use limit=${limit * 2}, or a narrower pattern.`,
    full === "bytes" && `Cut at ${sizeText(limits.bytes)}; there are more. Use a narrower pattern.`,
    search.isLate() &&
      `Stopped after ${limits.searchSeconds} s, so there may be more. Search a smaller directory, or use a simpler pattern.`,
  ].filter((note) => note !== false);
  const text = withNotes(
    shown.lines.length === 0 ? "No files found matching the pattern" : shown.lines.join("\n"),
    notes,
  );
  return search.isLate() ? { text, failed: true } : text;
}

async function* entryBatches(entries: AsyncIterable<WalkEntry>): AsyncGenerator<WalkEntry[]> {
  let some: WalkEntry[] = [];
  for await (const entry of entries) {
    some.push(entry);
    if (some.length < batchSize) continue;
    yield some;
    some = [];
  }
  yield some;
}

const lsInput = toolInput((z) => ({
  path: z.string().optional().describe("Directory to list (default: the working directory)"),
  limit: z.int().min(1).optional().describe("The most entries to show (default: 500)"),
}));

export function lsTool(workspace: Workspace, { entries: max, bytes }: WorkspaceLimits): Tool {
  return defineTool({
    name: "ls",
    input: lsInput,
    summary: "List directory contents",
    description: `List a directory: its entries sorted by name, directories with a trailing “/”, links with “->” and where they point, hidden ones too. Shows at most ${max} entries or ${sizeText(bytes)}.`,
    trusted: true,
    reads: true,
    run: ({ path = ".", limit = max }) => {
      const place = workspace.locate(path, "read");
      if (!isFolder(place)) return failedOutput(`“${place.shown}” is no directory. Read it instead.`);
      const entries = entriesOf(workspace, place);
      const shown = createLines(bytes);
      for (const entry of entries.slice(0, limit)) if (!shown.add(entry)) break;
      const { length } = shown.lines;
      if (length === entries.length) return length === 0 ? "(empty directory)" : shown.lines.join("\n");
      const more = length === limit ? `use limit=${entries.length} for all` : "list a directory in it, or use find";
      return withNotes(shown.lines.join("\n"), [`The first ${length} of ${entries.length} entries; ${more}.`]);
    },
  });
}

function entriesOf(workspace: Workspace, { real, requested, shown }: LocatedPath): string[] {
  try {
    return listFolder(workspace, real, requested).map((entry) => {
      const name = pathLine(entry.name);
      const kind = kindOf(entry);
      if (kind === "link") return `${name} -> ${pathLine(targetOf(join(real, entry.name)))}`;
      return kind === "folder" ? `${name}/` : name;
    });
  } catch (error) {
    throw pathProblem(error, shown, "read");
  }
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return "?";
  }
}
