import { withoutTools } from "../../agent/bare-declaration.ts";
import type { Declaration } from "../../agent/declaration.ts";
import { screenTool } from "../../agent/mcp/mcp-tools.ts";
import type { StandardSchema } from "../../agent/schema.ts";
import { defineTool, type Tool } from "../../agent/tool.ts";
import { type ClientPrompt, createClientLayer } from "../../channels/client-layer.ts";
import { Problem } from "../../prompt/problem.ts";
import type { ChatRequest, ClientTool } from "./chat-request.ts";

type Extend = (declaration: Declaration) => Declaration;

/**
 * Makes the function that adds to an agent's declaration what its client brings; undefined where it brings nothing. `trust` says
 * whose words its system messages are.
 */
export function extensionFor(
  { system, isOnce, tools }: Pick<ChatRequest, "system" | "isOnce" | "tools">,
  trust: ClientPrompt["trust"],
): Extend | undefined {
  const steps = [
    ...(isOnce ? [bare] : []),
    ...(system === undefined ? [] : [layered(system, trust)]),
    ...(tools.length === 0 ? [] : [withClientTools(tools)]),
  ];
  if (steps.length === 0) return undefined;
  const known = new WeakMap<Declaration, Declaration>();
  return (declaration) => {
    // The same object for the same declaration, so that what was made for it is used again.
    const extended = known.get(declaration) ?? steps.reduce((one, step) => step(one), declaration);
    known.set(declaration, extended);
    return extended;
  };
}

/** Leaves an agent its prompt alone: without tools nothing is looked up, remembered or changed. */
const bare: Extend = (declaration) => {
  const { tools: _tools, toolNotices: _notices, ...plain } = withoutTools(declaration);
  return plain;
};

function layered(words: string, trust: ClientPrompt["trust"]): Extend {
  const layer = createClientLayer({ words, field: "system message", trust }, "client");
  return (declaration) => {
    layer.check(declaration);
    return layer.extend(declaration);
  };
}

/** Adds the tools that the client runs itself. What they bring is other people's words. */
function withClientTools(given: readonly ClientTool[]): Extend {
  const made = given.map(clientTool);
  let screened: string | undefined;
  return (declaration) => ({
    ...declaration,
    tools: async (place) => {
      const own = (await declaration.tools?.(place)) ?? [];
      const names = own.map(({ name }) => name);
      if (screened !== names.join()) await checkTools(given, names);
      screened = names.join();
      return [...own, ...made];
    },
  });
}

/** Screens the tools one by one: what others ask is answered in between. */
async function checkTools(given: readonly ClientTool[], names: readonly string[]): Promise<void> {
  for (const { name, description, schema } of given) {
    await new Promise((resolve) => setImmediate(resolve));
    const findings = names.includes(name)
      ? ["The agent has a tool of this name."]
      : screenTool({ name, description, input: schema }, names);
    if (findings.length === 0) continue;
    throw new Problem(
      "client-tool-refused",
      `The tool “${name}” that the client brought is refused: ${findings.join(" ")}`,
      "Change its name or its words.",
    );
  }
}

/** Takes any arguments: the client checks them, since it alone knows what it does with them. */
const anything: StandardSchema = { "~standard": { version: 1, vendor: "charter", validate: (value) => ({ value }) } };

function clientTool({ name, description, schema }: ClientTool): Tool {
  const run = () => ({ text: "Not run: no client waits for this call.", failed: true as const });
  return defineTool({ name, description, schema, input: anything, harmless: true, client: true, run });
}
