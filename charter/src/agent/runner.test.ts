import { hostname } from "node:os";
import { expect, test } from "vitest";
import { isRunnerGone, runnerName } from "./agent.ts";

const linux = process.platform === "linux";

test("a process that runs is not gone, and one on another machine is nobody's to judge", () => {
  expect(isRunnerGone(runnerName())).toBe(false);
  expect(isRunnerGone(`${hostname()}:${process.pid}`)).toBe(false);
  expect(isRunnerGone("elsewhere:1")).toBe(false);
  expect(isRunnerGone("a worker")).toBe(false);
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
