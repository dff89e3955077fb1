import { spawn, spawnSync } from "node:child_process";
import { hostname } from "node:os";
import { expect, test } from "vitest";
import { isRunnerGone } from "./agent.ts";

test("a process that ended is gone", () => {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  expect(isRunnerGone(`${hostname()}:${pid}`)).toBe(true);
  expect(isRunnerGone(`${hostname()}:${pid}:1`)).toBe(true);
});

test.runIf(process.platform === "linux")(
  "a process that ended and that its parent never asked about is gone",
  async () => {
    // The shell becomes a sleep, which never asks what became of the child the shell had.
    const parent = spawn("sh", ["-c", "sh -c 'echo $$' & exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] });
    const pid = await new Promise<string>((resolve) =>
      parent.stdout.once("data", (chunk) => resolve(`${chunk}`.trim())),
    );
    await expect.poll(() => isRunnerGone(`${hostname()}:${pid}`)).toBe(true);
    expect(process.kill(Number(pid), 0)).toBe(true);
    parent.kill("SIGKILL");
  },
);
