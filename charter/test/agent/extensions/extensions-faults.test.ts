import { afterEach, beforeEach, expect, test } from "vitest";
import type { ModelRequest } from "../../../src/delivery/model.ts";
import { Problem } from "../../../src/index.ts";
import { calls, type Line, scripted, spoken } from "../model.ts";
import { clockTold, hookFailures } from "../stage.ts";
import { builtIn, type ExtensionStage, newExtensionStage } from "./extension-stage.ts";

let stage: ExtensionStage;
beforeEach(async () => {
  stage = await newExtensionStage();
});
afterEach(() => stage.close());

/** All a model reads of a request. */
const read = ({ tools, system, messages }: ModelRequest) => JSON.stringify({ tools, system, messages });
const usual = builtIn.slice(0, 4);
const working: Line[] = [calls(["bash", { command: "ls" }]), "Done.", "Calm."];

/** What a calm turn in a session of its own is without any extension. */
async function calmWithout(tools = usual): Promise<string> {
  const model = scripted(["Calm."]);
  await stage.agent(model, { tools }).runTurn({ input: "Calm down.", user: "mia", session: "new" });
  return read(model.requests[0] as ModelRequest);
}

const events = ["input", "before_agent_start", "context", "tool_call", "tool_result"] as const;
/** `at`: one event, where all come to the same; otherwise each. */
type Fault = [what: string, body: string, because: string | ((event: string) => string), at?: (typeof events)[number]];

const failures: Fault[] = [
  ["throws", `throw new Error("Oh.");`, "it threw: Oh."],
  ["rejects", `return Promise.reject(new Error("Oh no."));`, "it threw: Oh no.", "input"],
  ["never returns", `return new Promise(() => {});`, "it did not answer in 0.05 s", "context"],
  ["returns a number", `return 7;`, "it answered number, where an object or nothing is expected", "tool_call"],
  ["returns a list", `return [event];`, "it answered a list, where an object or nothing is expected", "tool_result"],
  [
    "returns nonsense",
    `return { action: "dance", systemPrompt: 7, messages: 7, block: true, content: 7 };`,
    (event) =>
      ({
        input: "its action is neither continue nor transform nor handled",
        before_agent_start: "its systemPrompt is no text",
        context: "its messages are no list",
        tool_result: "its content is no content",
      })[event] ?? "",
  ],
];

for (const [what, body, because, at] of failures)
  for (const event of at ? [at] : events) {
    if (typeof because === "function" && because(event) === "") continue;
    test(`${event}, a handler that ${what}: it is reported, the others run, the turn goes on, nothing is left of it`, async () => {
      stage.write({
        "bad.ts": `export default (pi) => {
          let armed = false;
          pi.on("input", ({ text }) => { armed = text === "Go." });
          pi.on("${event}", (event) => { if (armed) { ${body} } });
        }`,
        "good.ts": `export default (pi) => {
          let armed = false;
          pi.on("input", ({ text }) => { armed = text === "Go." });
          pi.on("before_agent_start", () => armed ? { message: { customType: "good", content: "Still here.", display: true } } : undefined);
        }`,
      });
      const model = scripted(working);
      const agent = await stage.with(await stage.load(["bad.ts", "good.ts"]), model, { limits: { hookSeconds: 0.05 } });
      const outcome = await agent.runTurn({ input: "Go.", user: "mia" });
      expect(outcome).toMatchObject({ state: "answered", reply: "Done." });
      expect(spoken(model.requests[0] as never)[0]).toBe("user: Go.\n\nStill here.");

      const reason = typeof because === "function" ? because(event) : because;
      const times = event === "context" ? 2 : 1;
      expect(hookFailures(agent)).toEqual(Array(times).fill(`bad.ts at ${event}: ${reason}`));
      expect(outcome.notices.map(({ message }) => message)).toEqual(
        Array(times).fill(`The hook “bad.ts” failed at ${event}: ${reason}.`),
      );
      expect(stage.faults()).toEqual(
        Array(times).fill(`bad.ts: handler-failed: failed at ${event}: ${reason.replace(/\.$/, "")}.`),
      );

      const calm = await agent.runTurn({ input: "Calm down.", user: "mia", session: "new" });
      expect(calm.notices.map(({ code }) => code)).toEqual(["session-new"]);
      expect(read(model.requests.at(-1) as ModelRequest)).toBe(await calmWithout());
    });
  }

const mutations: [event: string, body: string, field: string][] = [
  ["input", `event.text = "Broken.";`, "text"],
  ["before_agent_start", `event.systemPrompt = "Broken."; event.systemPrompt += "!";`, "systemPrompt"],
  ["context", `event.messages.length = 0;`, "messages"],
  ["context", `event.messages[0].content[0].text = "Broken.";`, "messages"],
  ["tool_call", `event.input.command = "rm -rf /"; return { block: false };`, "input"],
  ["tool_result", `event.content[0].text = "Broken.";`, "content"],
];

for (const [event, body, field] of mutations)
  test(`${event}, a handler that changes what it was given (${body}): nothing comes of it, and it is told so`, async () => {
    stage.write({
      "bad.ts": `export default (pi) => {
        let armed = false;
        pi.on("input", ({ text }) => { armed = text === "Go." });
        pi.on("${event}", (event) => { if (armed) { ${body} } });
      }`,
    });
    const model = scripted(working);
    const agent = await stage.with(await stage.load(["bad.ts"]), model);
    const outcome = await agent.runTurn({ input: "Go.", user: "mia" });
    expect(spoken(model.requests[1] as never).slice(0, 4)).toEqual([
      "user: Go.",
      clockTold,
      'assistant: bash {"command":"ls"}',
      'tool: bash {"command":"ls"}',
    ]);
    const words = `changed “${field}” of what it was given at ${event}; nothing came of it: return a result instead.`;
    expect(new Set(stage.faults())).toEqual(new Set([`bad.ts: mutated: ${words}`]));
    expect(outcome.notices).toEqual([{ code: "mutated", message: `The extension “bad.ts” ${words}` }]);
    expect(hookFailures(agent)).toEqual([]);
    await agent.runTurn({ input: "Calm down.", user: "mia", session: "new" });
    expect(read(model.requests.at(-1) as ModelRequest)).toBe(await calmWithout());
  });

test("what is changed and given back is an answer", async () => {
  stage.write({
    "push.ts": `export default (pi) => pi.on("context", (event) => {
      event.messages.push({ role: "user", content: "And this.", timestamp: 1 });
      return { messages: event.messages };
    })`,
  });
  const model = scripted();
  await (await stage.with(await stage.load(["push.ts"]), model)).runTurn({ input: "Go.", user: "mia" });
  expect(spoken(model.requests[0] as never)).toEqual(["user: Go.", "user: And this.", clockTold]);
  expect(stage.faults()).toEqual([]);
});

test("an answer that comes after the handler was given up on changes nothing", async () => {
  stage.write({
    "late.ts": `export default (pi) => {
      const { promise, resolve } = Promise.withResolvers();
      globalThis.release = resolve;
      pi.on("before_agent_start", async ({ systemPrompt }) => {
        await promise;
        return { systemPrompt: systemPrompt + "Too late.", message: { customType: "late", content: "Too late.", display: true } };
      });
    }`,
  });
  const model = scripted([
    async () => {
      (globalThis as unknown as { release: () => void }).release();
      await new Promise((resolve) => setImmediate(resolve));
      return calls(["bash"]);
    },
    "Done.",
  ]);
  const agent = await stage.with(await stage.load(["late.ts"]), model, { limits: { hookSeconds: 0.05 } });
  const outcome = await agent.runTurn({ input: "Go.", user: "mia" });
  expect(outcome.state).toBe("answered");
  expect(JSON.stringify(model.requests)).not.toContain("Too late.");
});

test("a tool that is registered twice: the first stands, in one extension and across them", async () => {
  const says = (words: string) => `{ name: "say", description: "Says.", parameters: { type: "object" },
    execute: async () => ({ content: [{ type: "text", text: "${words}" }] }) }`;
  stage.write({
    "one.ts": `export default (pi) => { pi.registerTool(${says("one")}); pi.registerTool(${says("again")}); }`,
    "two.ts": `export default (pi) => pi.registerTool(${says("two")})`,
    "once.ts": `export default (pi) => pi.registerTool(${says("one")})`,
  });
  const twice = scripted([calls(["say", {}, "c1"]), "Done."]);
  await (await stage.with(await stage.load(["one.ts", "two.ts"]), twice)).runTurn({
    input: "Go.",
    user: "mia",
    session: "new",
  });
  expect(stage.faults()).toEqual([
    "one.ts: tool-twice: registers “say”, which one.ts has registered; the first is used.",
    "two.ts: tool-twice: registers “say”, which one.ts has registered; the first is used.",
  ]);
  const once = scripted([calls(["say", {}, "c1"]), "Done."]);
  await (await stage.with(await stage.load(["once.ts"]), once)).runTurn({ input: "Go.", user: "mia", session: "new" });
  expect(twice.requests.map(read)).toEqual(once.requests.map(read));
  expect(spoken(twice.requests[1] as never)[3]).toBe("tool: one");
});

for (const [where, body] of [
  ["before_agent_start", `pi.on("before_agent_start", () => pi.setActiveTools(["read"]));`],
  ["context", `pi.on("context", () => pi.setActiveTools(["read"]));`],
  ["tool_call", `pi.on("tool_call", async () => { await null; pi.setActiveTools(["read"]); });`],
  [
    "the tool “less”",
    `pi.registerTool({ name: "less", description: "Less.", parameters: { type: "object" }, execute: async () => {
       await null; pi.setActiveTools(["read"]); return { content: [] }; } });`,
  ],
] as const)
  test(`tools that are changed in ${where}: this turn keeps its own, the next has the others, and it is reported`, async () => {
    stage.write({ "tools.ts": `export default (pi) => { ${body} }` });
    const model = scripted([calls([where.includes("less") ? "less" : "bash"]), "Done.", "Calm."]);
    const agent = await stage.with(await stage.load(["tools.ts"]), model);
    const outcome = await agent.runTurn({ input: "Go.", user: "mia" });
    const names = model.requests.map(({ tools }) => tools.map(({ name }) => name));
    expect(names[0]).toEqual(["read", "bash", "edit", "write", ...(where.includes("less") ? ["less"] : [])]);
    expect(names[1]).toEqual(names[0]);
    const words = `changed the active tools in ${where}: that holds from the next turn on.`;
    expect(stage.faults()).toEqual([`tools.ts: tools-changed: ${words}`]);
    expect(outcome.notices).toEqual([{ code: "tools-changed", message: `The extension “tools.ts” ${words}` }]);

    await agent.runTurn({ input: "Calm down.", user: "mia", session: "new" });
    expect(read(model.requests.at(-1) as ModelRequest)).toBe(await calmWithout(usual.slice(0, 1)));
  });

test("a turn that throws leaves the extensions as idle as one that ends", async () => {
  stage.write({
    "idle.ts": `export default (pi) => {
      pi.on("input", (event, ctx) => ({ action: "transform", text: event.text + " " + ctx.isIdle() }));
      pi.on("before_agent_start", (event, ctx) => ({ message: { customType: "idle", content: String(ctx.isIdle()), display: true } }));
    }`,
  });
  const model = scripted([calls(["bash"]), "Fine."]);
  const agent = await stage.with(await stage.load(["idle.ts"]), model);
  const { clock } = stage.world;
  let looks = 0;
  stage.world.clock = (turn) => {
    if (++looks === 2) throw new Problem("no-clock", "There is no clock.", "Buy one.");
    return clock(turn);
  };
  await expect(agent.runTurn({ input: "One.", user: "mia" })).rejects.toThrow("There is no clock.");
  await agent.runTurn({ input: "Two.", user: "mia", session: "new" });
  expect(spoken(model.requests.at(-1) as never)[0]).toBe("user: Two. true\n\nfalse");
});
