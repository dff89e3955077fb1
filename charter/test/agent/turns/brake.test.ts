import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { calls, scripted } from "../model.ts";
import { newStage, type Stage, tool } from "../stage.ts";

describe("an agent that is frozen in the middle of a turn", () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await newStage();
  });
  afterEach(() => stage.close());

  test("runs no other tool and asks nothing more; what it did is on record", async () => {
    const ran: string[] = [];
    const brake = tool("brake", async () => {
      await (await stage.another()).agents.freeze("ada", "agent");
      return "Pulled.";
    });
    const go = tool("go", () => `Gone ${ran.push("go")}.`);
    const model = scripted([calls(["go"], ["brake"], ["go"]), "Done."]);
    const agent = stage.agent(model, { tools: [brake, go] });
    const outcome = await agent.runTurn({ input: "Go.", user: "eva" });
    expect(outcome).toMatchObject({
      state: "failed",
      reply: null,
      problem: { code: "agent-frozen", message: "“ada” is frozen.", hint: "Undo it with `charter thaw ada`." },
    });
    expect(ran).toEqual(["go"]);
    expect(model.requests).toHaveLength(1);
    const [step] = await stage.store.steps.of(outcome.turn);
    expect(step?.result).toMatchObject({
      results: [{ output: "Gone 1." }, { output: "Pulled." }, { output: "Not run: “ada” is frozen.", failed: true }],
      because: { code: "agent-frozen" },
    });
    await expect(agent.runTurn({ input: "Again.", user: "eva" })).rejects.toMatchObject({ code: "agent-frozen" });
    await stage.store.agents.thaw("ada");
    expect(await agent.runTurn({ input: "And now?", user: "eva" })).toMatchObject({ reply: "Done." });
  });

  test("one that is removed in it runs no other tool either", async () => {
    const ran: string[] = [];
    const brake = tool("brake", async () => {
      await (await stage.another()).remove("ada");
      return "Pulled.";
    });
    const go = tool("go", () => `Gone ${ran.push("go")}.`);
    const model = scripted([calls(["brake"], ["go"]), "Done."]);
    const outcome = await stage.agent(model, { tools: [brake, go] }).runTurn({ input: "Go.", user: "eva" });
    expect([outcome.state, outcome.problem?.code, ran, model.requests.length]).toEqual([
      "failed",
      "agent-frozen",
      [],
      1,
    ]);
    const [step] = await stage.store.steps.of(outcome.turn);
    expect(step?.result).toMatchObject({
      results: [{ output: "Pulled." }, { output: "Not run: “ada” was removed." }],
    });
  });

  test("goes on when only its amendments are", async () => {
    const brake = tool("brake", async () => {
      await stage.store.agents.freeze("ada", "amendments");
      return "Pulled.";
    });
    const agent = stage.agent(scripted([calls(["brake"], ["brake"]), "Done."]), { tools: [brake] });
    expect(await agent.runTurn({ input: "Go.", user: "mia" })).toMatchObject({ state: "answered", reply: "Done." });
  });
});
