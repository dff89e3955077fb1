import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { withFolderFields } from "./reference/folder-table.ts";
import { withCommands, withRoutes } from "./reference/operation-table.ts";
import { referenceOf } from "./reference/pages.ts";
import { withSettings } from "./reference/setting-table.ts";

/** Writes docs/reference anew: every export of every door, from the comments in the source; and the tables of settings, routes and commands. */

const root = resolve(import.meta.dirname, "..");
const folder = join(root, "docs/reference");
const { pages, entries } = referenceOf(join(root, "charter"));

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
for (const [name, text] of pages) writeFileSync(join(folder, name), text);
const tables = {
  "docs/assistant.md": withSettings,
  "docs/http.md": withRoutes,
  "docs/cli.md": withCommands,
  "docs/charter-folder.md": withFolderFields,
};
for (const [name, withTable] of Object.entries(tables))
  writeFileSync(join(root, name), withTable(readFileSync(join(root, name), "utf8")));
console.log(`${entries.length} exports on ${pages.size} pages in docs/reference.`);
