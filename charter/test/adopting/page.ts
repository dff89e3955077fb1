import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** docs/adopting.md, taken apart: the files it is made of, what they print, and the lines of its table. */

export const root = resolve(import.meta.dirname, "../../..");
const page = readFileSync(join(root, "docs/adopting.md"), "utf8");

/** A block of code is a file, named in its first line. The text block right after it is what it prints. */
export type PageBlock = { readonly file: string; readonly code: string; readonly prints?: string };

export const pageBlocks: readonly PageBlock[] = [
  ...page.matchAll(/^```ts\n(\/\/ (\S+)\n[\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```$)?/gm),
].map(([, code, file, prints]) => ({
  file: file as string,
  code: code as string,
  ...(prints === undefined ? {} : { prints }),
}));

export const countOfTsBlocks = page.match(/^```ts$/gm)?.length;

/** Blocks that need nothing but Charter, and those that speak to a model with somebody else's package. */
export const ownBlocks = pageBlocks.filter(({ file }) => !file.startsWith("with-"));

/** The one line of each framework, by the name of its link. */
export const oneLines: Readonly<Record<string, string>> = Object.fromEntries(
  [...page.matchAll(/^\| \[[^\]]+\]\(#([\w-]+)\) \| `([^`]+)` \|$/gm)].map(([, name, line]) => [name, line]),
);

/** The one request that is shown whole. */
export const shownRequest = JSON.parse(/^```json\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? "");

/** Who follows the page: a folder with its files, in which packages are found as they are in `modules`. */
export function followPage(modules: string): string {
  const folder = mkdtempSync(join(tmpdir(), "charter-adopting-"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  symlinkSync(modules, join(folder, "node_modules"));
  writeBlocks(folder);
  return folder;
}

export function writeBlocks(folder: string): void {
  for (const { file, code } of pageBlocks) writeFileSync(join(folder, file), code);
}

/** What stands under a heading of the page. */
export function pageSection(heading: string): string {
  const from = page.indexOf(`${heading}\n`);
  return page.slice(from, page.indexOf("\n#", from + heading.length));
}

/** The lines that one file of the page has more than another, or other. */
export function addedLines(file: string, to: string): readonly string[] {
  const linesOf = (name: string) => (pageBlocks.find((block) => block.file === name)?.code ?? "").split("\n").slice(1);
  const before = linesOf(to);
  return linesOf(file).filter((line) => {
    const at = before.indexOf(line);
    if (at !== -1) before.splice(at, 1);
    return at === -1 && line.trim() !== "";
  });
}
