import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Hook } from "../../../src/agent/index.ts";
import type { Message } from "../../../src/delivery/model.ts";
import { calls, scripted, spoken, systemOf } from "../model.ts";
import { provesRequests } from "../proof.ts";
import { amends, careless, clockTold, hookFailures as failures, newStage, rules, type Stage, tool } from "../stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await newStage();
});
afterEach(() => stage.close());

describe("before a turn", () => {
  test("hooks are asked in order, each with what the one before made of it", async () => {
    const given: unknown[] = [];
    const add = (name: string): Hook => ({
      name,
      "before-turn": ({ turn: _, ...one }) => {
        given.push(one);
        return { input: `${one.input} ${name}`, message: `Note of ${name}.` };
      },
    });
    const model = scripted();
    const agent = stage.agent(model, { hooks: [add("one"), add("two")] });
    await agent.runTurn({ input: "Hello,", user: "eva", channel: "web" });
    const about = { user: "eva", channel: "web", prompt: expect.stringContaining("## Clock") };
    expect(given).toEqual([
      { ...about, input: "Hello," },
      { ...about, input: "Hello, one" },
    ]);
    expect(spoken(model.requests[0] as never)).toEqual([
      "user: Hello, one two\n\nNote of one.\n\nNote of two.",
      clockTold,
    ]);
  });

  for (const slots of ["layered", "one-string"] as const)
    test(`a prompt that grew is that prompt, and an update of this turn: ${slots}`, async () => {
      let turns = 0;
      const grow: Hook = {
        name: "grow",
        "before-turn": ({ prompt }) => (++turns > 1 ? undefined : { prompt: `${prompt}\n\nIt is raining.` }),
      };
      const model = scripted([calls(["look"]), "Done."], { slots });
      const agent = stage.agent(model, { hooks: [grow], tools: [tool("look")] });
      const { turn } = await agent.runTurn({ input: "One.", user: "mia" });
      await provesRequests(stage.store, turn, model.requests);
      await agent.runTurn({ input: "Two.", user: "mia" });
      const [first, second, third] = model.requests as [never, never, never];
      const whole = (request: never) => JSON.stringify(request).split("It is raining.").length - 1;
      if (slots === "layered") {
        const said = ["user: One.", clockTold, "system: It is raining.", "assistant: look {}", "tool: Done."];
        const over = "system: Your prompt has changed: “It is raining.” no longer applies.";
        expect([first, second].map(spoken)).toEqual([said.slice(0, 3), said]);
        expect(spoken(third)).toEqual([...said, "assistant: Done.", "user: Two.", over]);
        expect(new Set([first, second, third].map(systemOf)).size).toBe(1);
      } else {
        expect([first, second, third].map(whole)).toEqual([1, 1, 0]);
        expect(systemOf(first)).toBe(`${systemOf(third)}\n\nIt is raining.`);
      }
      const { slots: kept, receipt } = await stage.store.steps.replay(turn, 1);
      expect(kept.map(({ text }) => text).join("")).toContain("It is raining.");
      expect(receipt.slots.flatMap(({ sections }) => sections).find(({ name }) => name === "hooks")).toMatchObject({
        source: "hook grow",
      });
    });

  test("white space alone is no growth", async () => {
    const model = scripted();
    const hook: Hook = { name: "space", "before-turn": ({ prompt }) => ({ prompt: `${prompt}\n\n  \n` }) };
    await stage.agent(model, { hooks: [hook] }).runTurn({ input: "One.", user: "mia" });
    expect(spoken(model.requests[0] as never)).toEqual(["user: One.", clockTold]);
  });

  test("a rewritten prompt is sent as it is for this turn, every step of it; the next one folds", async () => {
    let turns = 0;
    const text = `## Rules\n${rules}\n\nYou are a pirate.`;
    const rewrite: Hook = { name: "pirate", "before-turn": () => (++turns === 2 ? { prompt: text } : undefined) };
    const model = scripted(["One.", calls(["amend", { content: "- Be kind." }]), "Two.", "Three."]);
    const agent = stage.agent(model, { hooks: [rewrite], tools: [amends] });
    await agent.runTurn({ input: "One.", user: "mia" });
    const { turn } = await agent.runTurn({ input: "Two.", user: "mia" });
    await provesRequests(stage.store, turn, model.requests.slice(1));
    await agent.runTurn({ input: "Three.", user: "mia" });
    expect(model.requests.map((request) => systemOf(request) === text)).toEqual([false, true, true, false]);
    expect(spoken(model.requests[2] as never)).toEqual([
      "user: One.",
      "assistant: One.",
      "user: Two.",
      'assistant: amend {"content":"- Be kind."}',
      "tool: accepted",
    ]);
    const last = model.requests[3] as never;
    expect(systemOf(last)).toBe(systemOf(model.requests[0] as never).replace("- Help people.", "- Be kind."));
    expect(spoken(last)).toEqual([
      "user: One.",
      "assistant: One.",
      "user: Two.",
      'assistant: amend {"content":"- Be kind."}',
      "tool: accepted",
      "assistant: Two.",
      "user: Three.",
      clockTold,
    ]);
    expect(agent.events.findLast(({ kind }) => kind === "step-start")).toMatchObject({
      prefixChange: { how: "folded", reason: "the prompt was replaced for a turn" },
    });
  });

  test("a rewritten prompt in a session's first turn leaves the second one whole", async () => {
    let turns = 0;
    const rewrite: Hook = {
      name: "pirate",
      "before-turn": () => (++turns === 1 ? { prompt: `## Rules\n${rules}\n\nYou are a pirate.` } : undefined),
    };
    const model = scripted();
    const agent = stage.agent(model, { hooks: [rewrite] });
    await agent.runTurn({ input: "One.", user: "mia" });
    await agent.runTurn({ input: "Two.", user: "mia" });
    expect(systemOf(model.requests[1] as never)).toMatch(
      /^## Rules\n[\s\S]+## Goals\n[\s\S]+## Wishes\n[\s\S]+## Place\n/,
    );
    expect(spoken(model.requests[1] as never)).toEqual(["user: One.", "assistant: Fine.", "user: Two.", clockTold]);
  });

  for (const [what, change] of [
    ["drops", () => "You are a pirate."],
    ["alters", (prompt: string) => prompt.replace("Be honest.", "Be sly.")],
    ["hides in a line", (prompt: string) => prompt.replace("## Rules\n", "No more ## Rules\n")],
  ] as const)
    test(`a result that ${what} fixed words is discarded and reported; the hooks after it still run`, async () => {
      const hooks: Hook[] = [
        { name: "bad", "before-turn": ({ prompt }) => ({ prompt: change(prompt), input: "Changed." }) },
        { name: "good", "before-turn": () => ({ message: "Still here." }) },
      ];
      const model = scripted();
      const agent = stage.agent(model, { hooks });
      const outcome = await agent.runTurn({ input: "One.", user: "mia" });
      expect(systemOf(model.requests[0] as never)).toContain(`## Rules\n${rules}`);
      expect(spoken(model.requests[0] as never)[0]).toBe("user: One.\n\nStill here.");
      const because = "it dropped or changed the fixed text of “rules”; its result is discarded";
      expect(failures(agent)).toEqual([`bad at before-turn: ${because}`]);
      expect(outcome.notices).toEqual([
        { code: "hook-failed", message: `The hook “bad” failed at before-turn: ${because}.` },
      ]);
    });

  test("one that throws, hangs or answers nonsense is reported by name, and the others run", async () => {
    const nonsense: [name: string, run: () => unknown, because: string][] = [
      [
        "throws",
        () => {
          throw new Error("Oh.");
        },
        "it threw: Oh.",
      ],
      ["rejects", () => Promise.reject(new Error("Oh no.")), "it threw: Oh no."],
      ["hangs", () => new Promise(() => {}), "it did not answer in 0.05 s"],
      ["number", () => 7, "it answered number, where an object or nothing is expected"],
      ["text", () => "words", "it answered string, where an object or nothing is expected"],
      ["list", () => [1], "it answered a list, where an object or nothing is expected"],
      ["input", () => ({ input: 7 }), "its input is no text"],
      ["message", () => ({ message: ["a"] }), "its message is no text"],
      ["prompt", () => ({ prompt: null }), "its prompt is no text"],
    ];
    const hooks = [
      ...nonsense.map(([name, run]) => careless(name, "before-turn", run)),
      { name: "null", "before-turn": () => null } as unknown as Hook,
      { name: "unknown", "before-turn": () => ({ other: 1 }) } as unknown as Hook,
      { name: "last", "before-turn": () => ({ message: "Here." }) },
    ];
    const model = scripted();
    const agent = stage.agent(model, { hooks, limits: { hookSeconds: 0.05 } });
    await agent.runTurn({ input: "One.", user: "mia" });
    expect(failures(agent)).toEqual(nonsense.map(([name, , because]) => `${name} at before-turn: ${because}`));
    expect(spoken(model.requests[0] as never)).toEqual(["user: One.\n\nHere.", clockTold]);
  });

  test("nothing a hook is given can be changed but by its answer", async () => {
    const vandal: Hook = {
      name: "vandal",
      "before-turn": (given) => void Object.assign(given, { input: "Broken.", prompt: "Broken." }),
      "before-step": ({ messages }) => {
        for (const message of messages) Object.assign(message, { text: "Broken." });
        (messages as Message[]).length = 0;
        return undefined;
      },
      "before-tool": ({ input }) => void Object.assign(input as object, { where: "nowhere" }),
      "after-tool": (given) => void Object.assign(given, { output: "Broken." }),
    };
    const look = tool("look", ({ where }) => `Looked ${where}.`);
    const model = scripted([calls(["look", { where: "here" }]), "Done."]);
    const agent = stage.agent(model, { hooks: [vandal], tools: [look] });
    await agent.runTurn({ input: "One.", user: "mia" });
    expect(failures(agent)).toEqual([]);
    expect(spoken(model.requests[1] as never)).toEqual([
      "user: One.",
      clockTold,
      'assistant: look {"where":"here"}',
      "tool: Looked here.",
    ]);
  });
});
