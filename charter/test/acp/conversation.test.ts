import { expect, test } from "vitest";
import { type AgentScript, scriptedAgent } from "./agent-script.ts";
import { acpStage, talkTo } from "./talk.ts";

const echo: AgentScript = { turns: [[{ say: "You said: " }, { say: "{input}" }]] };

test("an agent is sent the identity once, and then only what is new", async () => {
  const { folder, agents } = acpStage();
  const agent = scriptedAgent(folder, echo);
  const talk = talkTo(agents({ one: agent.entry }).model("one"));
  expect(await talk.prepare()).toEqual({ prepared: { slot: "first-message", fresh: true } });
  talk.state = "[system 12345678] It is noon.";
  const first = await talk.say("Hello");
  expect(first).toEqual({
    answer: {
      text: "You said: [System]\nYou are Ada.\n\nHello\n\n[system 12345678] It is noon.",
      calls: [],
      results: [],
      finish: "stop",
      usage: { input: null, read: null, written: null, output: null },
      native: {
        acp: {
          name: "acp/one",
          session: "session-1",
          slot: "first-message",
          identity: expect.stringMatching(/^[0-9a-f]{64}$/),
          seen: { messages: 2, digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
        },
      },
    },
  });
  expect(await talk.prepare()).toEqual({ prepared: { slot: "first-message", fresh: false } });
  talk.state = "[system 12345678] It is one.";
  await talk.say("And now?");
  expect(agent.prompts()).toEqual([
    ["[System]\nYou are Ada.\n\n", "Hello\n\n", "[system 12345678] It is noon."],
    ["And now?\n\n", "[system 12345678] It is one."],
  ]);
  expect(agent.received("session/new")).toEqual([{ cwd: expect.stringContaining("/home/one-"), mcpServers: [] }]);
});
