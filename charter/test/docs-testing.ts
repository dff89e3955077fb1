import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
export const page = readFileSync(join(root, "docs/testing.md"), "utf8");

/** The files a page is made of: its blocks of code that begin with their name. */
export const files = [...page.matchAll(/^```ts\n\/\/ ([\w.-]+)\n([\s\S]*?)^```$/gm)].map(
  ([, name, text]) => [name as string, text as string] as const,
);

/** Work in a folder of someone's own that has these files. */
export async function inFolder<Value>(work: (folder: string) => Promise<Value>): Promise<Value> {
  const folder = mkdtempSync(join(tmpdir(), "charter-testing-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
