import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { files, inFolder } from "./docs-testing.ts";

test("every test in docs/testing.md passes", async () => {
  const names = files.map(([name]) => name).filter((name) => name.endsWith(".test.ts"));
  expect(names).toEqual(["turn.test.ts", "wire.test.ts", "tools.test.ts", "prompt.test.ts", "guards.test.ts"]);
  const words = ["--conditions=charter-source", "--test", "--test-isolation=none", "--test-reporter=tap", ...names];
  const env = { PATH: process.env.PATH };
  const { stdout } = await inFolder((cwd) =>
    promisify(execFile)(process.execPath, words, { cwd, env }).catch((error: { stdout: string }) => error),
  );
  expect(stdout.match(/^not ok[\s\S]*?\.\.\.$|^# (?:pass|fail) \d+$/gm)).toEqual(["# pass 10", "# fail 0"]);
});
