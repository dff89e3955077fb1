import { expect, test } from "vitest";
import { type ProbeReport, reachedModel } from "../../src/cli/acp/probe.ts";
import { charter } from "../cli.ts";

test.each([
  ["system", true],
  ["user", true],
  ["elsewhere", false],
  ["nowhere", false],
  ["unknown", false],
] as const)("a word that Charter's slot brought to %s has reached the model: %s", (reached, isReached) => {
  const trial = { advertised: true, got: "turn" } as const;
  const report: ProbeReport = {
    command: [],
    name: null,
    version: null,
    protocols: [],
    signIns: [],
    chosen: { protocol: 1, slot: "meta-buzz" },
    trials: [
      { slot: "meta-buzz", reached, ...trial },
      { slot: "first-message", reached: "user", ...trial },
    ],
  };
  expect(reachedModel(report)).toBe(isReached);
});

const mistakes = [
  [["probe"], "usage: charter acp probe needs a command after “--”, as in: -- npx my-agent."],
  [["probe", "my-agent"], "usage: “my-agent” has to come after “--”."],
  [["probe", "--env", "A", "--", "my-agent"], "usage: --env must be NAME=value."],
  [["probe", "--inherit", "NO_SUCH", "--", "my-agent"], "usage: --inherit names NO_SUCH, which is not set here."],
] as const;

test.each(mistakes)("charter acp %j is a mistake that is named", (args, message) => {
  const { code, stderr } = charter(["acp", ...args]);
  expect([code, stderr.split("\n")[0]]).toEqual([2, message]);
});
