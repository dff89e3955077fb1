import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import type { ToolOffer } from "../../src/delivery/model.ts";
import { type Step, scriptedAgent } from "./agent-script.ts";
import { isAlive } from "./is-alive.ts";
import { acpStage, talkTo } from "./talk.ts";

const look: ToolOffer = { name: "look", description: "Looks.", input: { type: "object" } };
const steps: Step[] = [
  { child: true },
  { say: "One. " },
  { tool: { toolCallId: "t", title: "Read", kind: "read", status: "pending" } },
  { call: "look" },
  { permission: { toolCallId: "p", title: "Write", kind: "edit" } },
  { say: "Two." },
];

test("an agent killed 200 times, at every moment of a turn: the answer is whole or a fault, and nothing is sent twice", async () => {
  const { folder, agents } = acpStage();
  const initialize = { agentCapabilities: { loadSession: true } };
  const agent = scriptedAgent(folder, { initialize, turns: [steps] });
  const all = agents(
    { one: agent.entry },
    { sleep: async (ms, signal) => void (await wait(Math.min(ms, 50), undefined, { signal, ref: false })) },
  );
  const talk = talkTo(all.model("one"));
  talk.tools = [look];
  const ask = async (input: string) =>
    await talk.say(input, {
      onCall: async ({ id, name }) => ({ call: id, name, output: "seen" }),
      onPermission: async () => "allow",
    });
  const began = Date.now();
  expect((await ask("first")).answer?.text).toBe("One. Two.");
  const whole = Date.now() - began;
  const came = { whole: 0, before: 0, after: 0 };
  for (let index = 0; index < 200; index++) {
    const input = `input-${index}.`;
    const asking = ask(input);
    const killing = wait((whole * index) / 200).then(() => {
      const pid = agent.log().at(-1)?.pid;
      if (pid !== undefined && isAlive(pid)) process.kill(pid, "SIGKILL");
    });
    const [{ answer, fault }] = await Promise.all([asking, killing]);
    const sent = agent.prompts().filter((blocks) => blocks.some((text) => text.trim() === input)).length;
    if (answer) {
      came.whole++;
      expect([answer.text, answer.calls.length, sent]).toEqual(["One. Two.", 1, 1]);
    } else if (fault.retry) {
      came.before++;
      expect([fault.code, sent]).toEqual(["model-unreachable", 0]);
    } else {
      came.after++;
      expect(fault.code).toBe("model-cut");
      expect(sent).toBeLessThanOrEqual(1);
    }
  }
  expect(came.whole + came.before + came.after).toBe(200);
  expect(came.before).toBeGreaterThan(0);
  expect(came.after).toBeGreaterThan(0);
  await all.close();
  expect(agent.pids().filter(isAlive)).toEqual([]);
}, 1_200_000);
