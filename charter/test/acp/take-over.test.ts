import { expect, test } from "vitest";
import { scripted, spoken } from "../agent/model.ts";
import { newStage } from "../agent/stage.ts";
import { scriptedAgent } from "./agent-script.ts";
import { acpStage } from "./talk.ts";

test("a conversation moves to an agent over ACP and back, and each is told what the other said", async () => {
  const stage = await newStage();
  const { folder, agents } = acpStage();
  const agent = scriptedAgent(folder, { turns: [[{ say: "I am the agent." }], [{ say: "Again." }]] });
  const model = scripted(["I am the model.", "Welcome back."]);
  const user = "eva";
  const asModel = stage.agent(model);
  const asAgent = stage.agent(agents({ one: { ...agent.entry, tools: false } }).model("one") as never);
  const { session } = await asModel.runTurn({ input: "One.", user });
  const moved = await asAgent.runTurn({ input: "Two.", user });
  expect([moved.reply, moved.session]).toEqual(["I am the agent.", session]);
  expect((await stage.store.sessions.get(session)).receiver).toBe("acp/one");
  const told = agent.prompts()[0]?.join("\n") ?? "";
  for (const words of ["One.", "I am the model.", "Two."]) expect(told).toContain(words);
  await asModel.runTurn({ input: "Three.", user });
  expect(spoken(model.requests[1] as never).slice(0, -1)).toEqual([
    "user: One.",
    "assistant: I am the model.",
    "user: Two.",
    "assistant: I am the agent.",
    "user: Three.",
  ]);
  const back = await asAgent.runTurn({ input: "Four.", user });
  expect([back.state, back.session]).toEqual(["answered", session]);
  const again = agent.prompts()[1]?.join("\n") ?? "";
  for (const words of ["I am the model.", "Three.", "Welcome back.", "Four."]) expect(again).toContain(words);
  await stage.close();
});
