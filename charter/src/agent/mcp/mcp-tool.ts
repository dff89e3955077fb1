import { isRecord } from "../../prompt/argument.ts";
import type { StandardSchema } from "../standard-schema.ts";
import { defineTool, type Tool } from "../tool.ts";
import type { McpEntry } from "./mcp-entry.ts";
import type { McpServer } from "./mcp-server.ts";
import { offeredName, type ServerTool, visible } from "./server-tool.ts";

type OfferedToolOptions = {
  readonly server: string;
  readonly entry: McpEntry;
  /** Of what it is offered as. */
  readonly digest: string;
  readonly call: McpServer["call"];
};

/** Whether the arguments fit its schema, its server says. */
const anyObject: StandardSchema = {
  "~standard": {
    version: 1,
    vendor: "charter",
    validate: (value) => (isRecord(value) ? { value } : { issues: [{ message: "They are no object." }] }),
  },
};

/** A tool of an MCP server as one of ours. What it brings is other people's words; that it brought none is ours to say. */
export function offeredTool(tool: ServerTool, { server, entry, digest, call }: OfferedToolOptions): Tool {
  const { name, description, input } = visible(tool);
  const reads = onlyReads(tool, entry);
  return defineTool({
    name: offeredName(server, name),
    description: `Of the MCP server “${server}”${description === undefined ? "." : `, in its words: ${description}`}`,
    input: anyObject,
    schema: input,
    foreign: true,
    ...(reads ? { reads } : {}),
    ...(reads || entry.sensitive === false ? {} : { sensitive: true }),
    run: async (given, { signal }) => {
      const came = await call(tool.name, given as object, { signal, digest, tool });
      if (came.status === "answered") return { text: came.text, ...(came.failed ? { failed: true } : {}) };
      return { text: `Unavailable: the MCP server “${server}”: ${came.because}.`, failed: true, foreign: false };
    },
  });
}

/** By the operator's word, or by the server's where the operator believes it. */
function onlyReads({ name, annotations }: ServerTool, { reads = [] }: McpEntry): true | undefined {
  if (reads === "annotated") return annotations?.readOnlyHint === true ? true : undefined;
  return reads.some((pattern) => patternOf(pattern).test(name)) ? true : undefined;
}

function patternOf(words: string): RegExp {
  return new RegExp(
    `^${words
      .split("*")
      .map((part) => part.replace(/[^\w]/g, "\\$&"))
      .join(".*")}$`,
  );
}
