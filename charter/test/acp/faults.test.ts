import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../eventually.ts";
import { type AgentScript, type Step, scriptedAgent } from "./agent-script.ts";
import { acpStage, talkTo, talkWith } from "./talk.ts";

const unsent: readonly (readonly [name: string, script: AgentScript, message: RegExp, limits: object])[] = [
  [
    "it ends before it is ready",
    { before: { initialize: [{ stderr: "no key" }, { die: 3 }] } },
    /^“acp\/one” ended with exit code 3\. It printed: no key$/,
    {},
  ],
  [
    "it never gets ready",
    { before: { initialize: [{ hang: true }] } },
    /^“acp\/one” did not answer within 0\.5 seconds\.$/,
    { initializeMs: 500 },
  ],
  [
    "it is killed while it opens a session",
    { before: { "session/new": [{ die: "SIGKILL" }] } },
    /^“acp\/one” was ended by SIGKILL\.$/,
    {},
  ],
  [
    "it opens no session",
    { before: { "session/new": [{ hang: true }] } },
    /^“acp\/one” opened no session within 0\.5 seconds\.$/,
    { sessionMs: 500 },
  ],
  [
    "it prints garbage",
    { before: { initialize: [{ garbage: "Welcome!" }] } },
    /^“acp\/one” sent a line that is no message: "Welcome!"\.$/,
    {},
  ],
];

test.each(unsent)("before a prompt was sent it may be tried again: %s", async (_name, script, message, limits) => {
  const { folder, agents } = acpStage();
  const agent = scriptedAgent(folder, script);
  const { fault } = await talkTo(agents({ one: agent.entry }, { limits }).model("one")).say("Hello");
  expect(fault).toEqual({ code: "model-unreachable", message: expect.stringMatching(message), retry: true });
});

const sent: readonly (readonly [name: string, steps: readonly Step[], code: string, message: RegExp])[] = [
  [
    "it ends",
    [{ say: "Half" }, { die: 1 }],
    "model-cut",
    /^“acp\/one” ended with exit code 1 before it had answered\.$/,
  ],
  [
    "it prints garbage",
    [{ garbage: "[1, 2]" }],
    "model-failed",
    /^“acp\/one” sent a line that is no message: "\[1, 2\]", and was ended\.$/,
  ],
  [
    "it sends a line without end",
    [{ flood: 33 * 1024 * 1024 }],
    "model-failed",
    /^“acp\/one” sent a line of more than 32 MiB, and was ended\.$/,
  ],
  [
    "it writes without end",
    Array.from({ length: 10 }, () => ({ say: "x".repeat(1024 * 1024) })),
    "model-failed",
    /^“acp\/one” wrote without end, and was ended\.$/,
  ],
  [
    "it fails",
    [{ error: { code: -32603, message: "Internal error", data: { details: "no quota" } } }],
    "model-failed",
    /^“acp\/one” failed: Internal error: no quota$/,
  ],
  ["it refuses", [{ stop: "refusal" }], "model-rejected", /^“acp\/one” refused to answer\.$/],
  ["it calls the turn off", [{ stop: "cancelled" }], "model-cut", /^“acp\/one” called its answer off\.$/],
];

test.each(sent)("a prompt that was sent is never sent again: %s", async (_name, steps, code, message) => {
  const { folder, agents } = acpStage();
  const agent = scriptedAgent(folder, { turns: [steps, [{ say: "Well" }]] });
  const talk = talkWith(agents, agent);
  const { fault } = await talk.say("Hello");
  expect(fault).toEqual({ code, message: expect.stringMatching(message), retry: false });
  expect((await talk.prepare()).prepared).toEqual({ slot: "first-message", fresh: true });
  expect(await talk.reply("Again")).toBe("Well");
  expect(agent.prompts().map(([opening]) => opening)).toEqual([
    "[System]\nYou are Ada.\n\n",
    "[System]\nYou are Ada.\n\n",
  ]);
});

test("an answer that reached a limit stands, and the next turn has a new session", async () => {
  const { folder, agents } = acpStage();
  const turns: Step[][] = [
    [{ say: "Long" }, { stop: "max_tokens" }],
    [{ say: "Many" }, { stop: "max_turn_requests" }],
    [],
  ];
  const agent = scriptedAgent(folder, { turns });
  const talk = talkWith(agents, agent);
  const answers = [await talk.say("1"), await talk.say("2"), await talk.say("3")];
  expect(answers.map(({ answer }) => [answer?.text, answer?.finish])).toEqual([
    ["Long", "length"],
    ["Many", "other"],
    ["", "stop"],
  ]);
  expect(agent.received("session/new")).toHaveLength(3);
});

test("who speaks to an agent that is being ended waits until it is, and has the next", async () => {
  const { folder, agents } = acpStage();
  const deaf = scriptedAgent(folder, {
    turns: [[{ say: "Thinking" }, { hang: true }], [{ say: "Here." }]],
    deaf: true,
  });
  const talk = talkTo(agents({ deaf: deaf.entry }, { limits: { graceMs: 300 } }).model("deaf"));
  const stop = new AbortController();
  const stopped = talk.say("Hello", { signal: stop.signal, onText: () => stop.abort() });
  await eventually(() => stop.signal.aborted);
  expect(await talk.prepare()).toEqual({ prepared: { slot: "first-message", fresh: true } });
  expect(await talk.reply("Hello?")).toBe("Here.");
  expect((await stopped).fault?.code).toBe("model-aborted");
});

test("an answer is not lost where nothing can be kept for a later start", async () => {
  const { folder, agents } = acpStage();
  const initialize = { agentCapabilities: { loadSession: true } };
  const agent = scriptedAgent(folder, { initialize, turns: [[{ say: "Here." }]] });
  const talk = talkWith(agents, agent);
  const onText = () => {
    const [program] = readdirSync(join(folder, "home"));
    writeFileSync(join(folder, "home", program as string, "seen"), "a file in the way");
  };
  expect(await talk.reply("Hello", { onText })).toBe("Here.");
});

test("a dead agent is started again, and each time after a longer wait", async () => {
  const { folder, agents } = acpStage();
  const agent = scriptedAgent(folder, {
    turns: [[{ die: 1 }], [{ die: 1 }], [{ die: 1 }], [{ die: 1 }], [{ say: "Up" }]],
  });
  const waits: number[] = [];
  const sleep = async (milliseconds: number) => {
    if (milliseconds < 600_000) waits.push(milliseconds);
    else await new Promise(() => {});
  };
  const now = new Date();
  const talk = talkTo(agents({ one: agent.entry }, { sleep, random: () => 1, clock: () => now }).model("one"));
  const replies: string[] = [];
  for (const input of ["1", "2", "3", "4", "5"]) replies.push(await talk.reply(input));
  expect(replies).toEqual(["model-cut", "model-cut", "model-cut", "model-cut", "Up"]);
  expect(waits).toEqual([1000, 2000, 4000]);
});

test("what is larger than the limit is never sent, and both sizes are named", async () => {
  const { folder, agents } = acpStage();
  const agent = scriptedAgent(folder, {}, { sizeLimit: 1000 });
  const talk = talkWith(agents, agent);
  const large = await talk.say("x".repeat(1001));
  talk.identity = "y".repeat(2000);
  const larger = await talk.say("Hello");
  expect([large.fault, larger.fault]).toEqual([
    {
      code: "model-rejected",
      message: "The message for “acp/one” has 1,001 bytes, and its sizeLimit is 1,000.",
      retry: false,
    },
    {
      code: "model-rejected",
      message: "The system prompt for “acp/one” has 2,000 bytes, and its sizeLimit is 1,000.",
      retry: false,
    },
  ]);
  expect(agent.prompts()).toEqual([]);
});

test("no secret of its environment is in a message", async () => {
  const { folder, agents } = acpStage();
  const env = { API_KEY: "very-secret-key" };
  const agent = scriptedAgent(
    folder,
    { before: { initialize: [{ stderr: "bad very-secret-key" }, { die: 1 }] } },
    { env },
  );
  const { fault } = await talkWith(agents, agent).say("Hello");
  expect(fault?.message).toBe("“acp/one” ended with exit code 1. It printed: bad (the key)");
});

test("a directory that does not exist is said to, not the program", async () => {
  const { folder, agents } = acpStage();
  const agent = scriptedAgent(folder, {}, { cwd: join(folder, "nothing") });
  const { fault } = await talkWith(agents, agent, { operator: true }).say("Hello");
  expect(fault).toEqual({
    code: "model-unreachable",
    message: `“acp/one” has no directory to work in: there is none at “${join(folder, "nothing")}”, its \`cwd\`.`,
    retry: false,
  });
});

test("an agent that does not exist is said to", async () => {
  const { folder, agents } = acpStage();
  const entry = { command: [join(folder, "nothing")] };
  const { fault } = await talkTo(agents({ one: entry }).model("one")).say("Hello");
  expect(fault).toEqual({
    code: "model-unreachable",
    message: `“acp/one” could not be started: there is no program “${join(folder, "nothing")}”.`,
    retry: false,
  });
});
