import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { verifyStore } from "../../../src/store/index.ts";
import { problemOf } from "../../store/contract/given.ts";
import { brokenBindings, thought, thoughtIn } from "../binding.ts";
import { type Scripted, scripted, spoken, systemOf } from "../model.ts";
import { provesRequests } from "../proof.ts";
import { clockTold, newStage, type Stage } from "../stage.ts";

const user = "eva";
const rejected = { fault: { code: "model-rejected", message: "No.", retry: false } } as const;

describe("a session that is summed up on request", () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await newStage();
  });
  afterEach(() => stage.close());

  test("goes on from the summary, here and elsewhere; the request is on record and no part of the history", async () => {
    const model = scripted(["One!", "Two!", "They said one and two.", "Three!", "Four!"]);
    const agent = stage.agent(model);
    const { session } = await agent.runTurn({ input: "One.", user });
    await agent.runTurn({ input: "Two, and then some more.", user });
    const compacted = await agent.compact({ user });
    expect(compacted).toEqual({
      turn: expect.any(String),
      session,
      before: expect.any(Number),
      after: expect.any(Number),
    });
    expect(await stage.store.turns.get(compacted.turn)).toMatchObject({
      input: "/compact",
      state: "answered",
      reply: `The history was summed up: ${compacted.before} tokens became ${compacted.after}.`,
    });
    const { slots } = await stage.store.steps.replay(compacted.turn);
    expect(slots[0]?.text).toBe(systemOf(model.requests[2] as never));
    expect(spoken(model.requests[2] as never).slice(0, 5)).toEqual([
      "user: One.",
      clockTold,
      "assistant: One!",
      "user: Two, and then some more.",
      "assistant: Two!",
    ]);
    await agent.runTurn({ input: "Three.", user });
    const summary = "user: [What was said before, in short]\nThey said one and two.";
    expect(spoken(model.requests[3] as never)).toEqual([summary, "user: Three.", clockTold]);
    const elsewhere = stage.agent(model, { store: await stage.another() });
    await elsewhere.runTurn({ input: "Four.", user });
    expect(spoken(model.requests[4] as never)).toEqual([
      summary,
      "user: Three.",
      clockTold,
      "assistant: Three!",
      "user: Four.",
    ]);
    expect((await verifyStore(stage.store.home)).faults).toEqual([]);
  });

  test("keeps the newest turns, and above all what it was asked to keep, here and elsewhere", async () => {
    const model = scripted(["Fine."]);
    const agent = stage.agent(model);
    for (const word of ["one", "two", "three"]) await agent.runTurn({ input: `${word} `.repeat(80), user });
    await agent.runTurn({ input: "Four.", user });
    model.say("They counted.", "Fine.");
    const { turn } = await agent.compact({ user, words: "the numbers" });
    expect(spoken(model.requests.at(-1) as never).at(-1)).toMatch(/keep above all: the numbers$/);
    expect(await stage.store.turns.get(turn)).toMatchObject({ input: "/compact the numbers", state: "answered" });
    const summary = "user: [What was said before, in short]\nThey counted.";
    const told = [summary, "user: Four.", "assistant: Fine.", "user: Five.", clockTold];
    await agent.runTurn({ input: "Five.", user });
    expect(spoken(model.requests.at(-1) as never)).toEqual(told);
    await stage.agent(model, { store: await stage.another() }).runTurn({ input: "Six.", user });
    expect(spoken(model.requests.at(-1) as never)).toEqual([...told, "assistant: Fine.", "user: Six."]);
    expect((await verifyStore(stage.store.home)).faults).toEqual([]);
  });

  test("reasoning of the turns it keeps is bound to what is gone: it goes with it; what is thought since stays", async () => {
    for (const words of ["Four.", "four ".repeat(80)]) {
      const model: Scripted = scripted([() => ({ text: "Fine.", native: thought(model.requests.length) })], {
        binds: true,
      });
      const agent = stage.agent(model);
      for (const word of ["one", "two", "three"])
        await agent.runTurn({ input: `${word} `.repeat(80), user, ...(word === "one" ? { session: "new" } : {}) });
      await agent.runTurn({ input: words, user });
      await agent.compact({ user });
      const turns = [await agent.runTurn({ input: "Five.", user }), await agent.runTurn({ input: "Six.", user })];
      turns.push(await stage.agent(model, { store: await stage.another() }).runTurn({ input: "Seven.", user }));
      const thoughts = model.requests
        .slice(-3)
        .map(({ messages }) => messages.flatMap((one) => (one.role === "assistant" ? [thoughtIn(one) ?? null] : [])));
      const kept = words === "Four." ? [null] : [];
      const [five, six] = [2, 1].map((ago) => model.requests.length - ago);
      expect(thoughts).toEqual([kept, [...kept, five], [...kept, five, six]]);
      expect(brokenBindings(model.requests)).toEqual([]);
      const folds = agent.events.flatMap((one) => (one.kind === "step-start" ? [one.prefixChange] : []));
      expect(folds.slice(-2)).toEqual([
        { how: "folded", sections: [], reason: "the history was compacted" },
        { how: "kept" },
      ]);
      for (const [at, { turn }] of turns.entries())
        await provesRequests(stage.store, turn, [model.requests.at(at - 3) as never]);
    }
  });

  test("where there is nothing to sum up, it says so; where it fails, the session is as it was", async () => {
    const model = scripted(["One!", rejected, rejected, "Two!"]);
    const agent = stage.agent(scripted());
    const nothing = "nothing-said: Nothing was said yet in this session. There is nothing to summarise.";
    expect(await problemOf(agent.compact({ user }))).toBe(nothing);
    const failing = stage.agent(model);
    await failing.runTurn({ input: "One.", user });
    expect(await problemOf(failing.compact({ user }))).toMatch(/^compaction-failed: The history of \d+ tokens was not/);
    expect((await stage.store.turns.list({ agent: "ada" })).map(({ state }) => state)).toEqual(["failed", "answered"]);
    await failing.runTurn({ input: "Two.", user });
    expect(spoken(model.requests.at(-1) as never)).toEqual(["user: One.", clockTold, "assistant: One!", "user: Two."]);
    expect(await problemOf(stage.agent(scripted(["x"], { keepsHistory: true })).compact({ user }))).toMatch(
      /^compaction-elsewhere: /,
    );
  });
});
