import { globSync } from "node:fs";

/** What is broken, a folder or a file, named from `charter/src`, and the tests that are asked. */
export type Target = {
  readonly name: string;
  readonly files: readonly string[];
  /** Patterns. Of what they name, only tests that import one of the files are asked. */
  readonly tests: readonly string[];
};

const source = "charter/src";

/** The target of this name; nothing where no source file is there. */
export function findTarget(root: string, given: string): Target | undefined {
  const name = given.replace(/^(?:\.\/)?charter\/src\//, "").replace(/\/+$/, "");
  const pattern = isFile(name) ? `${source}/${name}` : `${source}/${name}/**/*.ts`;
  const files = globSync(pattern, { cwd: root }).filter((file) => !file.endsWith(".test.ts"));
  return files.length === 0 ? undefined : { name, files: files.sort(), tests: nearTests(name) };
}

/** One file is looked at; a folder has a score. */
export function isFile(name: string): boolean {
  return name.endsWith(".ts");
}

/**
 * Nearly every test imports the lowest floors somehow, and asking all of them about each mutant would take days. So the
 * tests of the same floor are asked, and those in a folder of `charter/test` that has a name of the path.
 */
function nearTests(name: string): string[] {
  const folders = name.split("/").filter((part) => !isFile(part));
  return [`${source}/${folders[0]}`, ...folders.map((folder) => `charter/test/${folder}`)].map(
    (folder) => `${folder}/**/*.test.ts`,
  );
}
