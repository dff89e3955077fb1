import { afterEach, beforeEach, expect, test } from "vitest";
import { calls, scripted, spoken } from "../model.ts";
import { clockTold } from "../stage.ts";
import { type ExtensionStage, newExtensionStage } from "./extension-stage.ts";

let stage: ExtensionStage;
beforeEach(async () => {
  stage = await newExtensionStage();
});
afterEach(() => stage.close());

// In the manner of pi's own examples: tabs, types from its packages, schemas by typebox, guards of its own.
const shopping = `/**
 * Keeps a shopping list.
 */
import { StringEnum } from "@mariozechner/pi-ai";
import type { AgentToolResult, ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import { type Static, Type } from "@sinclair/typebox";

const Params = Type.Object({
	action: StringEnum(["add", "list"] as const, { description: "What to do" }),
	item: Type.Optional(Type.String({ minLength: 1 })),
	count: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
});

interface Entry {
	item: string;
	count: number;
}

export default function shoppingExtension(pi: ExtensionAPI): void {
	const entries: Entry[] = [];

	pi.registerTool({
		name: "shopping",
		label: "Shopping",
		description: "Keep a shopping list. Actions: add (item, count), list",
		promptSnippet: "Keep a shopping list",
		promptGuidelines: ["Use shopping when the user is out of something"],
		parameters: Params,

		async execute(_toolCallId: string, params: Static<typeof Params>, _signal: AbortSignal | undefined, _onUpdate, _ctx: ExtensionContext): Promise<AgentToolResult<Entry[]>> {
			if (params.action === "add") {
				if (!params.item) throw new Error("item is needed to add");
				entries.push({ item: params.item, count: params.count ?? 1 });
			}
			const text = entries.map((entry) => \`\${entry.count} \${entry.item}\`).join("\\n") || "Nothing";
			return { content: [{ type: "text", text }], details: [...entries] };
		},
	});
}
`;

const gate = `import { ExtensionAPI, isBashToolResult, isToolCallEventType } from "@mariozechner/pi-coding-agent";

const secret = /sk-[a-z0-9]+/g;

export default function (pi: ExtensionAPI) {
	pi.on("tool_call", async (event, ctx) => {
		if (isToolCallEventType("bash", event) && /\\brm\\s+-rf\\b/.test(event.input.command)) {
			if (!ctx.hasUI) return { block: true, reason: "Dangerous, and nobody to ask" };
			const ok = await ctx.ui.confirm("Dangerous!", event.input.command);
			if (!ok) return { block: true, reason: "Blocked by user" };
		}
		return undefined;
	});

	pi.on("tool_result", async (event) => {
		if (!isBashToolResult(event)) return undefined;
		return {
			content: event.content.map((part) => (part.type === "text" ? { ...part, text: part.text.replace(secret, "sk-…") } : part)),
		};
	});
}
`;

const rules = `import * as fs from "node:fs";
import * as path from "node:path";
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

export default function (pi: ExtensionAPI) {
	pi.on("before_agent_start", async (event, ctx) => {
		const folder = path.join(ctx.cwd, ".rules");
		const files = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
		if (files.length === 0) return;
		return { systemPrompt: event.systemPrompt + "\\n\\n## Project Rules\\n" + files.map((f) => \`- \${f}\`).join("\\n") };
	});
}
`;

test("extensions written for pi run unchanged", async () => {
  stage.write({ "shopping.ts": shopping, "gate.ts": gate, "rules.ts": rules, ".rules/tests.md": "Test." });
  const extensions = await stage.load(["shopping.ts", "gate.ts", "rules.ts"]);
  expect(extensions.loaded.map(({ tools, events }) => [tools, events])).toEqual([
    [["shopping"], []],
    [[], ["tool_call", "tool_result"]],
    [[], ["before_agent_start"]],
  ]);
  const model = scripted([
    calls(
      ["shopping", { action: "add", item: "milk", count: 2 }],
      ["shopping", { action: "add" }],
      ["shopping", { action: "steal", item: "milk" }],
      ["shopping", { action: "list", count: null, more: true }],
      ["bash", { command: "rm -rf /" }],
      ["bash", { command: "echo sk-abc123" }],
    ),
    "Done.",
  ]);
  const agent = await stage.with(extensions, model);
  const outcome = await agent.runTurn({ input: "We are out of milk.", user: "mia" });

  expect(model.requests[0]?.tools.at(-1)).toEqual({
    name: "shopping",
    description: "Keep a shopping list. Actions: add (item, count), list",
    input: {
      type: "object",
      properties: {
        action: { type: "string", enum: ["add", "list"], description: "What to do" },
        item: { minLength: 1, type: "string" },
        count: { anyOf: [{ minimum: 1, type: "integer" }, { type: "null" }] },
      },
      required: ["action"],
    },
  });
  expect(
    spoken(model.requests[1] as never)[4]
      ?.slice("tool: ".length)
      .split(" | "),
  ).toEqual([
    "2 milk",
    "It failed: item is needed to add",
    'Not run: the arguments do not fit “shopping”. action: Invalid option: expected one of "add"|"list".',
    "2 milk",
    "Not run: gate.ts refused the call. Dangerous, and nobody to ask",
    'bash {"command":"echo sk-…"}',
  ]);
  expect(spoken(model.requests[0] as never).slice(-2)).toEqual([clockTold, "system: ## Project Rules\n- tests.md"]);
  expect([outcome.notices, stage.faults()]).toEqual([[], []]);
});
