import type { DocumentationPaths } from "../../agent/declaration.ts";

const { statSync } = process.getBuiltinModule("node:fs");
const { join, resolve } = process.getBuiltinModule("node:path");

/** Where this Charter's own pages are on this machine; nothing where it came without them. */
export function documentationHere(): { readonly documentation?: DocumentationPaths } {
  const folder = resolve(import.meta.dirname, "../../..");
  const root = [folder, resolve(folder, "..")].find((one) => isDirectory(join(one, "docs")));
  if (root === undefined) return {};
  return {
    documentation: { main: join(root, "README.md"), additional: join(root, "docs"), examples: join(root, "examples") },
  };
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
