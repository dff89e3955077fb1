import type { Part } from "../prompt/part.ts";
import { present, type Reading } from "../prompt/reading.ts";
import type { ContextFile } from "./context-file.ts";
import { pathLine } from "./path-line.ts";

const parts = new WeakMap<ContextFile, Part>();

/** Context files as parts: each under its path. */
export function contextReading(files: readonly ContextFile[]): Reading {
  return present(files.map(partOf));
}

function partOf(file: ContextFile): Part {
  const known = parts.get(file);
  if (known) return known;
  const { path, content } = file;
  const part = { text: `## ${pathLine(path)}\n\n${content}`, kind: "file", id: path, source: path };
  parts.set(file, part);
  return part;
}
