import { closeSync, statSync } from "node:fs";
import type { Glob } from "./glob.ts";
import { openFile, readWhole } from "./open-file.ts";
import { pathProblem } from "./path-problem.ts";
import type { FileSearch } from "./search.ts";
import { walk } from "./walk.ts";
import type { LocatedPath, Workspace } from "./workspace.ts";

export type SearchedFile = { readonly shown: string; readonly text: string };

export type SearchFilesOptions = {
  readonly search: FileSearch;
  readonly glob: Glob | undefined;
  /** The largest file that is searched. */
  readonly fileBytes: number;
  /** Counted up as they are passed over. Binary files are not: nobody misses them. */
  readonly skipped: { large: number; unreadable: number };
};

/** So many files, and so much text, are searched at once. */
const batch = { files: 64, chars: 1_000_000 };

/** The texts of the files to search, a batch at a time: one file, or those below a directory that match the glob. */
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
      // A byte-order mark is no part of the first line.
      return bytes === undefined || bytes.includes(0) ? undefined : bytes.toString("utf8").replace(/^\uFEFF/, "");
    } finally {
      closeSync(file.fd);
    }
  } catch {
    skipped.unreadable++;
    return undefined;
  }
}
