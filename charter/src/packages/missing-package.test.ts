import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { installCommand, missingImport, packageMissing, packageOf } from "./load-package.ts";

test.each([
  ["pg", "pg"],
  ["hono/cookie", "hono"],
  ["@hono/node-server", "@hono/node-server"],
  ["gpt-tokenizer/encoding/o200k_base", "gpt-tokenizer"],
  ["@ai-sdk/openai/internal", "@ai-sdk/openai"],
  ["./app.ts", undefined],
  ["../hono", undefined],
  ["/hono", undefined],
  ["#own", undefined],
  ["node:fs", undefined],
  ["file:///hono", undefined],
])("the package that %j names is %j", (specifier, name) => {
  expect(packageOf(specifier)).toBe(name);
});

test.each([
  ["Node, imported", "ERR_MODULE_NOT_FOUND", "Cannot find package 'left-pad' imported from /a/b.ts", "left-pad"],
  ["Node, a part of it", "ERR_MODULE_NOT_FOUND", "Cannot find package '@a/b' imported from /a/b.ts", "@a/b"],
  ["Node, required", "MODULE_NOT_FOUND", "Cannot find module 'left-pad/x'\nRequire stack:\n- /a", "left-pad"],
  ["Bun", "ERR_MODULE_NOT_FOUND", "Cannot find package 'left-pad' from '/a/b.ts'", "left-pad"],
  ["a file of one's own", "ERR_MODULE_NOT_FOUND", "Cannot find module '/a/b.js' imported from /a/c.ts", undefined],
  ["something else", "ERR_OTHER", "Cannot find package 'left-pad' imported from /a/b.ts", undefined],
])("what was not found, by the words of %s", (_by, code, message, name) => {
  expect(missingImport(Object.assign(new Error(message), { code }))).toBe(name);
});

test("what is thrown that is no error says nothing of a package", () => {
  expect([missingImport(undefined), missingImport("Cannot find package 'a'")]).toEqual([undefined, undefined]);
});

test("a missing package is named with what needs it, and the one command that brings it", () => {
  const { code, message, hint } = packageMissing("pg", { purpose: "PostgreSQL" });
  expect({ code, message, hint }).toEqual({
    code: "package-missing",
    message: "PostgreSQL needs the package “pg”, which is not installed.",
    hint: "Run npm install charter-service: it brings everything that charter start needs.",
  });
});

test("a command that is installed for the whole machine asks for its service there, one in a project in the project", () => {
  const folder = mkdtempSync(join(tmpdir(), "charter-global-"));
  const asked = (place: string) => installCommand(pathToFileURL(join(folder, place, "charter/dist/a.js")).href);
  const global = asked("node_modules");
  writeFileSync(join(folder, "package.json"), "{}");
  const inProject = [asked("node_modules"), asked("node_modules/.pnpm/charter@1/node_modules"), asked("clone")];
  rmSync(folder, { recursive: true });
  expect([global, ...new Set(inProject)]).toEqual(["npm install -g charter-service", "npm install charter-service"]);
});

test("where there is another way, the hint says that too", () => {
  const { hint } = packageMissing("gpt-tokenizer", { purpose: "Counting", otherwise: "Or use “estimate”." });
  expect(hint).toBe(
    "Run npm install charter-service: it brings everything that charter start needs. Or use “estimate”.",
  );
});

test("what the service does not bring is asked for by itself, in the release that is known", () => {
  expect(packageMissing("viem", { purpose: "The chain" })).toMatchObject({
    code: "package-missing",
    message: "The chain needs the package “viem”, which is not installed.",
    hint: "Run npm install viem@2.57.1.",
  });
});
