import { expect, test } from "vitest";
import { createToolUses } from "./session-update.ts";

test("a use is told when it begins and when it changes", () => {
  const uses = createToolUses(new Set(), true);
  const begun = { id: "t", title: "Read", kind: "read", status: "pending", paths: ["/a"], foreign: true };
  expect([
    uses.tell("t", { title: "Read", kind: "read", paths: ["/a"] }),
    uses.tell("t", { status: "pending" }),
    uses.tell("t", { status: "done" }),
  ]).toEqual([begun, undefined, { ...begun, status: "done" }]);
});

test("a tool of ours is known by its whole name, and by no kind but “other”", () => {
  const uses = createToolUses(new Set(["remember"]), true);
  const isOurs = (told: Parameters<typeof uses.look>[1]) => uses.look("x", told).isOurs;
  const ours = ["mcp__charter__remember", "charter__remember", "charter/remember", "charter: remember"].map((title) =>
    isOurs({ title }),
  );
  expect(ours).toEqual([true, true, true, false]);
  expect(isOurs({ title: "Remember tea", name: "mcp__charter__remember" })).toBe(true);
  expect(isOurs({ title: "mcp__charter__remember", name: "web_search" })).toBe(false);
  expect(isOurs({ title: "charter/remember", name: "remember" })).toBe(true);
  expect(isOurs({ title: "remember (charter MCP Server)" })).toBe(true);
  expect(isOurs({ title: "remember" })).toBe(false);
  expect(isOurs({ title: "mcp__charter__forget" })).toBe(false);
  expect(isOurs({ title: "mcp__charter__remember", kind: "execute" })).toBe(false);
  expect(isOurs({ title: "cat x # mcp__charter__remember" })).toBe(false);
  expect(uses.tell("t", { title: "mcp__charter__remember" })).toBeUndefined();
});
