import { describe, expect, test } from "vitest";
import { Problem } from "../../prompt/problem.ts";
import { checkConfig } from "./configuration.ts";

const problem = (keys: unknown) => {
  try {
    return checkConfig({ keys }, "charter.config.ts");
  } catch (error) {
    if (error instanceof Problem) return `${error.code}: ${error.message} ${error.hint}`;
    throw error;
  }
};

test("a key is in a file, in the environment, or what a command prints", () => {
  const keys = {
    ada: { file: "ada.key" },
    "b-o": { env: "BO_NOSTR_KEY" },
    "cy.2": { command: ["pass", "show", "cy"] },
  };
  expect(problem(keys)).toEqual({ keys });
  expect(problem({})).toEqual({ keys: {} });
});

const secret = `nsec1${"q".repeat(58)}`;
const hex = "ab".repeat(32);
const hint =
  'As in keys: { ada: { file: "ada.key" } }, or { env: "ADA_NOSTR_KEY" }, or { command: ["pass", "show", "ada"] }; never the key itself: docs/resident.md#keys.';
const nowhere = `bad-config: The setting “keys.ada” in charter.config.ts does not say where the key is. ${hint}`;
const noName = `bad-config: A name in the setting “keys” in charter.config.ts is no name of a key: 1 to 40 letters, digits, “-”, “_”, “.”. ${hint}`;

describe("what is wrong is named, and nothing that may be a key is repeated", () => {
  test.for([
    [secret, `bad-config: The setting “keys” in charter.config.ts is no object. ${hint}`],
    [[secret], `bad-config: The setting “keys” in charter.config.ts is no object. ${hint}`],
    [{ ada: secret }, nowhere],
    [{ ada: hex }, nowhere],
    [{ ada: { hex } }, nowhere],
    [{ ada: { nsec: secret } }, nowhere],
    [{ ada: { file: secret } }, nowhere],
    [{ ada: { file: "" } }, nowhere],
    [{ ada: { file: "a", env: "B" } }, nowhere],
    [{ ada: { env: "A-B" } }, nowhere],
    [{ ada: { command: "pass show ada" } }, nowhere],
    [{ ada: { command: [] } }, nowhere],
    [{ ada: { constructor: "x" } }, nowhere],
    [{ ada: {} }, nowhere],
    [{ ada: null }, nowhere],
    [{ [secret]: { file: "a" } }, noName],
    [{ [hex]: { file: "a" } }, noName],
    [{ "a b": { file: "a" } }, noName],
  ] as const)("%j", ([keys, expected]) => {
    expect(problem(keys)).toBe(expected);
  });
});
