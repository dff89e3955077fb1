import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { scoreOf, survivorLine, writtenScores } from "../../scripts/stryker/scores.ts";
import { findTarget } from "../../scripts/stryker/target.ts";

const root = mkdtempSync(join(tmpdir(), "charter-test-"));
afterAll(() => rmSync(root, { recursive: true }));
mkdirSync(join(root, "charter/src/store/turns"), { recursive: true });
for (const file of ["agents.ts", "agents.test.ts", "turns/turn.ts", "turns/step.ts"])
  writeFileSync(join(root, "charter/src/store", file), "");

test.each(["store/turns", "store/turns/", "charter/src/store/turns"])("%s is a folder of charter/src", (given) => {
  expect(findTarget(root, given)).toEqual({
    name: "store/turns",
    files: ["charter/src/store/turns/step.ts", "charter/src/store/turns/turn.ts"],
    tests: ["charter/src/store/**/*.test.ts", "charter/test/store/**/*.test.ts", "charter/test/turns/**/*.test.ts"],
  });
});

test("one file is broken alone, and asks the tests of its floor", () => {
  expect(findTarget(root, "store/agents.ts")).toEqual({
    name: "store/agents.ts",
    files: ["charter/src/store/agents.ts"],
    tests: ["charter/src/store/**/*.test.ts", "charter/test/store/**/*.test.ts"],
  });
});

test.each(["store/turn", "store/agents.test.ts", "studio/src/kit"])("there is no source in %s", (given) => {
  expect(findTarget(root, given)).toBeUndefined();
});

test("a score counts the mutants that were tried, and is not rounded up", () => {
  const mutants = (...statuses: string[]) => statuses.map((status) => ({ status }));
  expect(scoreOf(mutants("Killed", "Timeout", "Survived", "NoCoverage", "Ignored", "RuntimeError"))).toEqual({
    mutants: 4,
    score: 50,
  });
  expect(scoreOf([...mutants("Survived"), ...Array(1999).fill({ status: "Killed" })])).toEqual({
    mutants: 2000,
    score: 99.9,
  });
  expect(scoreOf(mutants("Ignored"))).toEqual({ mutants: 0, score: 100 });
});

test("a survivor is one line: where, what was there, what stood there instead", () => {
  const source = "const a = 1;\nif (a > 0 &&\n    b)\n  c();\n";
  const location = { start: { line: 2, column: 5 }, end: { line: 3, column: 6 } };
  const mutant = { fileName: "a.ts", location, mutatorName: "ConditionalExpression", status: "Survived" };
  expect(survivorLine({ ...mutant, replacement: "true" }, "a.ts", source)).toBe(
    "a.ts:2 ConditionalExpression: a > 0 && b → true",
  );
});

test("scores are written one folder a line, in order", () => {
  const scores = { "store/turns": { mutants: 7, score: 85.7 }, amend: { mutants: 1200, score: 92 } };
  expect(writtenScores(scores)).toBe(
    '{\n  "amend": { "mutants": 1200, "score": 92 },\n  "store/turns": { "mutants": 7, "score": 85.7 }\n}\n',
  );
});
