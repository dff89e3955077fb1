import { spawn, spawnSync } from "node:child_process";
import { hostname } from "node:os";
import { expect, test } from "vitest";
import { isRunnerGone, runnerName } from "./runner.ts";

const linux = process.platform === "linux";

test("a process that runs is not gone, and one on another machine is nobody's to judge", () => {
  expect(isRunnerGone(runnerName())).toBe(false);
  expect(isRunnerGone(`${hostname()}:${process.pid}`)).toBe(false);
  expect(isRunnerGone("elsewhere:1")).toBe(false);
  expect(isRunnerGone("a worker")).toBe(false);
});

test("a process that ended is gone", () => {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  expect(isRunnerGone(`${hostname()}:${pid}`)).toBe(true);
  expect(isRunnerGone(`${hostname()}:${pid}:1`)).toBe(true);
});

test.runIf(linux)("a process whose number another has by now is gone: a container that was started again", () => {
  expect(isRunnerGone(`${hostname()}:${process.pid}:1`)).toBe(true);
});

test.runIf(linux)(
  "a process of another container is nobody's to judge, though it has this host's name and number",
  () => {
    const [host, pid, , world] = runnerName().split(":");
    expect(isRunnerGone(`${host}:${pid}:1:${world}`)).toBe(true);
    expect(isRunnerGone(`${host}:${pid}:1:${Number(world) + 1}`)).toBe(false);
    expect(isRunnerGone(`${host}:999999999:1:${Number(world) + 1}`)).toBe(false);
  },
);

test.runIf(linux)("a process that ended and that its parent never asked about is gone", async () => {
  // The shell becomes a sleep, which never asks what became of the child the shell had.
  const parent = spawn("sh", ["-c", "sh -c 'echo $$' & exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] });
  const pid = await new Promise<string>((resolve) => parent.stdout.once("data", (chunk) => resolve(`${chunk}`.trim())));
  await expect.poll(() => isRunnerGone(`${hostname()}:${pid}`)).toBe(true);
  expect(process.kill(Number(pid), 0)).toBe(true);
  parent.kill("SIGKILL");
});
