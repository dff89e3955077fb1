import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newWorkspace } from "../../../test/agent/workspace-bench.ts";

test("a pipe is not read, and keeps nobody waiting", async () => {
  const bench = newWorkspace();
  execFileSync("mkfifo", [join(bench.root, "pipe")]);
  expect(await bench.call("read", { path: "pipe" })).toBe(
    "not-a-file: “pipe” is a pipe, a device or another thing that is no file. Name a file.",
  );
  bench.remove();
});
