import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { replayRequest } from "../../../src/agent/index.ts";
import { bytesOf, scripted, spoken } from "../model.ts";
import { clockTold, meeting, newStage, type Stage } from "../stage.ts";

describe("sessions", () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await newStage();
  });
  afterEach(() => stage.close());

  test("the newest session goes on; a new one begins with nothing; one can be named", async () => {
    const model = scripted();
    const agent = stage.agent(model);
    const one = await agent.runTurn({ input: "One.", user: "eva" });
    const two = await agent.runTurn({ input: "Two.", user: "eva", session: "new" });
    expect(two.session).not.toBe(one.session);
    expect(spoken(model.requests[1] as never)).toEqual(["user: Two.", clockTold]);
    expect((await agent.runTurn({ input: "Three.", user: "eva" })).session).toBe(two.session);
    const four = await agent.runTurn({ input: "Four.", user: "eva", session: one.session });
    expect(four.session).toBe(one.session);
    expect(spoken(model.requests[3] as never)).toEqual(["user: One.", clockTold, "assistant: Fine.", "user: Four."]);
  });

  test("a clock that is set back leaves the order of what was said, in another process, too", async () => {
    const model = scripted();
    const agent = stage.agent(model);
    const one = await agent.runTurn({ input: "One.", user: "eva" });
    stage.wait(-3600);
    const two = await agent.runTurn({ input: "Two.", user: "eva" });
    stage.wait(-3600);
    await stage.agent(model, { store: await stage.another() }).runTurn({ input: "Three.", user: "eva" });
    const said = ["user: One.", clockTold, "assistant: Fine.", "user: Two.", "assistant: Fine.", "user: Three."];
    expect(spoken(model.requests[2] as never)).toEqual(said);
    for (const { turn } of [one, two]) expect((await replayRequest(stage.store, turn)).step.step).toBe(1);
  });

  test("a turn of its own leaves no session to go on with", async () => {
    const model = scripted();
    const agent = stage.agent(model);
    const one = await agent.runTurn({ input: "One.", user: "eva" });
    const alone = await agent.runTurn({ input: "Two.", user: "eva", session: "none" });
    expect((await stage.store.sessions.get(alone.session)).endedAt).not.toBeNull();
    expect((await agent.runTurn({ input: "Three.", user: "eva" })).session).toBe(one.session);
    expect(bytesOf(model.requests[2] as never)).not.toContain("Two.");
  });

  test("no two users share one, and none can name another's", async () => {
    const model = scripted();
    const agent = stage.agent(model);
    const eva = await agent.runTurn({ input: "I am Eva.", user: "eva" });
    const bo = await agent.runTurn({ input: "I am Bo.", user: "bo" });
    const nobody = await agent.runTurn({ input: "I am nobody.", user: null });
    expect(new Set([eva.session, bo.session, nobody.session]).size).toBe(3);
    for (const asked of [{ user: "bo" }, { user: null }, { user: "EVA" }])
      await expect(agent.runTurn({ input: "Me.", session: eva.session, ...asked })).rejects.toMatchObject({
        code: "unknown-session",
      });
    await expect(agent.runTurn({ input: "Me.", user: "mia", session: "nonsense" })).rejects.toMatchObject({
      code: "unknown-session",
    });
    const other = stage.agent(model, { name: "bob" });
    await expect(other.runTurn({ input: "Me.", user: "eva", session: eva.session })).rejects.toMatchObject({
      code: "unknown-session",
    });
    await stage.store.sessions.end(eva.session);
    await expect(agent.runTurn({ input: "Me.", user: "eva", session: eva.session })).rejects.toMatchObject({
      code: "session-ended",
    });
    expect(model.requests).toHaveLength(3);
  });

  test("of a turn id that is asked for twice there is one turn", async () => {
    const [began, goOn] = [meeting(), meeting()];
    const model = scripted([
      async () => {
        began.meet();
        await goOn.met;
        return "Fine.";
      },
    ]);
    const agent = stage.agent(model);
    const first = agent.runTurn({ input: "One.", id: "turn-1", user: "eva" });
    await began.met;
    await expect(agent.runTurn({ input: "One.", id: "turn-1", user: "bo" })).rejects.toMatchObject({
      code: "turn-exists",
    });
    goOn.meet();
    expect(await first).toMatchObject({ reply: "Fine." });
    expect(model.requests).toHaveLength(1);
  });
});
