import { afterEach, beforeEach, expect, test } from "vitest";
import type { Declaration } from "../../../src/agent/index.ts";
import { defineCharter, usualGuards } from "../../../src/index.ts";
import { scripted } from "../model.ts";
import { newStage, type Stage } from "../stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await newStage();
  await stage.store.agents.put({ name: "ada", charter: "assistant" });
});
afterEach(() => stage.close());

const user = "eva";

/** A charter of so many words, and of few in its compact edition. */
function wordy(words: () => number): () => Declaration {
  return () => {
    const charter = defineCharter({
      name: "wordy",
      layers: [
        {
          name: "self",
          mutability: "fixed",
          sections: [{ name: "soul", words: "kind ".repeat(words()).trim(), short: "kind", compact: "short" }],
        },
      ],
    });
    return {
      charter,
      rules: async () => (_, readings, limits) => ({ guards: usualGuards(charter, readings, limits) }),
    };
  };
}

test("a prompt of half a small window is sent in full; one that leaves too little of it is compact, and that is told", async () => {
  for (const [window, edition] of [
    [5000, "full"],
    [3000, "compact"],
  ] as const) {
    const model = scripted(["Fine."], { window });
    const agent = stage.agent(model, { charter: wordy(() => 2560) });
    const { turn, notices } = await agent.runTurn({ input: "Hi.", user, session: "new" });
    const [step] = await stage.store.steps.of(turn);
    expect(step?.receipt?.edition).toBe(edition);
    const told = notices.filter(({ code }) => code === "edition-compact");
    expect(told.map(({ message }) => message)).toEqual(
      edition === "full"
        ? []
        : [expect.stringMatching(/^The prompt is sent in its compact edition: .* takes 3,000 for/)],
    );
  }
});

test("a session keeps its edition, here and elsewhere, as its prompt grows and shrinks", async () => {
  let words = 2560;
  const model = scripted(["Fine."], { window: 5000 });
  const editions: unknown[] = [];
  const say = async (agent: ReturnType<Stage["agent"]>, input: string) => {
    const { turn } = await agent.runTurn({ input, user });
    editions.push((await stage.store.steps.of(turn)).at(-1)?.receipt?.edition);
  };
  const agent = stage.agent(model, { charter: wordy(() => words) });
  await say(agent, "One.");
  words = 3200;
  await say(agent, "Two.");
  words = 6000;
  await say(agent, "Three.");
  words = 100;
  await say(agent, "Four.");
  await say(stage.agent(model, { charter: wordy(() => words), store: await stage.another() }), "Five.");
  expect(editions).toEqual(["full", "full", "compact", "compact", "compact"]);
});
