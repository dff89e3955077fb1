import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { scripted, spoken } from "./model.ts";
import { meeting, newStage, type Stage } from "./stage.ts";

describe("a turn of its own", () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await newStage();
  });
  afterEach(() => stage.close());

  test("is no session others go on with, not even while it runs", async () => {
    const [began, over] = [meeting(), meeting()];
    const model = scripted(["Fine."]);
    const slow = scripted([
      async () => {
        began.meet();
        await over.met;
        return "By myself.";
      },
    ]);
    const { session } = await stage.agent(model).runTurn({ input: "One.", user: "eva" });
    const alone = stage.agent(slow).runTurn({ input: "Report.", user: "eva", session: "none" });
    await began.met;
    for (const store of [stage.store, await stage.another()]) {
      const outcome = await stage.agent(model, { store }).runTurn({ input: "Two.", user: "eva" });
      expect(outcome.session).toBe(session);
      expect(spoken(model.requests.at(-1) as never)[0]).toBe("user: One.");
    }
    over.meet();
    const outcome = await alone;
    expect(outcome).toMatchObject({ reply: "By myself." });
    expect(await stage.store.sessions.get(outcome.session)).toMatchObject({ endedAt: expect.any(String) });
    expect(await stage.agent(model).runTurn({ input: "Three.", user: "eva" })).toMatchObject({ session });
  });
});
