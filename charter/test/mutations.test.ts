import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { mutations } from "../../scripts/mutations/all.ts";
import { rotten } from "../../scripts/mutations/mutation.ts";

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
