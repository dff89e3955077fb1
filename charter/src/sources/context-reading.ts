import { type Part, present, type Reading } from "../prompt/reading.ts";
import type { ContextFile } from "./context-file.ts";
import { pathLine } from "./disk/path-line.ts";
import type { Wording } from "./disk/wording.ts";

const parts = new WeakMap<ContextFile, Part>();

/**
 * Makes a reading of context files, each under its path. For files you have read yourself; `openProject` finds and
 * reads them.
 */
export function contextReading(files: readonly ContextFile[], wording: Wording = "charter"): Reading {
  return present(files.map(wording === "pi" ? (file) => partOf(file, file.path) : contextPart));
}

/** The same file gives the same part. */
export function contextPart(file: ContextFile): Part {
  const part = parts.get(file) ?? partOf(file, pathLine(file.path));
  parts.set(file, part);
  return part;
}

function partOf({ path, content }: ContextFile, line: string): Part {
  return { text: `## ${line}\n\n${content}`, kind: "file", id: path, source: path };
}
