import { expect, test } from "vitest";
import type { ToolContext } from "../tool.ts";
import type { McpEntry } from "./mcp-entry.ts";
import type { McpServer } from "./mcp-server.ts";
import { offeredTool } from "./mcp-tools.ts";

type Came = Awaited<ReturnType<McpServer["call"]>>;

const offered = (use: Partial<McpEntry>, came: Came = { status: "answered", text: "22 degrees", failed: false }) =>
  offeredTool(
    { name: "get-weather", input: { type: "object" }, annotations: { readOnlyHint: true } },
    { server: "sky", entry: { command: ["sky"], ...use } as McpEntry, digest: "d", call: async () => came },
  );

const uses: [what: string, use: Partial<McpEntry>, expected: object][] = [
  ["of which nothing is believed", {}, {}],
  ["that is not quite the one named", { reads: ["get"] }, {}],
  ["that the operator says only reads", { reads: ["get-*"] }, { reads: true }],
  ["whose own word is believed", { reads: "annotated" }, { reads: true }],
  ["that needs nobody's approval", { harmless: ["*"] }, { harmless: true }],
  ["whose answers are the operator's own words", { trusted: ["get-*"] }, { trusted: true }],
];
for (const [what, use, expected] of uses)
  test(`a tool ${what}`, () => {
    const { trusted, reads, harmless } = offered(use);
    expect({ trusted, reads, harmless }).toEqual(expected);
  });

test("what a server answers is a stranger's; that it did not answer is ours to say", async () => {
  const { signal } = new AbortController();
  const run = (came?: Came) => offered({}, came).run({} as never, { signal } as ToolContext);
  expect(await run()).toEqual({ text: "22 degrees" });
  expect(await run({ status: "unavailable", because: "it is not running" })).toEqual({
    text: "Unavailable: the MCP server “sky”: it is not running.",
    failed: true,
    foreign: false,
  });
});
