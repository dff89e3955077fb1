import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newWorkspace, type WorkspaceBench } from "../../../test/agent/workspace-bench.ts";

let bench: WorkspaceBench;
beforeEach(() => {
  bench = newWorkspace();
});
afterEach(() => bench.remove());

const grep = (pattern: string, more: object = {}, options: Parameters<WorkspaceBench["call"]>[2] = {}) =>
  bench.call("grep", { pattern, ...more }, options);

describe("what is found", () => {
  beforeEach(() => {
    bench.put("a.ts", "const a = 1;\n// TODO: a\n");
    bench.put("src/b.ts", "// todo\r\n// TODO (b)\r\nlast");
    bench.put("src/deep/c.md", "TODO");
    bench.put(".hidden/d.txt", "TODO");
  });
  const all = ".hidden/d.txt:1: TODO\na.ts:2: // TODO: a\nsrc/b.ts:2: // TODO (b)\nsrc/deep/c.md:1: TODO";
  const rows: [what: string, pattern: string, more: object, expected: string][] = [
    ["everywhere, in the order of paths", "TODO", {}, all],
    ["in a directory: paths that can be read as they are", "TODO", { path: "src/deep" }, "src/deep/c.md:1: TODO"],
    ["in one file", "TODO", { path: "./src/b.ts" }, "src/b.ts:2: // TODO (b)"],
    ["in names that match", "TODO", { glob: "*.ts" }, "a.ts:2: // TODO: a\nsrc/b.ts:2: // TODO (b)"],
    ["in paths that match", "TODO", { glob: "src/**/*.md" }, "src/deep/c.md:1: TODO"],
    ["in paths that match from where it looks", "TODO", { path: "src", glob: "deep/*" }, "src/deep/c.md:1: TODO"],
    ["in all but those that match", "TODO", { glob: "!*.{ts,txt}" }, "src/deep/c.md:1: TODO"],
    [
      "whatever the case",
      "todo",
      { ignoreCase: true, path: "src/b.ts" },
      "src/b.ts:1: // todo\nsrc/b.ts:2: // TODO (b)",
    ],
    ["whatever the case, as others write it", "(?i)todo \\(", {}, "src/b.ts:2: // TODO (b)"],
    ["plain words", "TODO (b)", { literal: true }, "src/b.ts:2: // TODO (b)"],
    ["plain words with (?i) in them", "(?i)", { literal: true }, "No matches found"],
    [
      "a pattern: lines alone, without their ends",
      "^(TODO|last)$",
      {},
      ".hidden/d.txt:1: TODO\nsrc/b.ts:3: last\nsrc/deep/c.md:1: TODO",
    ],
    ["an escape that is needless", "TODO\\:", {}, "a.ts:2: // TODO: a"],
    ["nothing", "FIXME", {}, "No matches found"],
    [
      "as many as asked for",
      "TODO",
      { limit: 1 },
      ".hidden/d.txt:1: TODO\n\n[The first 1 matches; there are more. Use limit=2, or search for less.]",
    ],
    ["exactly as many", "TODO", { limit: 4 }, all],
    ["no line after the last newline", "^$", { limit: 1 }, "No matches found"],
  ];
  for (const [what, pattern, more, expected] of rows)
    test(what, async () => expect(await grep(pattern, more)).toBe(expected));

  test("a byte-order mark does not hide the first line's beginning", async () => {
    bench.put("marked.ts", "\uFEFFimport a;\n");
    expect(await grep("^import")).toBe("marked.ts:1: import a;");
  });

  test("with lines around it, each once", async () => {
    bench.put("list.txt", "1\n2 x\n3\n4 x\n5\n6\n7\n8\n9 x\n");
    expect(await grep("x", { path: "list.txt", context: 1 })).toBe(
      "list.txt-1- 1\nlist.txt:2: 2 x\nlist.txt-3- 3\nlist.txt:4: 4 x\nlist.txt-5- 5\n--\nlist.txt-8- 8\nlist.txt:9: 9 x",
    );
  });
});

describe("what is not searched", () => {
  test("what .gitignore files exclude, deeper ones first; .git never", async () => {
    const files: Record<string, string> = {
      ".gitignore": "*.log\nbuild/\n/only-here\n",
      ".git/config": "x",
      "a.log": "x",
      "build/a.js": "x",
      "only-here": "x",
      "sub/only-here": "x",
      "sub/.gitignore": "!keep.log\n/secret.txt\n",
      "sub/keep.log": "x",
      "sub/drop.log": "x",
      "sub/secret.txt": "x",
      "pkg/.gitignore": "!build/",
      "pkg/build/a.js": "x",
    };
    for (const [path, content] of Object.entries(files)) bench.put(path, content);
    expect(await grep("^x")).toBe("pkg/build/a.js:1: x\nsub/keep.log:1: x\nsub/only-here:1: x");
    expect(await grep("^x", { path: "sub" })).toBe("sub/keep.log:1: x\nsub/only-here:1: x");
    expect(await grep("^x", { path: "build" })).toBe("build/a.js:1: x");
    expect(await grep("^x", { path: "a.log" })).toBe("a.log:1: x");
  });

  test("rules above the working directory hold where it is part of a repository", async () => {
    const { root, outside } = bench;
    mkdirSync(join(outside, "../.git"));
    writeFileSync(join(outside, "../.gitignore"), "*.log\n");
    bench.put("a.log", "x");
    bench.put("a.txt", "x");
    expect(await grep("x")).toBe("a.txt:1: x");
    expect(root).not.toBe(outside);
  });

  test("binary files, links, pipes; large files are told", async () => {
    bench.put("a.bin", "x\0");
    bench.put("large.txt", "x".repeat(2000));
    bench.put("own.txt", "x");
    symlinkSync("own.txt", join(bench.root, "link.txt"));
    execFileSync("mkfifo", [join(bench.root, "pipe")]);
    expect(await grep("x", {}, { limits: { fileBytes: 1024 } })).toBe(
      "own.txt:1: x\n\n[Not searched: 1 file over 1 KB.]",
    );
  });
});

describe("limits", () => {
  test("long lines are cut, and controls are left out", async () => {
    bench.put("a.txt", `\u001b[31m${"🐢".repeat(501)}\n`);
    expect(await grep("🐢")).toBe(`a.txt:1: ${"🐢".repeat(500)}… (cut)`);
  });

  test("so many matches, so many bytes", async () => {
    bench.put("a.txt", "x\n".repeat(150));
    expect((await grep("x")).split("\n").slice(-3)).toEqual([
      "a.txt:100: x",
      "",
      "[The first 100 matches; there are more. Use limit=200, or search for less.]",
    ]);
    const long = await grep("x", { limit: 10_000 }, { limits: { bytes: 100 } });
    expect(long).toBe(
      "a.txt:1: x\na.txt:2: x\na.txt:3: x\na.txt:4: x\na.txt:5: x\na.txt:6: x\na.txt:7: x\na.txt:8: x\na.txt:9: x\n\n[Cut at 100 bytes; there are more. Search for less.]",
    );
  });

  test("a name that would break the line is quoted", async () => {
    bench.put("a\nb:1: forged", "x");
    expect(await grep("x")).toBe('"a\\nb:1: forged":1: x');
  });
});

describe("patterns that cannot be used", () => {
  test("what is no regular expression is told", async () => {
    expect(await grep("(")).toBe(
      "bad-pattern: “(” is no regular expression: Unterminated group. Fix it, or search for the very words with literal: true.",
    );
  });

  test("one that would take for ever is stopped, and nothing is held up by it", async () => {
    bench.put("a.txt", "found: aaa\n");
    bench.put("b.txt", `${"a".repeat(60)}!`);
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    const answer = await grep("^(a+)+$", {}, { limits: { searchSeconds: 0.5 } });
    clearInterval(timer);
    expect(answer).toBe(
      "! No matches found\n\n[Stopped after 0.5 s, so there may be more. Search fewer files, or write a simpler pattern: one with a repetition inside a repetition can take for ever.]",
    );
    expect(ticks).toBeGreaterThan(3);
  });

  test("a glob that would take for ever is stopped as well", async () => {
    bench.put("a".repeat(200), "x");
    expect(await grep("x", { glob: "*a".repeat(30).concat("b") }, { limits: { searchSeconds: 0.5 } })).toMatch(
      /^! No matches found\n\n\[Stopped after 0\.5 s/,
    );
  });

  test("a turn that is stopped stops it", async () => {
    bench.put("b.txt", `${"a".repeat(60)}!`);
    const stop = new AbortController();
    const searching = grep("^(a+)+$", {}, { signal: stop.signal });
    stop.abort();
    expect(await searching).toMatch(/^! No matches found/);
  });
});

test("threads are given back", async () => {
  bench.put("a.txt", "x");
  const count = () =>
    process.getActiveResourcesInfo().filter((name) => name === "MessagePort" || name === "Worker").length;
  const before = count();
  await grep("x");
  await grep("x", { path: "nowhere" });
  expect(count()).toBe(before);
});

test("a turn that is stopped stops a search that has all the time there is", async () => {
  bench.put("b.txt", `${"a".repeat(60)}!`);
  const stop = new AbortController();
  const searching = grep("^(a+)+$", {}, { signal: stop.signal, limits: { searchSeconds: 1_000_000 } });
  stop.abort();
  expect(await searching).toMatch(/^! No matches found/);
});
