// The code as it is published: the source with spaces where its types were. Every word stands where it stands in the
// source, so a stack trace names its line and a debugger shows its comments, without source maps, which take more
// room than the code. The package.json in it is for Node: it reads the nearest one again for every file, and the
// package's own, with all its doors, took a seventh of the time until a first reply.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join, resolve } from "node:path";

const charter = resolve(import.meta.dirname, "../charter");
const relativeImport = /(\b(?:from|import)\s*\(?\s*"\.{1,2}\/[^"\n]*)\.ts"/g;

process.removeAllListeners("warning"); // Node says that this is new.
process.on("warning", (warning) => warning.name !== "ExperimentalWarning" && console.error(warning));

for (const name of readdirSync(join(charter, "src"), { recursive: true, encoding: "utf8" })) {
  if (!/\.(?:ts|json)$/.test(name) || name.endsWith(".test.ts")) continue;
  const words = readFileSync(join(charter, "src", name), "utf8");
  const file = join(charter, "dist", name.replace(/\.ts$/, ".js"));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, name.endsWith(".ts") ? withoutTypes(words).replace(relativeImport, '$1.js"') : words);
}

/** A line that was all types is left empty. */
function withoutTypes(source: string): string {
  const lines = source.split("\n");
  const stripped = stripTypeScriptTypes(source).split("\n");
  return stripped.map((line, at) => (line !== lines[at] && line.trim() === "" ? "" : line)).join("\n");
}
