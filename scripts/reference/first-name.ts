import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** So many names stand on the first page. */
const most = 40;

/**
 * The names that most programs need: of those that the documentation or an example imports from a door, the ones whose
 * code is on most pages.
 */
export function firstNames(root: string): string[] {
  const texts = readers(root).map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));
  const lists = texts.flatMap(({ text }) => [...text.matchAll(imports)].map(([, list = ""]) => list));
  const codes = texts.map(({ file, text }) => (file.endsWith(".md") ? codeIn(text) : text));
  const pagesWith = (name: string) =>
    codes.filter((code) => new RegExp(`(?<![.\\w])${name}\\b(?!["-])`).test(code)).length;
  const counted = [...new Set(lists.flatMap(namesIn))].map((name) => ({ name, pages: pagesWith(name) }));
  counted.sort((one, other) => other.pages - one.pages || (one.name < other.name ? -1 : 1));
  return counted.slice(0, most).map(({ name }) => name);
}

const imports = /import\s+(?:type\s+)?\{([^}]*)\}\s*from\s*"charter(?:\/[\w-]+)?"/g;

function readers(root: string): string[] {
  const docs = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
  const examples = readdirSync(join(root, "examples"), { recursive: true, encoding: "utf8" });
  const programs = examples.filter((name) => /\.tsx?$/.test(name) && !name.includes("node_modules"));
  return ["README.md", ...docs.map((name) => join("docs", name)), ...programs.map((name) => join("examples", name))];
}

/** The TypeScript of a page: its blocks, and calls within the text. */
function codeIn(page: string): string {
  const blocks = page.matchAll(/^```ts\n([\s\S]*?)^```/gm);
  const calls = page.matchAll(/`(\w+)\([^`\n]*`/g);
  return [...blocks, ...calls].map(([, code]) => code).join("\n");
}

function namesIn(list: string): string[] {
  const names = list.split(",").map(
    (one) =>
      one
        .trim()
        .replace(/^type /, "")
        .split(" as ")[0] as string,
  );
  return names.filter((name) => name !== "");
}
