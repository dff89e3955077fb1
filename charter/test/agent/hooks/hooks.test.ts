import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Hook } from "../../../src/agent/index.ts";
import { calls, scripted, spoken } from "../model.ts";
import { provesRequests } from "../proof.ts";
import {
  amends,
  careless,
  changed,
  clockTold,
  hookFailures as failures,
  newStage,
  type Stage,
  tool,
} from "../stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await newStage();
});
afterEach(() => stage.close());

describe("before a step", () => {
  const shorter: Hook = {
    name: "shorter",
    "before-step": ({ messages }) => ({
      messages: messages.filter((one, at) => "update" in one || at >= messages.length - 3),
    }),
  };

  test("its messages are this step's copy, with the prompt's own words; the receipt is what was sent", async () => {
    const model = scripted(["One.", "Two.", "Three.", "Four."]);
    let on = true;
    const hook: Hook = {
      name: "shorter",
      "before-step": (given, aside) => (on ? shorter["before-step"]?.(given, aside) : undefined),
    };
    const agent = stage.agent(model, { hooks: [hook] });
    await agent.runTurn({ input: "One?", user: "mia" });
    await agent.runTurn({ input: "Two?", user: "mia" });
    const { turn } = await agent.runTurn({ input: "Three?", user: "mia" });
    expect(spoken(model.requests[2] as never)).toEqual([clockTold, "user: Two?", "assistant: Two.", "user: Three?"]);
    await provesRequests(stage.store, turn, model.requests.slice(2));
    on = false;
    await agent.runTurn({ input: "Four?", user: "mia" });
    expect(spoken(model.requests[3] as never)).toHaveLength(8);
  });

  test("what was said of sections cannot be dropped or altered, but may move", async () => {
    const model = scripted([calls(["amend", { content: "- Be kind." }]), "Done."]);
    const drop: Hook = { name: "drop", "before-step": ({ messages }) => ({ messages: messages.slice(0, 1) }) };
    const alter: Hook = {
      name: "alter",
      "before-step": ({ messages }) => ({
        messages: messages.map((one) => ("update" in one && one.update ? { ...one, text: "Be evil." } : one)),
      }),
    };
    const first: Hook = {
      name: "first",
      "before-step": ({ messages }) => ({ messages: [{ role: "user", text: "(a reminder)" }, ...messages] }),
    };
    const agent = stage.agent(model, { hooks: [drop, alter, first], tools: [amends] });
    const { turn } = await agent.runTurn({ input: "One.", user: "mia" });
    const because = "it dropped or changed text of the prompt among the messages; its result is discarded";
    const both = [`drop at before-step: ${because}`, `alter at before-step: ${because}`];
    expect(failures(agent)).toEqual([...both, ...both]);
    expect(spoken(model.requests[1] as never)).toEqual([
      "user: (a reminder)",
      "user: One.",
      clockTold,
      'assistant: amend {"content":"- Be kind."}',
      "tool: accepted",
      `system: ${changed("Goals", "## Goals\n- Be kind.")}`,
    ]);
    await provesRequests(stage.store, turn, model.requests);
  });

  test("messages that are none are reported, and the step is as it was", async () => {
    const odd: unknown[] = [
      "words",
      [null],
      [{ role: "user" }],
      [{ role: "stranger", text: "Hi." }],
      [{ role: "assistant", text: "Hi." }],
      [{ role: "assistant", text: "Hi.", calls: [null] }],
      [{ role: "tool", results: [{ call: "a", name: "b", output: 7 }] }],
    ];
    const hooks = odd.map((messages, index) => careless(`odd${index}`, "before-step", () => ({ messages })));
    const model = scripted();
    const agent = stage.agent(model, { hooks });
    expect(await agent.runTurn({ input: "One.", user: "mia" })).toMatchObject({ state: "answered" });
    expect(failures(agent)).toEqual(
      odd.map((_, index) => `odd${index} at before-step: its messages are no list of messages`),
    );
    expect(spoken(model.requests[0] as never)).toEqual(["user: One.", clockTold]);
  });
});

describe("around a tool", () => {
  const look = tool("look", ({ where }) => `Looked ${where}.`);

  test("before it: the input may change, and is checked again; after it: what the model is told", async () => {
    const hooks: Hook[] = [
      { name: "there", "before-tool": ({ input }) => ({ input: { ...(input as object), where: "there" } }) },
      { name: "shout", "after-tool": ({ output, failed }) => ({ output: `${output.toUpperCase()} ${failed}` }) },
      { name: "mark", "after-tool": ({ output }) => ({ output: `${output}!` }) },
    ];
    const model = scripted([calls(["look", { where: "here" }]), "Done."]);
    await stage.agent(model, { hooks, tools: [look] }).runTurn({ input: "One.", user: "mia" });
    expect(spoken(model.requests[1] as never)).toContain("tool: LOOKED THERE. false!");
  });

  test("a refusal is told the model, and the tool does not run; the first one speaks", async () => {
    let ran = 0;
    const counted = tool("count", () => `${++ran}`);
    const hooks: Hook[] = [
      { name: "warden", "before-tool": ({ tool: name }) => (name === "count" ? { refuse: "Not today." } : undefined) },
      { name: "second", "before-tool": () => ({ refuse: "Nor tomorrow." }) },
    ];
    const model = scripted([calls(["count"]), "Done."]);
    await stage.agent(model, { hooks, tools: [counted] }).runTurn({ input: "One.", user: "mia" });
    expect(ran).toBe(0);
    expect(spoken(model.requests[1] as never)).toContain("tool: Not run: warden refused the call. Not today.");
  });

  test("nonsense is reported: the call is made as it was, its result told as it was", async () => {
    const hooks = [
      careless("refuse", "before-tool", () => ({ refuse: 7 })),
      careless("output", "after-tool", () => ({ output: {} })),
      careless("throw", "after-tool", () => {
        throw new Error("Oh.");
      }),
    ];
    const model = scripted([calls(["look", { where: "here" }]), "Done."]);
    const agent = stage.agent(model, { hooks, tools: [look] });
    await agent.runTurn({ input: "One.", user: "mia" });
    expect(spoken(model.requests[1] as never)).toContain("tool: Looked here.");
    expect(failures(agent)).toEqual([
      "refuse at before-tool: its refusal is no text",
      "output at after-tool: its output is no text",
      "throw at after-tool: it threw: Oh.",
    ]);
  });

  test("an input that no longer fits is told the model", async () => {
    const { z } = await import("zod");
    const { defineTool } = await import("../../../src/agent/index.ts");
    const strict = defineTool({
      name: "strict",
      input: z.object({ at: z.number() }),
      summary: "Is strict",
      trusted: true,
      harmless: true,
      run: ({ at }) => `At ${at}.`,
    });
    const hooks = [careless("bend", "before-tool", () => ({ input: { at: "noon" } }))];
    const model = scripted([calls(["strict", { at: 1 }]), "Done."]);
    await stage.agent(model, { hooks, tools: [strict] }).runTurn({ input: "One.", user: "mia" });
    expect(spoken(model.requests[1] as never).join("\n")).toContain(
      "tool: Not run: the arguments do not fit “strict”. at:",
    );
  });
});

describe("after a turn", () => {
  test("it is told what the turn came to, once it is kept, also when it failed; it changes nothing", async () => {
    const given: unknown[] = [];
    const hook = {
      name: "after",
      "after-turn": async (one: { turn: string }) => {
        given.push({ ...one, kept: (await stage.store.turns.get(one.turn)).state });
        return { reply: "Other." };
      },
    } as unknown as Hook;
    const model = scripted(["Fine.", { fault: { code: "model-rejected", message: "No.", retry: false } }]);
    const agent = stage.agent(model, { hooks: [hook] });
    const one = await agent.runTurn({ input: "One.", user: "mia" });
    const two = await agent.runTurn({ input: "Two.", user: "mia" });
    expect([one.reply, two.reply]).toEqual(["Fine.", null]);
    expect(given).toEqual([
      { turn: one.turn, user: "mia", state: "answered", reply: "Fine.", kept: "answered" },
      { turn: two.turn, user: "mia", state: "failed", reply: null, kept: "failed" },
    ]);
    expect(agent.kinds().at(-1)).toBe("turn-end");
  });

  test("it is also waited for when the turn was stopped", async () => {
    let written = "";
    const hook: Hook = {
      name: "log",
      "after-turn": async ({ turn, state }) => {
        written = `${state} ${(await stage.store.turns.get(turn)).state}`;
      },
    };
    const agent = stage.agent(scripted(), { hooks: [hook] });
    await agent.runTurn({ input: "One.", user: "mia" }, { signal: AbortSignal.abort() });
    expect([written, failures(agent)]).toEqual(["failed failed", []]);
  });

  test("one that throws or hangs takes nothing back", async () => {
    const hooks = [
      careless("throw", "after-turn", () => {
        throw new Error("Oh.");
      }),
      careless("hang", "after-turn", () => new Promise(() => {})),
    ];
    const agent = stage.agent(scripted(), { hooks, limits: { hookSeconds: 0.05 } });
    const outcome = await agent.runTurn({ input: "One.", user: "mia" });
    expect(outcome).toMatchObject({ state: "answered", reply: "Fine." });
    expect(outcome.notices.map(({ code }) => code)).toEqual(["hook-failed", "hook-failed"]);
    expect(failures(agent)).toEqual([
      "throw at after-turn: it threw: Oh.",
      "hang at after-turn: it did not answer in 0.05 s",
    ]);
  });
});
