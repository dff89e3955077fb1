import { expect, test } from "vitest";
import { checkMcp } from "./mcp-configuration.ts";

const said = (mcp: unknown) => {
  try {
    checkMcp(mcp, "charter.config.ts");
    return "fine";
  } catch (error) {
    return (error as Error).message;
  }
};

test.each([
  [{ files: { command: ["npx", "server"], env: ["TOKEN"], cwd: "/srv" } }, "fine"],
  [{ files: { command: ["server"], env: { TOKEN: "x" }, reads: ["read_*"], seconds: 5, sensitive: false } }, "fine"],
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
    "charter.config.ts sets “mcp.a.env”, which is not a setting. Those are url, headers, reads, pin, sensitive, seconds.",
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
  expect(said(mcp)).toBe(told);
});
