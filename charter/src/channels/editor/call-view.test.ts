import { expect, test } from "vitest";
import { callView, replacedPath, withResult } from "./call-view.ts";

const call = (name: string, input: unknown) => ({
  id: "c1",
  name,
  input: typeof input === "string" ? input : JSON.stringify(input),
});

test("a file that is read is shown with its path and line", () => {
  expect(callView("t1", call("read", { path: "src/a.ts", offset: 12 }), "/work")).toEqual({
    id: "t1/c1",
    tool: "read",
    title: "read src/a.ts",
    kind: "read",
    places: [{ path: "/work/src/a.ts", line: 12 }],
    input: { path: "src/a.ts", offset: 12 },
  });
});

test("an edit is shown with what it replaces, and with its line once that is known", () => {
  const view = callView("t1", call("edit", { path: "a.ts", oldText: "one", newText: "two" }), "/work");
  expect(view).toEqual({
    id: "t1/c1",
    tool: "edit",
    title: "edit a.ts",
    kind: "edit",
    places: [{ path: "/work/a.ts" }],
    diff: { path: "/work/a.ts", before: "one", after: "two", whole: false },
    input: { path: "a.ts", oldText: "one", newText: "two" },
  });
  expect(withResult(view, "Edited “a.ts”:\n--- a.ts\n+++ a.ts\n@@ -7,3 +7,3 @@").places).toEqual([
    { path: "/work/a.ts", line: 7 },
  ]);
  expect(withResult(view, "Edited “a.ts”.")).toBe(view);
});

test("a file that is written is shown whole, before and after", () => {
  const write = call("write", { path: "/work/a.ts", content: "new\n" });
  expect(replacedPath(write, "/work")).toBe("/work/a.ts");
  expect(callView("t1", write, "/work", "old\n").diff).toEqual({
    path: "/work/a.ts",
    before: "old\n",
    after: "new\n",
    whole: true,
  });
});

test.each([
  ["bash", { command: "npm test\n  --all" }, "execute", "bash npm test --all"],
  ["bash", { command: "ls \u202etxt.exe\u001b[2J" }, "execute", "bash ls \\u202etxt.exe\\u001b[2J"],
  ["grep", { pattern: "x", path: "src" }, "search", "grep src"],
  ["save_memory", { content: "tea" }, "other", 'save_memory {"content":"tea"}'],
  ["read_memory", {}, "read", "read_memory"],
  ["constructor", "{", "other", "constructor {"],
  ["edit", '["a"]', "edit", 'edit ["a"]'],
] as const)("%s %j is of the kind %s", (name, input, kind, title) => {
  expect(callView("t1", call(name, input), undefined)).toMatchObject({ kind, title, places: [] });
});
