import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const filesIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
const files = ["charter/src", "charter/test"].flatMap(filesIn).filter((path) => path.endsWith(".test.ts"));

test("what a test leaves out of its short form is run by a long test beside it", () => {
  const shortened = files.filter((path) =>
    /import \{[^}]*\bwhole\b[^}]*\} from "[^"]*homes\.ts"/.test(readFileSync(join(root, path), "utf8")),
  );
  const properties = readFileSync(join(root, "charter/test/properties/all.long.test.ts"), "utf8");
  const hasLong = (path: string) =>
    existsSync(join(root, path.replace(".test.ts", ".long.test.ts"))) ||
    dirname(path) === "charter/test/properties" ||
    properties.includes(path.replace("charter/test/", "../"));
  expect(shortened.length).toBeGreaterThan(10);
  expect(shortened.filter((path) => !hasLong(path))).toEqual([]);
});
