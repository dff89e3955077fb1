import { Problem, reasonOf } from "../../prompt/problem.ts";
import { defineTool, type Tool, type ToolOutput, toolInput } from "../tool.ts";
import { globOf } from "./glob.ts";
import { createLines, cutLine, sizeText, withNotes } from "./output.ts";
import { type FileSearch, withSearch } from "./search.ts";
import { type SearchedFile, type SearchFilesOptions, searchedFiles } from "./search-files.ts";
import type { LocatedPath, Workspace } from "./workspace.ts";
import type { WorkspaceLimits } from "./workspace-limits.ts";

const input = toolInput((z) => ({
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
    input,
    summary: "Search file contents for patterns (respects .gitignore)",
    description: `Search the contents of files for a pattern. Gives matching lines as “path:line: text”, with paths from the working directory. Hidden files are searched; .git, binary files, files over ${sizeText(fileBytes)} and what .gitignore excludes are not. Shows at most ${matches} matches or ${sizeText(bytes)}; lines are cut after ${lineChars} characters.`,
    reads: true,
    run: async ({ path = ".", glob: wanted, context = 0, limit = matches, ...pattern }, { signal }) => {
      const regex = patternRegex(pattern);
      const place = workspace.locate(path, "read");
      const glob = wanted === undefined ? undefined : await globOf(wanted, place.real, workspace);
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
  let found = 0;
  let full: "matches" | "bytes" | undefined;
  const take = (text: { readonly shown: string; readonly text: string }, lines: readonly number[]): void => {
    const these = lines.slice(0, limit - found);
    if (these.length < lines.length) full = "matches";
    found += these.length;
    for (const line of foundLines(text, these, context, limits))
      if (!shown.add(line)) {
        full = "bytes";
        return;
      }
  };
  try {
    for await (const files of searchedFiles(workspace, place, { search, glob, fileBytes, skipped })) {
      const texts = files.map(({ text }) => text);
      // One more than is shown: so it is known whether there are more.
      const lines = await search.matcher.lines(regex, texts, limit - found + 1);
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

/** `path:line: text` for a match, `path-line- text` for what stands around it, `--` where lines are left out between. */
function foundLines(
  { shown, text }: SearchedFile,
  found: readonly number[],
  context: number,
  limits: WorkspaceLimits,
): string[] {
  if (found.length === 0) return [];
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  const matching = new Set(found);
  const out: string[] = [];
  let next = 0;
  for (const match of found) {
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

/** A regular expression of JavaScript; one that begins with `(?i)`, as other tools write it, looks past case. */
function patternRegex({ pattern, literal = false, ignoreCase = false }: SearchPattern): RegExp {
  const [, inline = "", written = ""] = /^(\(\?i\))?([\s\S]*)$/.exec(pattern) ?? [];
  const words = literal ? pattern.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&") : written;
  const flags = ignoreCase || (!literal && inline !== "") ? "i" : "";
  try {
    return new RegExp(words, `${flags}u`);
  } catch {
    // What is no mistake elsewhere, like an escaped hyphen, is one by the strict rules.
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
