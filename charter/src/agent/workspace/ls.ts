import { readlinkSync } from "node:fs";
import { join } from "node:path";
import { pathLine } from "../../sources/disk/path-line.ts";
import { defineTool, type Tool, toolInput } from "../tool.ts";
import { createLines, failedOutput, sizeText, withNotes } from "./output.ts";
import { pathProblem } from "./path-problem.ts";
import { isFolder } from "./search-files.ts";
import { kindOf, listFolder } from "./walk.ts";
import type { LocatedPath, Workspace } from "./workspace.ts";
import type { WorkspaceLimits } from "./workspace-limits.ts";

const input = toolInput((z) => ({
  path: z.string().optional().describe("Directory to list (default: the working directory)"),
  limit: z.int().min(1).optional().describe("The most entries to show (default: 500)"),
}));

export function lsTool(workspace: Workspace, { entries: max, bytes }: WorkspaceLimits): Tool {
  return defineTool({
    name: "ls",
    input,
    summary: "List directory contents",
    description: `List a directory: its entries sorted by name, directories with a trailing “/”, links with “->” and where they point, hidden ones too. Shows at most ${max} entries or ${sizeText(bytes)}.`,
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
    return listFolder(workspace, real, requested).map((found) => {
      const name = pathLine(found.name);
      const kind = kindOf(found);
      if (kind === "link") return `${name} -> ${pathLine(targetOf(join(real, found.name)))}`;
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
