// The pages that go into the packages: they are the repository's own, and lie in a package only while it is packed.

import { cpSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const pages: Readonly<Record<string, readonly string[]>> = {
  charter: ["README.md", "LICENSE", "CHANGELOG.md", "docs"],
  service: ["LICENSE"],
};

const [what, folder = ""] = process.argv.slice(2);
for (const name of pages[folder] ?? []) {
  const place = join(root, folder, name);
  rmSync(place, { recursive: true, force: true });
  if (what === "add") cpSync(join(root, name), place, { recursive: true });
}
