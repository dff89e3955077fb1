import { afterEach, beforeEach, expect, test } from "vitest";
import { calls, scripted, spoken } from "../model.ts";
import { type ExtensionStage, newExtensionStage } from "./extension-stage.ts";

/** What an extension leaves to others: nothing once it is over, and of what it was given only what it gave back. */

let stage: ExtensionStage;
beforeEach(async () => {
  stage = await newExtensionStage();
});
afterEach(() => stage.close());

/** What the extension of a test tells it, and waits for. */
const met = { asked: () => {}, release: new Promise<void>(() => {}), times: 0 };
Object.assign(globalThis, { [Symbol.for("charter-test-met")]: met });
const listening = `export default (pi) => pi.on("before_agent_start", async () => {
  const met = globalThis[Symbol.for("charter-test-met")];
  met.times++;
  met.asked();
  await met.release;
  return { message: { customType: "x", content: "Old.", display: true } };
})`;

test("one that was closed before a turn is not asked at all", async () => {
  stage.write({ "old.ts": listening });
  const extensions = await stage.load(["old.ts"]);
  const model = scripted();
  const agent = await stage.with(extensions, model);
  met.times = 0;
  extensions.close();
  await agent.runTurn({ input: "A.", user: "mia" });
  expect([met.times, model.requests.map((request) => spoken(request)[0])]).toEqual([0, ["user: A."]]);
});

test("one that was closed while it thought is not heard", async () => {
  stage.write({ "old.ts": listening });
  const extensions = await stage.load(["old.ts"]);
  const model = scripted();
  const agent = await stage.with(extensions, model);
  const [asked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  Object.assign(met, { asked: asked.resolve, release: release.promise });
  const running = agent.runTurn({ input: "A.", user: "mia" });
  await asked.promise;
  extensions.close();
  release.resolve();
  await running;
  expect(model.requests.map((request) => spoken(request)[0])).toEqual(["user: A."]);
});

test("what one sent that could not be loaded is not said", async () => {
  stage.write({
    "bad.ts": `export default (pi) => {
      pi.sendMessage({ customType: "x", content: "Bad.", display: true });
      throw new Error("no");
    }`,
    "good.ts": `export default (pi) => pi.sendMessage({ customType: "x", content: "Good.", display: true })`,
  });
  const model = scripted();
  const agent = await stage.with(await stage.load(["bad.ts", "good.ts"]), model);
  await agent.runTurn({ input: "A.", user: "mia" });
  expect(model.requests.map((request) => spoken(request)[0])).toEqual(["user: A.\n\nGood."]);
});

test("details that one changed in place are for the next one as they were", async () => {
  stage.write({
    "one.ts": `export default (pi) => {
      pi.registerTool({
        name: "count",
        description: "Counts.",
        parameters: { type: "object" },
        execute: async () => ({ content: [{ type: "text", text: "2" }], details: { counted: 2 } }),
      });
      pi.on("tool_result", ({ details }) => { details.counted = 3; });
    }`,
    "two.ts": `export default (pi) => pi.on("tool_result", ({ details }) => ({
      content: [{ type: "text", text: JSON.stringify(details) }],
    }))`,
  });
  const model = scripted([calls(["count"]), "Done."]);
  const agent = await stage.with(await stage.load(["one.ts", "two.ts"]), model);
  await agent.runTurn({ input: "Count.", user: "mia" });
  const results = model.requests[1]?.messages.flatMap((one) => (one.role === "tool" ? one.results : []));
  expect(results?.map(({ output }) => output)).toEqual([expect.stringContaining('{"counted":2}')]);
});

test("the prompt it can ask for in a tool is the one that all of them made", async () => {
  stage.write({
    "one.ts": `export default (pi) => {
      pi.on("before_agent_start", ({ systemPrompt }) => ({ systemPrompt: systemPrompt + "\\n\\nBe brief." }));
      pi.on("tool_result", (_event, ctx) => ({ content: [{ type: "text", text: ctx.getSystemPrompt().slice(-9) }] }));
    }`,
  });
  const model = scripted([calls(["bash"]), "Done."]);
  const agent = await stage.with(await stage.load(["one.ts"]), model);
  await agent.runTurn({ input: "A.", user: "mia" });
  const results = model.requests[1]?.messages.flatMap((one) => (one.role === "tool" ? one.results : []));
  expect(results?.map(({ output }) => output)).toEqual([expect.stringContaining("Be brief.")]);
});

test("a file that two others require runs once", async () => {
  stage.write({
    "count.cjs": `globalThis[Symbol.for("charter-test-met")].times++; module.exports = {};`,
    "other.cjs": `module.exports = require("./count.cjs");`,
    "one.cjs": `const [a, b] = [require("./count.cjs"), require("./other.cjs")];
      module.exports = (pi) => pi.registerTool({ name: a === b ? "same" : "other", description: "x", parameters: { type: "object" }, execute: async () => ({ content: [] }) });`,
  });
  met.times = 0;
  const extensions = await stage.load(["one.cjs"]);
  expect([met.times, extensions.loaded.map(({ tools }) => tools)]).toEqual([1, [["same"]]]);
});
