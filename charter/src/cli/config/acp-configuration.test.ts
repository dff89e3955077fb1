import { expect, test } from "vitest";
import { checkAcp } from "./acp-configuration.ts";

const said = (acp: unknown) => {
  try {
    checkAcp(acp, "charter.config.ts");
    return "sound";
  } catch (error) {
    return (error as Error).message;
  }
};
const command = ["claude-agent-acp"];
const wrong = (field: string, what: string) => `The setting “acp.claude.${field}” in charter.config.ts ${what}.`;

test("every setting of an agent over ACP", () => {
  const whole = {
    ...{ command, env: { HOME: "/home/ada" }, cwd: "/srv", served: true, foreign: false, tools: false, override: true },
    permissions: { default: "deny", read: "allow", execute: "hold" },
    ...{ sizeLimit: 65_536, turnsPerSession: 20, authenticate: "api-key" },
  };
  expect([
    said({}),
    said({ claude: { command } }),
    said({ claude: whole, "x-1": { command, permissions: "allow" } }),
  ]).toEqual(["sound", "sound", "sound"]);
});

test.for([
  [[], "The setting “acp” in charter.config.ts is no object."],
  [
    { "a b": { command } },
    "“a b” in the setting “acp” in charter.config.ts is no name: 1 to 40 letters, digits, “-”, “_”, “.”.",
  ],
  [{ claude: "claude" }, "The setting “acp.claude” in charter.config.ts is no object."],
  [{ claude: {} }, "The setting “acp.claude” in charter.config.ts has no command."],
  [{ claude: { command: "claude" } }, wrong("command", 'is no list of words, as in ["npx", "claude-agent-acp"]')],
  [{ claude: { command, env: { KEY: 1 } } }, wrong("env", "is no object of texts")],
  [{ claude: { command, served: "yes" } }, wrong("served", "is neither true nor false")],
  [{ claude: { command, sizeLimit: 10 } }, wrong("sizeLimit", "is no whole number of bytes from 4096 up")],
  [{ claude: { command, turnsPerSession: 0 } }, wrong("turnsPerSession", "is no whole number from 1 up")],
] as const)("%j", ([acp, message]) => {
  expect(said(acp)).toBe(message);
});

test("a setting that is none is named, with those there are; a permission that is none, with its kinds", () => {
  expect(said({ claude: { command, sevred: true } })).toContain(
    "“acp.claude.sevred”, which is not a setting. Those are command,",
  );
  for (const permissions of ["yes", { run: "allow" }, { read: "always" }])
    expect(said({ claude: { command, permissions } })).toContain("is none of “allow”, “deny”, “hold”, nor one of them");
});
