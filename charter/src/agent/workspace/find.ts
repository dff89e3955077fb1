import { defineTool, type Tool, type ToolOutput, toolInput } from "../tool.ts";
import { type Glob, globOf } from "./glob.ts";
import { createLines, failedOutput, sizeText, withNotes } from "./output.ts";
import { type FileSearch, withSearch } from "./search.ts";
import { isFolder } from "./search-files.ts";
import { type WalkEntry, walk } from "./walk.ts";
import type { LocatedPath, Workspace } from "./workspace.ts";
import type { WorkspaceLimits } from "./workspace-limits.ts";

const input = toolInput((z) => ({
  pattern: z.string().min(1).max(1000).describe("Glob, e.g. '*.ts', '**/*.json' or 'src/**/*.test.ts'"),
  path: z.string().optional().describe("Directory to search in (default: the working directory)"),
  limit: z.int().min(1).optional().describe("The most results (default: 1000)"),
}));

/** So many names are matched at once. */
const batch = 512;

export function findTool(workspace: Workspace, limits: WorkspaceLimits): Tool {
  const { paths, bytes, searchSeconds } = limits;
  return defineTool({
    name: "find",
    input,
    summary: "Find files by glob pattern (respects .gitignore)",
    description: `Find files and directories by a glob pattern: one without a slash matches names at any depth, one with a slash matches paths. Gives paths from the working directory, sorted, directories with a trailing “/”. Hidden files are found; .git and what .gitignore excludes are not, and links are not followed. Shows at most ${paths} results or ${sizeText(bytes)}.`,
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
    if (some.length < batch) continue;
    yield some;
    some = [];
  }
  yield some;
}
