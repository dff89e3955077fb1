import { describe, expect, test } from "vitest";
import { Problem } from "../prompt/problem.ts";
import { checkConfig } from "./config.ts";

const problem = (config: object) => {
  try {
    return checkConfig(config, "charter.config.ts");
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
};
const said = (config: object) => {
  const found = problem(config);
  return found instanceof Problem ? found.message : "fine";
};

test.each([
  [{ files: { command: ["npx", "server"], env: ["TOKEN"], cwd: "/srv" } }, "fine"],
  [{ files: { command: ["server"], env: { TOKEN: "x" }, reads: ["read_*"], seconds: 5, harmless: ["*"] } }, "fine"],
  [
    { notes: { url: "https://notes.example/mcp", headers: { authorization: "x" }, reads: "annotated", pin: "ask" } },
    "fine",
  ],
  [[], "The setting “mcp” in charter.config.ts is no object."],
  [
    { Files: { command: ["a"] } },
    "“Files” in the setting “mcp” in charter.config.ts is no name: 1 to 24 small letters, digits and “-”.",
  ],
  [{ a: "npx" }, "The setting “mcp.a” in charter.config.ts is no object."],
  [{ a: {} }, "The setting “mcp.a” in charter.config.ts has to have a command or a url, and not both."],
  [
    { a: { command: ["x"], url: "http://x" } },
    "The setting “mcp.a” in charter.config.ts has to have a command or a url, and not both.",
  ],
  [
    { a: { command: [] } },
    'The setting “mcp.a.command” in charter.config.ts is no list of words, as in ["npx", "server"].',
  ],
  [
    { a: { command: "npx server" } },
    'The setting “mcp.a.command” in charter.config.ts is no list of words, as in ["npx", "server"].',
  ],
  [
    { a: { url: "file:///etc" } },
    "The setting “mcp.a.url” in charter.config.ts is no address that begins with http:// or https://.",
  ],
  [
    { a: { url: "https://u:p@x" } },
    "The setting “mcp.a.url” in charter.config.ts is no address that begins with http:// or https://.",
  ],
  [
    { a: { url: "https://x", env: {} } },
    "charter.config.ts sets “mcp.a.env”, which is not a setting. Those are url, headers, trusted, reads, harmless, pin, seconds.",
  ],
  [
    { a: { url: "https://x", headers: { key: 7 } } },
    "The setting “mcp.a.headers” in charter.config.ts is no object of texts.",
  ],
  [{ a: { command: ["x"], pin: true } }, 'The setting “mcp.a.pin” in charter.config.ts is neither "screen" nor "ask".'],
  [
    { a: { command: ["x"], reads: true } },
    'The setting “mcp.a.reads” in charter.config.ts is no list of names, as in ["read_*"], nor "annotated".',
  ],
])("%j: %s", (mcp, told) => {
  expect(said({ mcp })).toBe(told);
});

const command = ["claude-agent-acp"];
const wrong = (field: string, what: string) => `The setting “acp.claude.${field}” in charter.config.ts ${what}.`;

test("every setting of an agent over ACP", () => {
  const whole = {
    ...{ command, env: { HOME: "/home/ada" }, cwd: "/srv", served: true, trusted: true, tools: false, override: true },
    permissions: { default: "deny", read: "allow", execute: "hold" },
    ...{ sizeLimit: 65_536, turnsPerSession: 20, authenticate: "api-key" },
  };
  expect([
    said({ acp: {} }),
    said({ acp: { claude: { command } } }),
    said({ acp: { claude: whole, "x-1": { command, permissions: "allow" } } }),
  ]).toEqual(["fine", "fine", "fine"]);
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
  expect(said({ acp })).toBe(message);
});

test("a setting that is none is named, with those there are; a permission that is none, with its kinds", () => {
  expect(said({ acp: { claude: { command, sevred: true } } })).toContain(
    "“acp.claude.sevred”, which is not a setting. Those are command,",
  );
  for (const permissions of ["yes", { run: "allow" }, { read: "always" }])
    expect(said({ acp: { claude: { command, permissions } } })).toContain(
      "is none of “allow”, “deny”, “hold”, nor one of them",
    );
});

test("a key is in a file, in the environment, or what a command prints", () => {
  const keys = {
    ada: { file: "ada.key" },
    "b-o": { env: "BO_NOSTR_KEY" },
    "cy.2": { command: ["pass", "show", "cy"] },
  };
  expect([said({ keys }), said({ keys: {} })]).toEqual(["fine", "fine"]);
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
    const { code, message, hint } = problem({ keys }) as Problem;
    expect(`${code}: ${message} ${hint}`).toBe(expected);
  });
});
