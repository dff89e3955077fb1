import { expect, test } from "vitest";
import type { AskOptions } from "../../src/delivery/model.ts";
import { type ScriptedAgent, type Step, scriptedAgent } from "./agent-script.ts";
import { isAlive } from "./is-alive.ts";
import { acpStage, talkTo, talkWith } from "./talk.ts";

const left = (agent: ScriptedAgent) => agent.pids().filter(isAlive);

test("one that ends before it is ready, or never gets ready, is named with what it printed; nothing is left of it", async () => {
  const { folder, agents } = acpStage("as processes");
  const dead = scriptedAgent(folder, { before: { initialize: [{ stderr: "no key" }, { die: 3 }] } });
  const silent = scriptedAgent(folder, { before: { initialize: [{ hang: true }] } });
  const talks = [
    talkTo(agents({ dead: dead.entry }).model("dead")),
    talkTo(agents({ silent: silent.entry }, { limits: { initializeMs: 500 } }).model("silent")),
  ];
  const said = await Promise.all(talks.map((talk) => talk.say("Hello")));
  expect(said.map(({ fault }) => fault?.message)).toEqual([
    "“acp/dead” ended with exit code 3. It printed: no key",
    "“acp/silent” did not answer within 0.5 seconds.",
  ]);
  expect([...left(dead), ...left(silent)]).toEqual([]);
});

test("one that is killed while it answers is named so, and the next is started", async () => {
  const { folder, agents } = acpStage("as processes");
  const agent = scriptedAgent(folder, { turns: [[{ say: "Half" }, { die: "SIGKILL" }], [{ say: "Well" }]] });
  const talk = talkWith(agents, agent);
  expect((await talk.say("Hello")).fault).toEqual({
    code: "model-cut",
    message: "“acp/one” was ended by SIGKILL before it had answered.",
    retry: false,
  });
  expect(await talk.reply("Again")).toBe("Well");
});

test("a turn that is stopped is called off; an agent that does not listen is ended with its children", async () => {
  const { folder, agents } = acpStage("as processes");
  const steps: Step[] = [{ child: true }, { say: "Thinking" }, { hang: true }];
  const polite = scriptedAgent(folder, { turns: [steps] });
  const deaf = scriptedAgent(folder, { turns: [steps], deaf: true });
  const all = agents({ polite: polite.entry, deaf: deaf.entry }, { limits: { graceMs: 500 } });
  for (const [name, agent] of [
    ["polite", polite],
    ["deaf", deaf],
  ] as const) {
    const stop = new AbortController();
    const asking: Partial<AskOptions> = { signal: stop.signal, onText: () => stop.abort() };
    const { fault } = await talkTo(all.model(name), { id: name }).say("Hello", asking);
    expect(fault).toEqual({
      code: "model-aborted",
      message: `The request to “acp/${name}” was called off.`,
      retry: false,
    });
    expect(agent.received("session/cancel")).toEqual([{ sessionId: "session-1" }]);
  }
  expect(left(polite)).toHaveLength(2);
  expect(left(deaf)).toEqual([]);
  await all.close();
  expect(left(polite)).toEqual([]);
});

test("what a child of a dead agent does ends with it", async () => {
  const { folder, agents } = acpStage("as processes");
  const agent = scriptedAgent(folder, { turns: [[{ child: true }, { die: 0 }]] });
  const talk = talkWith(agents, agent);
  expect(await talk.reply("Hello")).toBe("model-cut");
  expect(agent.pids()).toHaveLength(2);
  expect(left(agent)).toEqual([]);
});
