import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Message } from "../../../src/delivery/model.ts";
import { calls, scripted, spoken, systemOf } from "../model.ts";
import { provesRequests } from "../proof.ts";
import { amends, changed, clockTold, hookFailures, rules } from "../stage.ts";
import { type ExtensionStage, newExtensionStage } from "./extension-stage.ts";

let stage: ExtensionStage;
beforeEach(async () => {
  stage = await newExtensionStage();
});
afterEach(() => stage.close());

describe("input", () => {
  test("is transformed, by one handler after the other; what is asked is recorded as the user said it", async () => {
    stage.write({
      "one.ts": `export default (pi) => {
        pi.on("input", (event) => ({ action: "transform", text: event.text + " [" + event.type + " " + event.source + "]" }));
        pi.on("input", async () => ({ action: "continue" }));
        pi.on("input", (event) => ({ action: "transform", text: event.text + " one" }));
      }`,
      "two.ts": `export default (pi) => pi.on("input", ({ text }) => ({ action: "transform", text: text + " two" }))`,
    });
    const model = scripted();
    const agent = await stage.with(await stage.load(["one.ts", "two.ts"]), model);
    const { turn } = await agent.runTurn({ input: "Hello", user: "mia" });
    expect(spoken(model.requests[0] as never)).toEqual(["user: Hello [input interactive] one two", clockTold]);
    expect((await stage.store.turns.get(turn)).input).toBe("Hello");
    await provesRequests(stage.store, turn, model.requests);
    expect([hookFailures(agent), stage.faults()]).toEqual([[], []]);
  });

  test("is taken: the model is not asked, those after it neither, and the next turn knows nothing of it", async () => {
    stage.write({
      "ping.ts": `export default (pi) => pi.on("input", ({ text }) => text === "ping" ? { action: "handled" } : undefined)`,
      "after.ts": `export default (pi) => pi.on("input", ({ text }) => ({ action: "transform", text: text + "!" }))`,
    });
    const model = scripted();
    const agent = await stage.with(await stage.load(["ping.ts", "after.ts"]), model);
    const taken = await agent.runTurn({ input: "ping", user: "mia" });
    expect(taken).toMatchObject({
      state: "failed",
      reply: null,
      steps: 0,
      problem: {
        code: "input-handled",
        message: "“ping.ts” took the input itself: the model was not asked.",
        hint: "Nothing is wrong. Say it in other words if the model should answer.",
      },
      notices: [],
    });
    expect(agent.kinds()).toEqual(["turn-start", "turn-end"]);
    expect(model.requests).toEqual([]);
    expect((await stage.store.turns.get(taken.turn)).state).toBe("failed");
    await agent.runTurn({ input: "pong", user: "mia" });
    expect(spoken(model.requests[0] as never)).toEqual(["user: pong!", clockTold]);
  });

  test("decides over the tools of the very turn it is asked in", async () => {
    stage.write({
      "plan.ts": `export default (pi) => pi.on("input", ({ text }) => {
        pi.setActiveTools(text === "plan" ? ["read", "grep"] : ["read", "bash", "edit", "write"]);
      })`,
    });
    const model = scripted();
    const agent = await stage.with(await stage.load(["plan.ts"]), model);
    await agent.runTurn({ input: "plan", user: "mia" });
    await agent.runTurn({ input: "go", user: "mia" });
    expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ["read", "grep"],
      ["read", "bash", "edit", "write"],
    ]);
    expect(stage.faults()).toEqual([]);
  });
});

describe("before_agent_start", () => {
  test("chains the system prompt, for this turn only, and adds messages", async () => {
    stage.write({
      "one.ts": `let turns = 0;
      export default (pi) => {
        pi.on("before_agent_start", ({ type, prompt, systemPrompt }, ctx) => ++turns > 1 ? undefined : {
          systemPrompt: systemPrompt + "\\n\\nOne: " + type + " " + prompt + " " + (ctx.getSystemPrompt() === systemPrompt),
          message: { customType: "note", content: "A note.", display: true },
        });
      }`,
      "two.ts": `let turns = 0;
      export default (pi) => pi.on("before_agent_start", ({ systemPrompt }) => ++turns > 1 ? undefined : {
        systemPrompt: systemPrompt + "\\nTwo.",
        message: { customType: "note", content: [{ type: "text", text: "Another" }, { type: "text", text: "note." }], display: false },
      });`,
    });
    const model = scripted();
    const extensions = await stage.load(["one.ts", "two.ts"]);
    const agent = await stage.with(extensions, model);
    const { turn } = await agent.runTurn({ input: "Hello.", user: "mia" });
    await agent.runTurn({ input: "Again.", user: "mia" });
    const [first, second] = model.requests as [never, never];
    expect(spoken(first)).toEqual([
      "user: Hello.\n\nA note.\n\nAnother\nnote.",
      clockTold,
      "system: One: before_agent_start Hello. true\nTwo.",
    ]);
    expect(spoken(second)).toEqual([
      ...spoken(first),
      "assistant: Fine.",
      "user: Again.",
      "system: Your prompt has changed: “One: before_agent_start Hello. true” no longer applies.",
    ]);
    expect(systemOf(first)).toBe(systemOf(second));
    await provesRequests(stage.store, turn, model.requests.slice(0, 1));
  });

  test("cannot drop the fixed words: that is reported by extension and event, and discarded", async () => {
    stage.write({
      "pirate.ts": `export default (pi) => pi.on("before_agent_start", () => ({ systemPrompt: "You are a pirate." }))`,
      "polite.ts": `export default (pi) => pi.on("before_agent_start", ({ systemPrompt }) => ({ systemPrompt: systemPrompt + "\\n\\nPlease." }))`,
    });
    const model = scripted();
    const agent = await stage.with(await stage.load(["pirate.ts", "polite.ts"]), model);
    await agent.runTurn({ input: "Hello.", user: "mia" });
    expect(systemOf(model.requests[0] as never)).toContain(rules);
    expect(spoken(model.requests[0] as never)).toEqual(["user: Hello.", clockTold, "system: Please."]);
    const because = "it dropped or changed the fixed text of “rules”; its result is discarded";
    expect(hookFailures(agent)).toEqual([`pirate.ts at before_agent_start: ${because}`]);
    expect(stage.faults()).toEqual([`pirate.ts: handler-failed: failed at before_agent_start: ${because}.`]);
  });
});

describe("context", () => {
  const look = `export default (pi) => {
    globalThis.seen = [];
    pi.on("context", ({ messages }) => void globalThis.seen.push(messages));
  }`;
  const seen = () => (globalThis as unknown as { seen: object[][] }).seen;

  test("shows the messages as pi has them", async () => {
    stage.write({ "look.ts": look });
    const model = scripted([
      {
        text: "Let me look.",
        ...(calls(["read", { path: "a" }, "c1"], ["amend", { content: "- Be kind." }, "c2"]) as object),
      },
      "Done.",
    ]);
    const agent = await stage.with(await stage.load(["look.ts"]), model, { tools: [amends] });
    await agent.runTurn({ input: "Hello.", user: "mia" });
    const timestamp = 0;
    expect(seen()[1]).toEqual([
      { role: "user", content: [{ type: "text", text: "Hello." }], timestamp },
      {
        role: "custom",
        customType: "charter-prompt",
        content: clockTold.slice("system: ".length),
        display: false,
        timestamp,
      },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Let me look." },
          { type: "toolCall", id: "c1", name: "read", arguments: { path: "a" } },
          { type: "toolCall", id: "c2", name: "amend", arguments: { content: "- Be kind." } },
        ],
        stopReason: "toolUse",
        timestamp,
      },
      {
        role: "toolResult",
        toolCallId: "c1",
        toolName: "read",
        content: [{ type: "text", text: 'read {"path":"a"}' }],
        isError: false,
        timestamp,
      },
      {
        role: "toolResult",
        toolCallId: "c2",
        toolName: "amend",
        content: [{ type: "text", text: "accepted" }],
        isError: false,
        timestamp,
      },
      {
        role: "custom",
        customType: "charter-prompt",
        content: changed("Goals", "## Goals\n- Be kind."),
        display: false,
        timestamp,
      },
    ]);
  });

  test("changes what is sent in this step, and nothing that is kept; what is not touched stays to the letter", async () => {
    stage.write({
      "short.ts": `export default (pi) => {
        let on = true;
        pi.on("input", ({ text }) => { on = text !== "Three?"; });
        pi.on("context", ({ messages }) => on && messages.length > 2 ? { messages: [
          { role: "user", content: "(what was before is left out)", timestamp: 1 },
          ...messages
            .filter((one, at) => one.customType === "charter-prompt" || at >= messages.length - 2)
            .map((one) => ({ ...one })),
        ] } : undefined);
      }`,
    });
    const native = { acp: { signed: "abc" } };
    const model = scripted([{ text: "One.", native }, { text: "Two.", native }, "Three."]);
    const agent = await stage.with(await stage.load(["short.ts"]), model);
    await agent.runTurn({ input: "One?", user: "mia" });
    const { turn } = await agent.runTurn({ input: "Two?", user: "mia" });
    expect(model.requests[1]?.messages.map(({ breakpoint: _, ...message }) => message)).toEqual([
      { role: "user", text: "(what was before is left out)" },
      { role: "system", text: clockTold.slice("system: ".length), update: "clock" },
      { role: "assistant", text: "One.", calls: [], native },
      { role: "user", text: "Two?" },
    ] satisfies Message[]);
    await provesRequests(stage.store, turn, model.requests.slice(1));
    await agent.runTurn({ input: "Three?", user: "mia" });
    expect(spoken(model.requests[2] as never)).toEqual([
      "user: One?",
      clockTold,
      "assistant: One.",
      "user: Two?",
      "assistant: Two.",
      "user: Three?",
    ]);
  });

  test("finds what was added to a turn's input by the kind it was given: a stale one is left out", async () => {
    stage.write({
      "mode.ts": `export default (pi) => {
        pi.on("before_agent_start", ({ prompt }) => ({ message: { customType: "mode", content: "Mode of " + prompt, display: false } }));
        pi.on("context", ({ messages }) => {
          const last = messages.findLast((one) => one.customType === "mode");
          return { messages: messages.filter((one) => one.customType !== "mode" || one === last) };
        });
      }`,
    });
    const model = scripted(["One.", "Two."]);
    const agent = await stage.with(await stage.load(["mode.ts"]), model);
    await agent.runTurn({ input: "One?", user: "mia" });
    await agent.runTurn({ input: "Two?", user: "mia" });
    expect(spoken(model.requests[1] as never)).toEqual([
      "user: One?",
      clockTold,
      "assistant: One.",
      "user: Two?\n\nMode of Two?",
    ]);
  });

  test("the prompt's own words among the messages come back unaltered, or nothing does", async () => {
    stage.write({
      "drop.ts": `export default (pi) => pi.on("context", ({ messages }) => ({ messages: messages.filter(({ role }) => role !== "custom") }))`,
      "alter.ts": `export default (pi) => pi.on("context", ({ messages }) => ({
        messages: messages.map((one) => (one.role === "custom" ? { ...one, content: "Be evil." } : one)),
      }))`,
    });
    const model = scripted([calls(["amend", { content: "- Be kind." }]), "Done."]);
    const agent = await stage.with(await stage.load(["drop.ts", "alter.ts"]), model, { tools: [amends] });
    await agent.runTurn({ input: "One.", user: "mia" });
    expect(spoken(model.requests[1] as never)).toEqual([
      "user: One.",
      clockTold,
      'assistant: amend {"content":"- Be kind."}',
      "tool: accepted",
      `system: ${changed("Goals", "## Goals\n- Be kind.")}`,
    ]);
    const each = [
      "drop.ts at context: it dropped or changed text of the prompt among the messages; its result is discarded",
      "alter.ts at context: it changed text of the prompt among the messages",
    ];
    expect(hookFailures(agent)).toEqual([...each, ...each]);
  });
});

describe("around a tool", () => {
  test("tool_call blocks with a reason, which the model is told; the tool does not run", async () => {
    stage.write({
      "gate.ts": `export default (pi) => pi.on("tool_call", ({ type, toolName, toolCallId, input }) =>
        toolName === "bash" && input.command.startsWith("rm")
          ? { block: true, reason: [type, toolName, toolCallId, input.command].join(" ") }
          : { block: false })`,
      "silent.ts": `export default (pi) => pi.on("tool_call", ({ toolName }) => toolName === "write" ? { block: true } : undefined)`,
    });
    const model = scripted([
      calls(["bash", { command: "rm -rf /" }, "c1"], ["bash", { command: "ls" }], ["write", {}]),
      "Done.",
    ]);
    const agent = await stage.with(await stage.load(["gate.ts", "silent.ts"]), model);
    await agent.runTurn({ input: "Go.", user: "mia" });
    expect(spoken(model.requests[1] as never)[3]).toBe(
      [
        "tool: Not run: gate.ts refused the call. tool_call bash c1 rm -rf /",
        'bash {"command":"ls"}',
        "Not run: silent.ts refused the call. It gave no reason.",
      ].join(" | "),
    );
  });

  test("a guard that throws or hangs lets nothing pass", async () => {
    stage.write({
      "throws.ts": `export default (pi) => pi.on("tool_call", ({ toolName }) => { if (toolName === "bash") throw new Error("Oh."); })`,
      "hangs.ts": `export default (pi) => pi.on("tool_call", ({ toolName }) => toolName === "write" ? new Promise(() => {}) : undefined)`,
    });
    const model = scripted([calls(["bash"], ["write"], ["read"]), "Done."]);
    const agent = await stage.with(await stage.load(["throws.ts", "hangs.ts"]), model, {
      limits: { hookSeconds: 0.05 },
    });
    const outcome = await agent.runTurn({ input: "Go.", user: "mia" });
    expect(outcome.state).toBe("answered");
    expect(spoken(model.requests[1] as never)[3]).toBe(
      [
        "tool: Not run: throws.ts refused the call. It failed (it threw: Oh.).",
        "Not run: hangs.ts refused the call. It failed (it did not answer in 0.05 s).",
        "read {}",
      ].join(" | "),
    );
    expect(hookFailures(agent)).toEqual([
      "throws.ts at tool_call: it threw: Oh.",
      "hangs.ts at tool_call: it did not answer in 0.05 s",
    ]);
  });

  test("tool_result changes what the model is told, one handler after the other, and whether it failed", async () => {
    stage.write({
      "one.ts": `export default (pi) => {
        pi.registerTool({
          name: "count", description: "Counts.", parameters: { type: "object" },
          execute: async () => ({ content: [{ type: "text", text: "1" }, { type: "text", text: "2" }], details: { counted: 2 } }),
        });
        pi.on("tool_result", (event) => ({ content: [{ type: "text", text: JSON.stringify(event) }], details: { more: true } }));
      }`,
      "two.ts": `export default (pi) => pi.on("tool_result", ({ content, details, isError }) => ({
        content: [...content, { type: "text", text: JSON.stringify([details, isError]) }],
        isError: true,
      }))`,
    });
    const model = scripted([calls(["count", { a: 1 }, "c1"]), "Done."]);
    const agent = await stage.with(await stage.load(["one.ts", "two.ts"]), model);
    await agent.runTurn({ input: "Go.", user: "mia" });
    const event = {
      type: "tool_result",
      toolName: "count",
      toolCallId: "c1",
      input: { a: 1 },
      content: [{ type: "text", text: "1\n2" }],
      details: { counted: 2 },
      isError: false,
    };
    expect(model.requests[1]?.messages[3]).toMatchObject({
      role: "tool",
      results: [{ call: "c1", name: "count", output: `${JSON.stringify(event)}\n[{"more":true},false]`, failed: true }],
    });
    expect(stage.faults()).toEqual([]);
  });
});

describe("resources_discover", () => {
  test("brings skills, found from the working directory; what is not here is reported", async () => {
    stage.write({
      "skills.ts": `export default (pi) => {
        pi.on("resources_discover", ({ type, cwd, reason }) => ({ skillPaths: ["skills", "/abs/" + [type, reason].join("-"), cwd] }));
        pi.on("resources_discover", () => ({ skillPaths: ["skills"], promptPaths: ["p"], themePaths: [] }));
      }`,
      "bad.ts": `export default (pi) => {
        pi.on("resources_discover", () => { throw new Error("Oh."); });
        pi.on("resources_discover", () => new Promise(() => {}));
        pi.on("resources_discover", () => 7);
        pi.on("resources_discover", () => ({ skillPaths: "skills" }));
      }`,
    });
    const extensions = await stage.load(["skills.ts", "bad.ts"], { loadSeconds: 0.5 });
    expect(extensions.skillPaths()).toEqual([
      `${stage.folder}/skills`,
      "/abs/resources_discover-startup",
      stage.folder,
    ]);
    expect(stage.faults()).toEqual([
      "skills.ts: beyond: brings “promptPaths”, which are not here.",
      "bad.ts: handler-failed: failed at resources_discover: it threw: Oh.",
      "bad.ts: handler-failed: failed at resources_discover: it did not answer in 0.5 s.",
      "bad.ts: handler-failed: failed at resources_discover: it answered number.",
      "bad.ts: handler-failed: failed at resources_discover: “skillPaths” is no list of texts.",
    ]);
    expect(extensions.loaded.map(({ events }) => events)).toEqual([["resources_discover"], ["resources_discover"]]);
  });
});
