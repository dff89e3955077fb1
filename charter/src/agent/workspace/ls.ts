import { readlinkSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { pathLine } from "../../sources/disk/path-line.ts";
import { defineTool, type Tool } from "../tool.ts";
import { createLines, failed, sizeText, withNotes } from "./output.ts";
import { pathProblem } from "./path-problem.ts";
import { isFolder } from "./searched-files.ts";
import { kindOf, listFolder } from "./walk.ts";
import type { Place, Workspace } from "./workspace.ts";
import type { WorkspaceLimits } from "./workspace-limits.ts";

const input = z.object({
  path: z.string().optional().describe("Directory to list (default: the working directory)"),
  limit: z.int().min(1).optional().describe("The most entries to show (default: 500)"),
});

export function lsTool(workspace: Workspace, { entries: most, bytes }: WorkspaceLimits): Tool {
  return defineTool({
    name: "ls",
    input,
    summary: "List directory contents",
    description: `List a directory: its entries sorted by name, directories with a trailing “/”, links with “->” and where they point, hidden ones too. Shows at most ${most} entries or ${sizeText(bytes)}.`,
    run: ({ path = ".", limit = most }) => {
      const place = workspace.locate(path, "read");
      if (!isFolder(place)) return failed(`“${place.shown}” is no directory. Read it instead.`);
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

function entriesOf(workspace: Workspace, { real, asked, shown }: Place): string[] {
  try {
    return listFolder(workspace, real, asked).map((found) => {
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
