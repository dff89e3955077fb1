import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newWorkspace, type WorkspaceBench } from "../../../test/agent/workspace-bench.ts";

let bench: WorkspaceBench;
beforeEach(() => {
  bench = newWorkspace();
});
afterEach(() => bench.remove());

const find = (pattern: string, more: object = {}, options: Parameters<WorkspaceBench["call"]>[2] = {}) =>
  bench.call("find", { pattern, ...more }, options);

const rows: [what: string, pattern: string, more: object, expected: string][] = [
  ["names, at any depth, in order", "*.ts", {}, "B.ts\na.ts\nsrc/a.ts\nsrc/deep/b.test.ts"],
  ["everything", "**", {}, ".env\nB.ts\na.ts\nlink\nsrc/\nsrc/a.ts\nsrc/deep/\nsrc/deep/b.test.ts\nsrc/x.md"],
  ["paths", "src/**/*.ts", {}, "src/a.ts\nsrc/deep/b.test.ts"],
  ["paths with a dot before", "./src/*.ts", {}, "src/a.ts"],
  ["from a directory on", "deep/*", { path: "src" }, "src/deep/b.test.ts"],
  ["from the working directory on, below another", "src/deep/*", { path: "src" }, "src/deep/b.test.ts"],
  ["directories", "deep", {}, "src/deep/"],
  ["hidden files", ".e*", {}, ".env"],
  ["one of several", "*.{md,test.ts}", {}, "src/deep/b.test.ts\nsrc/x.md"],
  ["letters", "[A-B].ts", {}, "B.ts"],
  ["nothing", "*.py", {}, "No files found matching the pattern"],
  [
    "so many",
    "*.ts",
    { limit: 2 },
    "B.ts\na.ts\n\n[The first 2 results; there are more. Use limit=4, or a narrower pattern.]",
  ],
  ["exactly so many", "*.md", { limit: 1 }, "src/x.md"],
  ["in a file", "*", { path: "a.ts" }, "! “a.ts” is no directory. Name one, or read the file."],
  ["nowhere", "*", { path: "gone" }, "no-such-file: There is no “gone”. Look at what is there first."],
];
for (const [what, pattern, more, expected] of rows)
  test(what, async () => {
    for (const path of [
      "a.ts",
      "B.ts",
      "src/a.ts",
      "src/x.md",
      "src/deep/b.test.ts",
      ".env",
      "out/gone.ts",
      ".git/config",
    ])
      bench.put(path);
    bench.put("src/.gitignore", "");
    bench.put(".gitignore", "/out\n.gitignore\n");
    symlinkSync("src", join(bench.root, "link"));
    expect(await find(pattern, more)).toBe(expected);
  });

test("a name with a newline is a name", async () => {
  bench.put("src/a\nb.ts");
  expect(await find("**/*.ts")).toBe('"src/a\\nb.ts"');
  expect(await find("**")).toBe('src/\n"src/a\\nb.ts"');
});

test("thousands of files, circles of links, deep directories", async () => {
  for (let index = 0; index < 1200; index++) bench.put(`many/${String(index).padStart(4, "0")}.txt`);
  symlinkSync("..", join(bench.root, "many/up"));
  const deep = "d/".repeat(200);
  bench.put(`${deep}end.md`);
  expect(await find("*.md")).toBe(`${deep}end.md`);
  const lines = (await find("*.txt")).split("\n");
  expect([lines[0], lines[999], lines[1001]]).toEqual([
    "many/0000.txt",
    "many/0999.txt",
    "[The first 1000 results; there are more. Use limit=2000, or a narrower pattern.]",
  ]);
});

test("a pattern that would take for ever is stopped", async () => {
  bench.put("a".repeat(200));
  expect(await find("*a".repeat(30).concat("b"), {}, { limits: { searchSeconds: 0.5 } })).toBe(
    "! No files found matching the pattern\n\n[Stopped after 0.5 s, so there may be more. Search a smaller directory, or use a simpler pattern.]",
  );
});
