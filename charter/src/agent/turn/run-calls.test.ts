import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool, type Tool } from "../tool.ts";
import type { AskMode } from "./ask-reason.ts";
import { callGroups, maxConcurrentCalls } from "./run-calls.ts";

const tool = (name: string, about: Partial<Tool> = {}) =>
  defineTool({ name, input: z.object({}), summary: name, run: () => "", ...about } as never);
const tools = [
  tool("read", { reads: true }),
  tool("look", { reads: true, trusted: true }),
  tool("once", { reads: true, callsPerTurn: 1 }),
  tool("write", { harmless: true }),
];
const toolset = { byName: new Map(tools.map((one) => [one.name, one])) };
const groupsOf = (names: string, heard: readonly string[] = [], ask: AskMode = "writes") =>
  callGroups(
    names.split(" ").map((name, index) => ({ id: `${index}`, name, input: "{}" })),
    { ask, toolset, hooks: { hears: (moment) => heard.includes(moment) } },
  )
    .map((group) => group.map(({ name }) => name).join("+"))
    .join(" ");

test("readers that stand next to each other are a group; all others are alone, in order", () => {
  expect(groupsOf("read look read")).toBe("read+look+read");
  expect(groupsOf("read read write read look write write read")).toBe("read+read write read+look write write read");
  expect(groupsOf("read once once write read nobody read")).toBe("read once once write read nobody read");
});

test("so many run at once, and none side by side where a hook looks at calls", () => {
  const many = Array(maxConcurrentCalls + 1).fill("read");
  expect(groupsOf(many.join(" "))).toBe(`${many.slice(1).join("+")} read`);
  expect(groupsOf("read read", ["before-tool"])).toBe("read read");
  expect(groupsOf("read read", ["after-tool"])).toBe("read read");
  expect(groupsOf("read read", ["after-turn"])).toBe("read+read");
  expect(groupsOf("read read", [], "always")).toBe("read read");
});
