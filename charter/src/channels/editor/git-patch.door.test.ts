import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitPatch } from "./connection.ts";

test.each([
  ["a new file", null, "one\ntwo\n"],
  ["a changed line", "one\ntwo\nthree\n", "one\n2\nthree\n"],
  ["a file that becomes longer at its end", "one\n", "one\n\ntwo\n"],
])("git applies the patch of %s", (_what, before, after) => {
  const folder = mkdtempSync(join(tmpdir(), "charter-patch-"));
  try {
    if (before !== null) writeFileSync(join(folder, "a.txt"), before);
    execFileSync("git", ["apply", "-"], { cwd: folder, input: gitPatch("/a.txt", before, after) });
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe(after);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a text whose last line does not end has no patch", () => {
  expect(gitPatch("/a.txt", "one", "one\n")).toBe(undefined);
});
