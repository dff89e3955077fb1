import { defineTool, type Tool, toolInput } from "../tool.ts";
import { type FileAccess, writeText } from "./file-access.ts";
import { sizeText } from "./output.ts";
import { replaceFile } from "./replace-file.ts";
import type { Workspace } from "./workspace.ts";

const input = toolInput((z) => ({
  path: z.string().describe("Path of the file (from the working directory, or absolute)"),
  content: z
    .string()
    .refine((words) => words.isWellFormed(), "it holds half a character")
    .describe("The whole content of the file"),
}));

/** A file is there whole or not at all: readers see the old one until the new one stands. */
export function writeTool(workspace: Workspace, files?: FileAccess): Tool {
  return defineTool({
    name: "write",
    input,
    summary: "Create or overwrite files",
    description:
      "Write a file: it is created if it is not there and replaced if it is. Missing directories above it are made.",
    sensitive: true,
    place: workspace.root,
    run: async ({ path, content }) => {
      const place = workspace.locate(path, "write");
      const bytes = Buffer.from(content);
      if (!(await writeText(workspace, files, place, content))) replaceFile(workspace, place, bytes);
      return `${place.exists ? "Replaced" : "Created"} “${place.shown}” (${sizeText(bytes.length)}).`;
    },
  });
}
