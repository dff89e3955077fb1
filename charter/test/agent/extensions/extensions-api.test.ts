import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { calls, scripted, spoken } from "../model.ts";
import { type ExtensionStage, newExtensionStage } from "./extension-stage.ts";

let stage: ExtensionStage;
beforeEach(async () => {
  stage = await newExtensionStage();
});
afterEach(() => stage.close());

/** What an extension of a test puts outside, for the test to use. */
const outside = globalThis as unknown as Record<string, (...given: unknown[]) => unknown>;

describe("sendMessage", () => {
  const send = (...messages: string[]) => messages.map((one) => `pi.sendMessage(${one});`).join("\n");
  const note = (words: string) => `{ customType: "note", content: "${words}", display: true }`;

  test("stands with the input of the next turn, in order, before what before_agent_start adds, once", async () => {
    stage.write({
      "one.ts": `export default (pi) => {
        ${send(note("One."), `{ customType: "note", content: [{ type: "text", text: "Two." }], display: false }`)}
        pi.on("before_agent_start", () => ({ message: ${note("Start.")} }));
        pi.on("tool_result", () => { ${send(note("Result."))} });
      }`,
      "two.ts": `export default (pi) => { ${send(note("Three."))} }`,
    });
    const model = scripted([calls(["bash"]), "Done.", "Fine."]);
    const agent = await stage.with(await stage.load(["one.ts", "two.ts"]), model);
    await agent.runTurn({ input: "A.", user: "mia" });
    await agent.runTurn({ input: "B.", user: "mia", session: "new" });
    await agent.runTurn({ input: "C.", user: "mia", session: "new" });
    expect(model.requests.map((request) => spoken(request)[0])).toEqual([
      "user: A.\n\nOne.\n\nTwo.\n\nThree.\n\nStart.",
      "user: A.\n\nOne.\n\nTwo.\n\nThree.\n\nStart.",
      "user: B.\n\nResult.\n\nStart.",
      "user: C.\n\nStart.",
    ]);
    expect(stage.faults()).toEqual([]);
  });

  test("what was sent in one user's turn is for no other user", async () => {
    stage.write({
      "gossip.ts": `export default (pi) => pi.on("context", async ({ messages }) => {
        await null;
        if (messages.filter(({ role }) => role === "user").length === 1) pi.sendMessage({ customType: "g", content: "Said: " + messages[0].content[0].text, display: true });
      })`,
    });
    const model = scripted();
    const agent = await stage.with(await stage.load(["gossip.ts"]), model);
    await agent.runTurn({ input: "A secret.", user: "eva", session: "new" });
    await agent.runTurn({ input: "Hello.", user: "bob", session: "new" });
    await agent.runTurn({ input: "Well?", user: "eva", session: "new" });
    expect(model.requests.map((request) => spoken(request)[0])).toEqual([
      "user: A secret.",
      "user: Hello.",
      "user: Well?\n\nSaid: A secret.",
    ]);
  });

  test("a turn of its own cannot be asked for: it is reported, and the message goes with the next", async () => {
    stage.write({
      "now.ts": `export default (pi) => {
        pi.sendMessage(${note("Now!")}, { triggerTurn: true, deliverAs: "steer" });
        pi.sendMessage(${note("Then.")}, { deliverAs: "nextTurn" });
        pi.sendMessage(${note("Soon.")}, { deliverAs: "followUp", triggerTurn: true });
      }`,
    });
    const model = scripted();
    await (await stage.with(await stage.load(["now.ts"]), model)).runTurn({ input: "A.", user: "mia" });
    expect(spoken(model.requests[0] as never)[0]).toBe("user: A.\n\nNow!\n\nThen.\n\nSoon.");
    const words = (option: string) =>
      `now.ts: beyond: sends a message with “${option}”, which is not here: it goes with the next turn.`;
    expect(stage.faults()).toEqual([words("triggerTurn"), words("deliverAs: steer"), words("deliverAs: followUp")]);
  });

  test("only so many wait, and only so much; what is none is reported", async () => {
    stage.write({
      "flood.ts": `export default (pi) => {
        for (let one = 1; one <= 102; one++) pi.sendMessage({ customType: "f", content: String(one), display: true });
      }`,
      "long.ts": `export default (pi) => {
        pi.sendMessage({ customType: "f", content: "x".repeat(99_999) + "\\ud83d", display: true });
        pi.sendMessage({ customType: "f", content: "é".repeat(50_000), display: true });
        pi.sendMessage(undefined);
        pi.sendMessage("words");
        pi.sendMessage({ customType: "f", content: 7 });
      }`,
    });
    const model = scripted();
    await (await stage.with(await stage.load(["flood.ts"]), model)).runTurn({ input: "A.", user: "mia" });
    expect(spoken(model.requests[0] as never)[0]?.split("\n\n")).toHaveLength(101);
    const long = await stage.load(["long.ts"]);
    expect(stage.faults()).toEqual([
      "flood.ts: messages-full: sent a message that is not kept: 100 messages wait already.",
      "flood.ts: messages-full: sent a message that is not kept: 100 messages wait already.",
      "long.ts: messages-full: sent a message that is not kept: with it more than 100000 bytes would wait.",
      ...Array(3).fill("long.ts: bad-call: calls sendMessage() with a message without content."),
    ]);
    await (await stage.with(long, model)).runTurn({ input: "B.", user: "mia", session: "new" });
    expect(spoken(model.requests[1] as never)[0]).toBe(`user: B.\n\n${"é".repeat(50_000)}`);
  });
});

describe("what is not here", () => {
  test("is reported by name, once for each extension, and does nothing", async () => {
    const body = `
      pi.registerCommand("x", { handler() {} });
      pi.registerCommand("y", { handler() {} });
      pi.events.on("a", () => {});
      if (pi.getFlag("plan") !== undefined) throw new Error("A flag?");
      pi.on("session_start", () => { throw new Error("Never called."); });
      pi.on("session_start", () => {});`;
    stage.write({
      "one.ts": `export default async (pi) => { ${body}
        if ((await pi) !== pi || (await pi.exec("ls")) !== undefined || String(pi.ui).length === 0) throw new Error("A promise?");
      }`,
      "two.ts": `export default (pi) => { ${body} }`,
    });
    const extensions = await stage.load(["one.ts", "two.ts"]);
    expect(extensions.loaded).toHaveLength(2);
    const common = ["registerCommand", "events.on", "getFlag"].map((name) => `asks for “${name}”, which is not here.`);
    const both = [...common, "listens to “session_start”, an event that is not here."];
    expect(stage.faults()).toEqual([
      ...[...both, "asks for “exec”, which is not here."].map((words) => `one.ts: beyond: ${words}`),
      ...both.map((words) => `two.ts: beyond: ${words}`),
    ]);
  });

  test("so it is for what handlers look around with, which is told in the turn", async () => {
    stage.write({
      "look.ts": `export default (pi) => {
        pi.on("tool_call", async (event, ctx) => {
          ctx.ui.setStatus("x", ctx.ui.theme.fg("accent", "y"));
          if (ctx.model || ctx.hasUI || (await ctx.ui.confirm("Sure?")) !== undefined) return { block: true };
          return { block: true, reason: ctx.cwd };
        });
      }`,
    });
    const model = scripted([calls(["bash"]), "Done."]);
    const agent = await stage.with(await stage.load(["look.ts"]), model);
    const outcome = await agent.runTurn({ input: "A.", user: "mia" });
    expect(spoken(model.requests[1] as never)[3]).toBe(`tool: Not run: look.ts refused the call. ${stage.folder}`);
    const words = ["ctx.ui.theme.fg", "ctx.ui.setStatus", "ctx.model", "ctx.ui.confirm"].map(
      (name) => `asks for “${name}”, which is not here.`,
    );
    expect(stage.faults()).toEqual(words.map((one) => `look.ts: beyond: ${one}`));
    expect(outcome.notices).toEqual(
      words.map((one) => ({ code: "beyond", message: `The extension “look.ts” ${one}` })),
    );
  });

  test("on() wants a name and a function", async () => {
    stage.write({ "on.ts": `export default (pi) => { pi.on("input"); pi.on(7, () => {}); }` });
    await stage.load(["on.ts"]);
    const words = "on.ts: bad-call: calls on() without the name of an event and a function.";
    expect(stage.faults()).toEqual([words, words]);
  });
});

describe("reload and close", () => {
  test("a reload is wanted once an extension asks for it, but not while it is loaded", async () => {
    stage.write({
      "again.ts": `export default (pi) => { pi.reload(); globalThis.again = () => pi.reload(); }`,
      "ctx.ts": `export default (pi) => pi.on("input", async (event, ctx) => { await ctx.reload(); })`,
    });
    const one = await stage.load(["again.ts"]);
    expect([one.wantsReload(), stage.faults()]).toEqual([
      false,
      ["again.ts: bad-call: asks for a reload while it is loaded."],
    ]);
    outside.again?.();
    expect(one.wantsReload()).toBe(true);
    const two = await stage.load(["ctx.ts"]);
    await (await stage.with(two, scripted())).runTurn({ input: "A.", user: "mia" });
    expect(two.wantsReload()).toBe(true);
  });

  test("after close nothing of the old copy has an effect, not even what it was asked before", async () => {
    stage.write({
      "old.ts": `export default (pi) => {
        const { promise, resolve } = Promise.withResolvers();
        globalThis.act = () => {
          pi.setActiveTools([]);
          pi.sendMessage({ customType: "x", content: "Old.", display: true });
          pi.registerTool({ name: "old", description: "Old.", parameters: { type: "object" }, execute: async () => ({ content: [] }) });
          pi.on("input", () => ({ action: "handled" }));
          pi.registerCommand("x", {});
          pi.reload();
        };
        globalThis.release = resolve;
        pi.sendMessage({ customType: "x", content: "Old.", display: true });
        pi.on("before_agent_start", async () => { await promise; return { message: { customType: "x", content: "Old.", display: true } }; });
        pi.on("context", ({ messages }) => ({ messages: messages.map((one) => ({ ...one, content: "Old." })) }));
      }`,
    });
    const extensions = await stage.load(["old.ts"]);
    const model = scripted();
    const agent = await stage.with(extensions, model);
    const running = agent.runTurn({ input: "A.", user: "mia" }, { on: () => {} });
    extensions.close();
    outside.act?.();
    outside.release?.(undefined);
    await running;
    await agent.runTurn({ input: "B.", user: "mia", session: "new" });
    expect(model.requests.map((request) => spoken(request)[0])).toEqual(["user: A.", "user: B."]);
    expect(extensions.tools().map(({ name }) => name)).toEqual(["read", "bash", "edit", "write"]);
    expect([extensions.wantsReload(), stage.faults()]).toEqual([false, []]);
  });

  test("two agents with the same files have each their own", async () => {
    stage.write({
      "count.ts": `import { count } from "./counted.ts";
      export default (pi) => pi.on("input", ({ text }) => {
        if (text === "less") pi.setActiveTools(["read"]);
        if (text === "send") pi.sendMessage({ customType: "x", content: "Sent.", display: true });
        return { action: "transform", text: text + " " + count() };
      })`,
      "counted.ts": `let n = 0; export const count = (): number => ++n;`,
    });
    const model = scripted();
    const agents = [];
    for (let one = 0; one < 2; one++) agents.push(await stage.with(await stage.load(["count.ts"]), model));
    const [first, second] = agents as [(typeof agents)[0], (typeof agents)[0]];
    for (const input of ["less", "send"]) await first?.runTurn({ input, user: "mia", session: "new" });
    await second?.runTurn({ input: "hello", user: "mia", session: "new" });
    expect(model.requests.map((request) => [spoken(request)[0], request.tools.length])).toEqual([
      ["user: less 1", 1],
      ["user: send 2\n\nSent.", 1],
      ["user: hello 1", 4],
    ]);
  });
});
