import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Tool, ToolContext } from "../tool.ts";
import { workspaceTools } from "./workspace-tools.ts";

let root: string;
let buffers: Map<string, string>;
let asked: string[];
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "charter-files-")));
  mkdirSync(join(root, "work"));
  buffers = new Map();
  asked = [];
});
afterEach(() => rmSync(root, { recursive: true }));

const at = (name: string) => join(root, "work", name);
const files = {
  read: async (path: string) => {
    asked.push(`read ${path}`);
    return buffers.get(path);
  },
  write: async (path: string, text: string) => {
    asked.push(`write ${path}`);
    buffers.set(path, text);
  },
};

async function use(name: string, input: object): Promise<unknown> {
  const options = { root: join(root, "work"), allowed: [join(root, "allowed")], protected: [at("kept.db")], files };
  const tool = workspaceTools(options).find((one) => one.name === name) as Tool;
  try {
    return await tool.run(input as never, { signal: new AbortController().signal } as ToolContext);
  } catch (error) {
    return (error as { code: string }).code;
  }
}

test("a file is read as the editor has it, a window of it at a time", async () => {
  writeFileSync(at("a.txt"), "old\n");
  buffers.set(at("a.txt"), "one\ntwo\nthree\n");
  expect(await use("read", { path: "a.txt", offset: 2, limit: 1 })).toBe(
    "two\n\n[Lines 2-2 of 3. Use offset=3 to continue.]",
  );
});

test("an edit is made in what the editor has, and written there", async () => {
  writeFileSync(at("a.txt"), "old\n");
  buffers.set(at("a.txt"), "one\r\ntwo\r\n");
  await use("edit", { path: "a.txt", oldText: "two", newText: "2" });
  expect([buffers.get(at("a.txt")), readFileSync(at("a.txt"), "utf8")]).toEqual(["one\r\n2\r\n", "old\n"]);
});

test("what the editor does not have is read and edited on the disk", async () => {
  writeFileSync(at("a.txt"), "old\n");
  expect(await use("read", { path: "a.txt" })).toBe("old\n");
  await use("edit", { path: "a.txt", oldText: "old", newText: "new" });
  expect([readFileSync(at("a.txt"), "utf8"), [...buffers]]).toEqual(["new\n", []]);
});

test("outside the working directory the disk is used, where that is allowed", async () => {
  mkdirSync(join(root, "allowed"));
  const path = join(root, "allowed", "a.txt");
  expect(await use("write", { path, content: "new\n" })).toBe(`Created “${path}” (4 bytes).`);
  expect([readFileSync(path, "utf8"), asked]).toEqual(["new\n", []]);
});

test.each([
  ["a path outside", "../a.txt", "outside-workspace"],
  ["a link that leads out", "link", "outside-workspace"],
  ["a protected file", "kept.db", "protected-path"],
  ["another name of a protected file", "alias", "protected-path"],
  ["a directory", "folder", "not-a-file"],
])("of %s the editor is never asked", async (_what, path, code) => {
  writeFileSync(join(root, "a.txt"), "outside");
  symlinkSync(join(root, "a.txt"), at("link"));
  writeFileSync(at("kept.db"), "kept");
  linkSync(at("kept.db"), at("alias"));
  mkdirSync(at("folder"));
  expect([
    await use("read", { path }),
    await use("edit", { path, oldText: "a", newText: "b" }),
    await use("write", { path, content: "b" }),
    asked,
  ]).toEqual([code, code, code, []]);
});
