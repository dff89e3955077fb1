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
  ["of which nothing is believed", {}, { foreign: true, sensitive: true }],
  ["that is not quite the one named", { reads: ["get"] }, { foreign: true, sensitive: true }],
  ["that the operator says only reads", { reads: ["get-*"] }, { foreign: true, reads: true }],
  ["whose own word is believed", { reads: "annotated" }, { foreign: true, reads: true }],
  ["that needs nobody's approval", { sensitive: false }, { foreign: true }],
];
for (const [what, use, expected] of uses)
  test(`a tool ${what}: its words are a stranger's, whoever may call it`, () => {
    const { foreign, sensitive, reads } = offered(use);
    expect({ foreign, sensitive, reads }).toEqual(expected);
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
