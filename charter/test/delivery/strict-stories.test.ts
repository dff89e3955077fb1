import { afterEach, beforeEach, describe, test } from "vitest";
import { type Declaration, modifySystemPrompt } from "../../src/agent/index.ts";
import { artifact, assistant, coder, exampleSoul, resident, sovereign } from "../../src/charters/index.ts";
import { inlineSkillsReading, nowReading, soulReading } from "../../src/charters/sovereign/sovereign.ts";
import { type Charter, fromText } from "../../src/index.ts";
import { callsTools, type StrictLine } from "../../src/testing/index.ts";
import { tool } from "../agent/stage.ts";
import { besieged, bo, clocked, governed, threeTurns } from "./strict-charters.ts";
import { expectAppendOnly, lawful, look, looks, newStrictStage, type StrictStage, takes } from "./strict-stage.ts";

/** Stories of sessions with Claude Sonnet 5.5, on a server that takes only what Anthropic documents. */

let stage: StrictStage;
beforeEach(async () => {
  stage = await newStrictStage();
});
afterEach(() => stage.close());

describe("three turns of one tool call", () => {
  const sources: readonly [what: string, charter: () => Charter | Declaration, about?: object][] = [
    ["of a charter without state", () => lawful()],
    ["with a clock", () => clocked],
    ["with a stranger's words, some of them stable", () => besieged],
    ["of assistant()", () => assistant({ soul: exampleSoul, identity: '{"name":"Eva"}' }), bo],
    [
      "of sovereign()",
      () => {
        let turns = 0;
        return sovereign({
          soul: () => soulReading("ic-automaton-v1"),
          skills: () => inlineSkillsReading([{ name: "order", instructions: "Stay in FSM order." }]),
          now: ({ now, tools }) =>
            nowReading({
              state: { cycles_balance: 1000, burn_per_hour: 10, turn_number: ++turns, state: "Inferring" },
              ...{ timestamp: now, inbox: [], conversations: new Map(), memory: [], tools },
            }),
        });
      },
    ],
    ["of coder()", () => coder({ append: () => fromText("Be brief.", { source: "APPEND.md" }) })],
    ["of artifact()", () => artifact({ scope: "agent", original: "I am a trading agent." })],
    [
      "of resident()",
      () => resident({ base: "You live in Buzz.", core: () => fromText("You are Eva.", { source: "core" }) }),
    ],
  ];
  for (const [what, charter, about] of sources)
    test(what, async () => {
      await threeTurns(stage, stage.agent(charter(), { tools: [look] }), about);
      expectAppendOnly(stage);
    });
});

describe("what changes is said at the end", () => {
  const take = tool("take", () => "Taken.");
  const amends = (content: string): StrictLine =>
    callsTools(["modify_system_prompt", { operation: "append", content, reason: "Asked." }]);

  test("a tool is added, and it is used", async () => {
    await takes(stage, stage.agent(clocked, { tools: [look] }), "One?");
    const richer = stage.agent(clocked, { tools: [look, take] });
    await takes(stage, richer, "Two?", { lines: [callsTools(["take"]), "Taken."] });
    await takes(stage, richer, "Three?");
    expectAppendOnly(stage);
  });

  test("a tool is taken away", async () => {
    await takes(stage, stage.agent(clocked, { tools: [look, take] }), "One?");
    const poorer = stage.agent(clocked, { tools: [look] });
    await takes(stage, poorer, "Two?");
    await takes(stage, poorer, "Three?");
    expectAppendOnly(stage);
  });

  test("the agent amends its goals in a turn", async () => {
    const agent = stage.agent(governed(clocked), { tools: [look, modifySystemPrompt({ section: "goals" })] });
    await takes(stage, agent, "One?");
    await takes(stage, agent, "Be brief.", { lines: [amends("- Be brief."), ...looks("Yes.")] });
    await takes(stage, agent, "Three?");
    expectAppendOnly(stage);
  });

  test("the cache is cold while an amendment waits", async () => {
    const agent = stage.agent(governed(clocked), { tools: [look, modifySystemPrompt({ section: "goals" })] });
    await takes(stage, agent, "Be brief.", { lines: [amends("- Be brief."), "Yes."] });
    stage.wait(7200);
    await takes(stage, agent, "Two?");
    await takes(stage, agent, "Three?");
    expectAppendOnly(stage);
  });

  test("a hook adds a text for one turn", async () => {
    const feast = ({ input, prompt }: { readonly input: string; readonly prompt: string }) =>
      input === "Two?" ? { prompt: `${prompt}\n\nTonight is the feast.` } : undefined;
    await threeTurns(stage, stage.agent(clocked, { tools: [look], hooks: [{ name: "feast", "before-turn": feast }] }));
    expectAppendOnly(stage);
  });

  test("the process starts anew", async () => {
    await threeTurns(stage, stage.agent(clocked, { tools: [look] }));
    await threeTurns(stage, stage.agent(clocked, { tools: [look], store: await stage.restarted() }));
    expectAppendOnly(stage);
  });
});
