import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { referenceOf } from "./reference/pages.ts";

/** Writes docs/reference anew: every export of every door, from the comments in the source. */

const root = resolve(import.meta.dirname, "..");
const folder = join(root, "docs/reference");
const { pages, entries } = referenceOf(join(root, "charter"));

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
for (const [name, text] of pages) writeFileSync(join(folder, name), text);
console.log(`${entries.length} exports on ${pages.size} pages in docs/reference.`);
