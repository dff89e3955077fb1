import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { verifyStore } from "../../../src/store/index.ts";
import { homes } from "../../homes.ts";
import { bytesOf, calls, scripted, spoken } from "../model.ts";
import { provesRequests } from "../proof.ts";
import { amends, clockTold, newStage, type Stage } from "../stage.ts";

describe.each(homes)("sessions on %s", (home) => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await newStage(home);
  });
  afterEach(() => stage.close());

  test("many users at once: each is answered, in a session of their own", async () => {
    const model = scripted([(request) => `To ${bytesOf(request).match(/user-\d+/)?.[0]}.`]);
    const agent = stage.agent(model);
    const users = Array.from({ length: 10 }, (_, index) => `user-${index}`);
    const outcomes = await Promise.all(users.map((user) => agent.runTurn({ input: `I am ${user}.`, user })));
    expect(outcomes.map(({ reply }) => reply)).toEqual(users.map((user) => `To ${user}.`));
    expect(new Set(outcomes.map(({ session }) => session)).size).toBe(users.length);
    for (const request of model.requests) expect(new Set(bytesOf(request).match(/user-\d+/g)).size).toBe(1);
    expect((await verifyStore(stage.store.home)).faults).toEqual([]);
  });

  test("ten turns of one user at once follow each other, and each knows those before it", async () => {
    let now = 0;
    let most = 0;
    const model = scripted([
      async (request) => {
        most = Math.max(most, ++now);
        await new Promise(setImmediate);
        now -= 1;
        return `Answer ${request.messages.filter(({ role }) => role === "user").length}.`;
      },
    ]);
    const agent = stage.agent(model);
    const turns = Array.from({ length: 10 }, (_, index) => agent.runTurn({ input: `Turn ${index}.`, user: "eva" }));
    const outcomes = await Promise.all(turns);
    expect(most).toBe(1);
    expect(new Set(outcomes.map(({ session }) => session)).size).toBe(1);
    const [first, told, ...later] = spoken(model.requests[9] as never);
    expect(told).toBe(clockTold);
    const whole = [first, ...later];
    expect(whole.filter((_, index) => index % 2 === 1)).toEqual(
      Array.from({ length: 9 }, (_, index) => `assistant: Answer ${index + 1}.`),
    );
    expect(whole.filter((_, index) => index % 2 === 0).toSorted()).toEqual(
      Array.from({ length: 10 }, (_, index) => `user: Turn ${index}.`),
    );
    for (const [index, request] of model.requests.entries())
      expect(spoken(request)).toEqual([first, told, ...later.slice(0, 2 * index)]);
    const fresh = stage.agent(model, { store: await stage.another() });
    await fresh.runTurn({ input: "After.", user: "eva" });
    expect(spoken(model.requests[10] as never).slice(0, -2)).toEqual([first, told, ...later]);
  });

  test("a whole turn with an amendment, proved and continued by another process", async () => {
    const model = scripted([
      calls(["amend", { content: "- Be kind." }], ["amend", { section: "wishes", content: "In French." }]),
      "Done.",
    ]);
    const agent = stage.agent(model, { tools: [amends] });
    const one = await agent.runTurn({ input: "One.", user: "eva" });
    await provesRequests(stage.store, one.turn, model.requests);
    const fresh = stage.agent(model, { tools: [amends], store: await stage.another() });
    const two = await fresh.runTurn({ input: "Two.", user: "eva" });
    await provesRequests(stage.store, two.turn, model.requests.slice(2));
    expect(model.requests[2]?.system).toEqual(model.requests[1]?.system);
    const [, before, after] = model.requests.map(spoken) as [string[], string[], string[]];
    expect(after).toEqual([...before, "assistant: Done.", "user: Two."]);
    expect((await verifyStore(stage.store.home)).faults).toEqual([]);
  });
});
