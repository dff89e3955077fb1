import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { mutations } from "../../scripts/mutations/all.ts";
import { rotten } from "../../scripts/mutations/mutation.ts";
import { scoresIn, strykerFiles } from "../../scripts/stryker/run.ts";

test("each hand-written mutation has a name of its own, finds its line exactly once, and names tests that are there", () => {
  expect(rotten(resolve(import.meta.dirname, ".."), mutations)).toEqual([]);
});

test("a mutation whose line stands twice or nowhere is named, with the line", () => {
  const folder = mkdtempSync(join(tmpdir(), "charter-test-"));
  try {
    mkdirSync(join(folder, "src"));
    writeFileSync(join(folder, "src/a.ts"), "one();\ntwo();\ntwo();\n");
    const given = { file: "a.ts", replace: "" };
    const found = rotten(folder, [
      { ...given, name: "once", find: "one();" },
      { ...given, name: "twice", find: "two();" },
      { ...given, name: "nowhere", find: "three();", noticedBy: ["src/a.test.ts"] },
      { ...given, name: "no-file", file: "b.ts", find: "one();" },
      { ...given, name: "once", find: "one();", replace: "one();" },
    ]);
    expect(found).toEqual([
      "“twice”: a.ts does not hold, exactly once:\n  two();",
      "“nowhere”: a.ts does not hold, exactly once:\n  three();",
      "“nowhere”: there is no src/a.test.ts.",
      "“no-file”: b.ts does not hold, exactly once:\n  one();",
      "“once” is the name of two.",
      "“once” changes nothing.",
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("each folder that Stryker breaks has a score of its own, of the mutants that were tried", () => {
  const mutants = (...statuses: string[]) => ({ mutants: statuses.map((status) => ({ status })) });
  const files = {
    "charter/src/prompt/a.ts": mutants("Killed", "Survived", "Ignored"),
    "charter/src/prompt/b.ts": mutants("Timeout", "NoCoverage"),
    "charter/src/server/c.ts": mutants("Survived"),
  };
  expect(scoresIn({ files })).toEqual([
    { folder: "charter/src/prompt/", score: 50, counts: { Killed: 1, Survived: 1, Timeout: 1, NoCoverage: 1 } },
    { folder: "charter/src/amend/", score: 100, counts: {} },
  ]);
});

test("Stryker breaks the files of the two folders, not their tests", () => {
  const files = strykerFiles(resolve(import.meta.dirname, "../.."));
  expect(files).toContain("charter/src/prompt/fit.ts");
  expect(files).toContain("charter/src/amend/guards/room.ts");
  expect(files.filter((file) => file.includes(".test."))).toEqual([]);
});
