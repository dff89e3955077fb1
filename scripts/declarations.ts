// The declaration files of the built package: those that its doors reach, with specifiers that older versions of TypeScript
// read. The compiler writes one for every file, and leaves “./agent.ts” in them.

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { asOlderTypeScript, reachable } from "./declaration-graph.ts";

const home = resolve(import.meta.dirname, "../charter");
const { exports: doors } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as {
  exports: Readonly<Record<string, { readonly types: string }>>;
};
const declarations = readdirSync(join(home, "dist"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".d.ts"))
  .map((name) => join(home, "dist", name));
for (const file of declarations) writeFileSync(file, asOlderTypeScript(readFileSync(file, "utf8")));
const { files } = reachable(
  Object.values(doors).map(({ types }) => join(home, types)),
  (file) => readFileSync(file, "utf8"),
  (from, to) => resolve(dirname(from), to),
);
for (const file of declarations) if (!files.has(file)) rmSync(file);
