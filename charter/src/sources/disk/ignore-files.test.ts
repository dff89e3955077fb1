import { expect, test } from "vitest";
import { type IgnoreFileRules, ignoredBy, ignoreFileRules } from "./directory.ts";
import type { Diagnostic } from "./findings.ts";

const diagnostics: Diagnostic[] = [];

/** The rules that hold in a folder, by the files in it and above: { "": "*.tmp", "a/": "!b.tmp" }. */
function rules(files: Readonly<Record<string, string>>): IgnoreFileRules | undefined {
  return Object.entries(files).reduce<IgnoreFileRules | undefined>(
    (above, [prefix, text]) =>
      ignoreFileRules(
        [{ path: `/${prefix}.gitignore`, state: { status: "present", text, more: 0, diagnostics: [] } }],
        prefix,
        above,
        (diagnostic) => diagnostics.push(diagnostic),
      ),
    undefined,
  );
}

const rows: [what: string, files: Record<string, string>, path: string, by: string | undefined][] = [
  ["no file, no rule", {}, "a/", undefined],
  ["a name, anywhere", { "": "b" }, "a/b/", "/.gitignore"],
  ["a pattern, anywhere", { "": "*.tmp" }, "a/c/d.tmp", "/.gitignore"],
  ["a pattern of a nested file holds further down", { "a/": "*.tmp" }, "a/b/c.tmp", "/a/.gitignore"],
  ["an anchored name, only there", { "": "/b" }, "a/b/", undefined],
  ["an anchored name of a nested file", { "a/": "/b" }, "a/b/", "/a/.gitignore"],
  ["a path", { "": "a/b" }, "a/b/", "/.gitignore"],
  ["a name with a slash is a directory's", { "": "b/" }, "a/b", undefined],
  ["the last rule counts", { "": "*\n!b" }, "b", undefined],
  ["a deeper file takes it back", { "": "*.md", "a/": "!keep.md" }, "a/keep.md", undefined],
  ["a deeper file that says nothing leaves it", { "": "*.md", "a/": "!keep.md" }, "a/other.md", "/.gitignore"],
  ["a deeper file ignores what one above took back", { "": "*.md\n!a.md", "b/": "a.md" }, "b/a.md", "/b/.gitignore"],
  ["capitals are other letters", { "": "B" }, "b", undefined],
  ["a comment, an empty line, a space at the end", { "": "# a\n\nb  " }, "b", "/.gitignore"],
  ["an escaped mark", { "": "\\#a" }, "#a", "/.gitignore"],
  ["a range", { "": "[a-c]x" }, "bx", "/.gitignore"],
  ["a range backwards", { "": "[c-a]x\nb" }, "b", "/.gitignore"],
  ["two stars", { "": "a/**/d" }, "a/b/c/d", "/.gitignore"],
];
test.each(rows)("%s", (_, files, path, by) => {
  expect(ignoredBy(rules(files), path)).toBe(by);
});

test("what is inside a directory that was taken back is asked about for itself", () => {
  const above = rules({ "": "build/\n*.log", "a/": "!build/" });
  expect(ignoredBy(above, "a/build/")).toBeUndefined();
  expect(ignoredBy(above, "a/build/SKILL.md")).toBeUndefined();
  expect(ignoredBy(above, "a/build/x.log")).toBe("/.gitignore");
  expect(ignoredBy(above, "a/build/build/")).toBeUndefined();
  expect(ignoredBy(above, "build/")).toBe("/.gitignore");
});

test("names full of marks are taken back as they are", () => {
  const above = rules({ "": "x*/\n[[]y/\n", "a/": "!*" });
  for (const name of ["x*", "x?[a]\\", "[y", "x ", "x\n!z"]) {
    expect([name, ignoredBy(above, `a/${name}/`)]).toEqual([name, undefined]);
    expect([name, ignoredBy(above, `a/${name}/SKILL.md`)]).toEqual([name, undefined]);
  }
});

test("a long file is cut, and that is told", () => {
  diagnostics.length = 0;
  expect(ignoredBy(rules({ "": `${"a\n".repeat(2000)}b` }), "b")).toBeUndefined();
  expect(diagnostics).toEqual([
    {
      severity: "warning",
      code: "ignore-file-too-long",
      path: "/.gitignore",
      message: "/.gitignore is long: only its first 2,000 lines within 65,536 bytes are used. Shorten it.",
    },
  ]);
});

test("a pattern made to take long takes no time", () => {
  const name = `${"a".repeat(250)}.md`;
  expect(ignoredBy(rules({ "": `${"*a".repeat(60)}b` }), name)).toBeUndefined();
});

test("a rule of many “**” is left out, and told: each multiplies the ways to try", () => {
  diagnostics.length = 0;
  const above = rules({ "": `${"**/*/".repeat(4)}c\n# ${"**".repeat(9)}\n**/a/**/b/**\n` });
  expect([ignoredBy(above, "p/q/r/s/c"), ignoredBy(above, "x/a/b/c")]).toEqual([undefined, "/.gitignore"]);
  expect(diagnostics.map(({ message }) => message)).toEqual([
    '/.gitignore: the rule "**/*/**/*/**/*/**/*/c" is not understood (“**” is in it more than 3 times). Take it out.',
  ]);
});
