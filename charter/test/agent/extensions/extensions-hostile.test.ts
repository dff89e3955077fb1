import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ModelRequest } from "../../../src/delivery/model.ts";
import { calls, scripted, spoken } from "../model.ts";
import { clockTold } from "../stage.ts";
import { type ExtensionStage, newExtensionStage } from "./extension-stage.ts";

let stage: ExtensionStage;
beforeEach(async () => {
  stage = await newExtensionStage();
});
afterEach(() => stage.close());

test("a guard stays on duty for a turn that began with it, also when extensions are closed meanwhile", async () => {
  stage.write({
    "guard.ts": `export default (pi) => {
      pi.on("tool_call", ({ input }) => input.command === "rm" ? { block: true, reason: "Not that." } : undefined);
      pi.on("tool_result", () => ({ content: "Old." }));
    }`,
  });
  const extensions = await stage.load(["guard.ts"]);
  const model = scripted([
    () => {
      extensions.close();
      return calls(["bash", { command: "rm" }], ["bash", { command: "ls" }]);
    },
    "Done.",
  ]);
  await (await stage.with(extensions, model)).runTurn({ input: "Go.", user: "mia" });
  expect(spoken(model.requests[1] as ModelRequest)[3]).toBe(
    'tool: Not run: guard.ts refused the call. Not that. | bash {"command":"ls"}',
  );
});

test("what was added is found by its kind also beside what came too late, or with a prompt that was discarded", async () => {
  const says = (kind: string, more = "") =>
    `pi.on("before_agent_start", async () => { ${more} return { message: { customType: "${kind}", content: "${kind}." } }; });`;
  stage.write({
    "x.ts": `export default (pi) => {
      ${says("first")}
      pi.on("before_agent_start", () => ({ systemPrompt: "Other words.", message: { customType: "bad", content: "bad." } }));
      ${says("late", "await new Promise((resolve) => { globalThis.release = resolve; });")}
      ${says("last")}
      pi.on("context", ({ messages }) => {
        globalThis.release();
        return { messages: messages.filter(({ customType }) => customType !== "first") };
      });
    }`,
  });
  const model = scripted([calls(["bash"]), "Done."]);
  const agent = await stage.with(await stage.load(["x.ts"]), model, { limits: { hookSeconds: 0.05 } });
  await agent.runTurn({ input: "Go.", user: "mia" });
  expect(model.requests.map((request) => spoken(request).slice(0, 2))).toEqual([
    ["user: Go.", "user: last."],
    ["user: Go.", "user: last."],
  ]);
});

describe("messages an extension gives back", () => {
  test("a result it left out is told as such: a provider takes no call without its result", async () => {
    stage.write({
      "x.ts": `export default (pi) => pi.on("context", ({ messages }) => ({ messages: messages.filter(({ role }) => role !== "toolResult") }))`,
    });
    const model = scripted([calls(["bash", {}, "c1"]), "Done."]);
    await (await stage.with(await stage.load(["x.ts"]), model)).runTurn({ input: "Go.", user: "mia" });
    expect(spoken(model.requests[1] as ModelRequest).slice(0, 4)).toEqual([
      "user: Go.",
      clockTold,
      "assistant: bash {}",
      "tool: (The result of this call was left out.)",
    ]);
    expect(stage.faults()).toEqual([]);
  });

  test("no message at all is no answer", async () => {
    stage.write({ "x.ts": `export default (pi) => pi.on("context", () => ({ messages: [] }))` });
    const model = scripted();
    await (await stage.with(await stage.load(["x.ts"]), model)).runTurn({ input: "Go.", user: "mia" });
    expect(spoken(model.requests[0] as ModelRequest)[0]).toBe("user: Go.");
    expect(stage.faults()).toEqual([
      "x.ts: handler-failed: failed at context: it left nothing of what was said; its result is discarded.",
    ]);
  });
});

describe("words that can neither be kept nor sent", () => {
  test("a tool that has them, or too many, is not registered: no turn fails of it", async () => {
    const plain = { name: "t", description: "T.", parameters: { type: "object" } };
    const tools = [
      { ...plain, description: "\ud83d" },
      { ...plain, promptSnippet: "a\0b" },
      { ...plain, promptGuidelines: ["Fine.", "\ud83d"] },
      { ...plain, parameters: { type: "object", properties: { "a\ud83d": {} } } },
      { ...plain, parameters: { type: "object", properties: { a: { description: "\0" } } } },
      { ...plain, promptGuidelines: ["x".repeat(60_000)] },
    ];
    stage.write({
      "x.ts": `export default (pi) => { for (const one of ${JSON.stringify(tools)}) pi.registerTool({ ...one, execute: async () => ({ content: [] }) }); }`,
    });
    expect((await stage.load(["x.ts"])).tools()).toHaveLength(4);
    const bad = (words: string) => `x.ts: bad-tool: registers a tool that cannot be used (“t”): ${words}.`;
    expect(stage.faults()).toEqual([
      bad("it has no description"),
      bad("its promptSnippet is no text"),
      bad("its promptGuidelines are no list of texts"),
      bad("in its parameters is half a character or a NUL"),
      bad("in its parameters is half a character or a NUL"),
      bad("its text and parameters have 60,019 characters; the limit is 50,000"),
    ]);
  });

  test("a message that has them takes no other with it", async () => {
    stage.write({
      "x.ts": `export default (pi) => {
        pi.sendMessage({ customType: "x", content: "a\\0b" });
        pi.sendMessage({ customType: "x", content: [{ type: "text", text: "c\\ud83dd" }] });
        pi.sendMessage({ customType: "x", content: "Whole." });
      }`,
    });
    const model = scripted();
    await (await stage.with(await stage.load(["x.ts"]), model)).runTurn({ input: "Go.", user: "mia" });
    expect(spoken(model.requests[0] as ModelRequest)[0]).toBe("user: Go.\n\na\ufffdb\n\nc\ufffdd\n\nWhole.");
    expect(stage.faults()).toEqual([]);
  });
});
