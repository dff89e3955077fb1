// The pages that go into the packages: they are the repository's own, and lie in a package only while it is packed.

import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { packedPage } from "./packed-page.ts";

const root = resolve(import.meta.dirname, "..");
const pages: Readonly<Record<string, readonly string[]>> = {
  charter: ["README.md", "LICENSE", "CHANGELOG.md", "docs"],
  service: ["LICENSE"],
};

const [what, folder = ""] = process.argv.slice(2);
const held = pages[folder] ?? [];
for (const name of held) {
  const place = join(root, folder, name);
  rmSync(place, { recursive: true, force: true });
  if (what !== "add") continue;
  cpSync(join(root, name), place, { recursive: true });
  for (const page of pagesIn(place)) {
    const path = relative(join(root, folder), page).split(sep).join("/");
    writeFileSync(page, packedPage(readFileSync(page, "utf8"), path, held));
  }
}

function pagesIn(place: string): string[] {
  const files = statSync(place).isDirectory()
    ? readdirSync(place, { recursive: true, encoding: "utf8" }).map((file) => join(place, file))
    : [place];
  return files.filter((file) => file.endsWith(".md"));
}
