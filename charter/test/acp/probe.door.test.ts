import { readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type CanaryPlace, probeAgent, probeSlot, reachedModel, reportLines } from "../../src/cli/acp/probe.ts";
import type { IdentitySlot } from "../../src/delivery/model.ts";
import { charter } from "../cli.ts";
import type { ModelAgentOptions } from "./model-agent.ts";

const agentFile = join(import.meta.dirname, "model-agent.ts");
let words = 0;

const optionsFor = (agent: ModelAgentOptions) => ({
  command: [process.execPath, agentFile, JSON.stringify(agent)],
  env: {},
  all: false,
  signIn: undefined,
  limitMs: 120_000,
  newWord: () => `canary${words++}x`,
  onProgress: () => {},
});

test("the report says what is advertised, what Charter uses, and where each word arrived", async () => {
  const agent: ModelAgentOptions = {
    capabilities: { sessionCapabilities: { systemPrompt: {} }, _meta: { "buzz.systemPrompt": true } },
    takes: ["systemPrompt"],
    api: "anthropic",
  };
  const report = { ...(await probeAgent({ ...optionsFor(agent), all: true })), command: ["model-agent"] };
  expect(report).toEqual({
    command: ["model-agent"],
    name: "model-agent",
    version: "7",
    protocols: [
      { asked: 2, answered: 1, slots: ["system-prompt", "meta-buzz", "first-message"] },
      { asked: 1, answered: 1, slots: ["system-prompt", "meta-buzz", "first-message"] },
    ],
    signIns: [],
    chosen: { protocol: 1, slot: "system-prompt" },
    trials: [
      { slot: "system-prompt", advertised: true, got: "turn", reached: "system", api: "anthropic" },
      { slot: "meta-append", advertised: false, got: "turn", reached: "nowhere", api: "anthropic" },
      { slot: "meta-buzz", advertised: true, got: "turn", reached: "nowhere", api: "anthropic" },
      { slot: "first-message", advertised: true, got: "turn", reached: "user", api: "anthropic" },
    ],
  });
  expect(reachedModel(report)).toBe(true);
  expect(reportLines(report, {}).join("\n")).toBe(`command       model-agent
agent         model-agent 7
version 2     answers with version 1, advertises system-prompt, meta-buzz
version 1     yes, advertises system-prompt, meta-buzz
sign-in       none offered
Charter uses  system-prompt, version 1

slot           advertised  came to  the word reached
system-prompt  yes         turn     system role       anthropic
meta-append    no          turn     nowhere           anthropic
meta-buzz      yes         turn     nowhere           anthropic
first-message  yes         turn     user message      anthropic`);
});

const stories: readonly (readonly [string, IdentitySlot, ModelAgentOptions, CanaryPlace])[] = [
  ["puts it into a tool", "system-prompt", { takes: ["systemPrompt"], puts: "tool", api: "anthropic" }, "elsewhere"],
  ["puts it into the message", "system-prompt", { takes: ["systemPrompt"], puts: "user", api: "gemini" }, "user"],
  ["drops it", "system-prompt", { api: "openai-chat" }, "nowhere"],
  ["speaks version 2", "system-prompt", { version: 2, takes: ["systemPrompt"], api: "openai-responses" }, "system"],
  ["takes it in _meta", "meta-append", { takes: ["append"], api: "openai-chat" }, "system"],
  ["takes it in another _meta", "meta-buzz", { takes: ["buzz"], api: "gemini" }, "system"],
];

test.each(stories)("an agent that %s", async (_story, slot, agent, reached) => {
  const trial = await probeSlot(slot, true, optionsFor(agent));
  expect(trial).toEqual({ slot, advertised: true, got: "turn", reached, api: agent.api });
});

test.each([1, 2] as const)("an agent that wants a sign-in first is given a dummy key (version %d)", async (version) => {
  const options = optionsFor({ version, signIn: "api-key", api: "anthropic" });
  expect((await probeSlot("first-message", true, options)).reached).toBe("user");
});

test("without a way that takes a key, the report says what is missing; a way can be named", async () => {
  const options = optionsFor({ signIn: "by-letter", api: "anthropic" });
  expect(await probeSlot("first-message", true, options)).toEqual({
    slot: "first-message",
    advertised: true,
    got: "nothing",
    reached: "unknown",
    reason: "Authentication required",
  });
  expect((await probeSlot("first-message", true, { ...options, signIn: "by-letter" })).reached).toBe("user");
});

test("the agent finds an empty directory and nothing of ours in its environment; that it asks no model is said", async () => {
  process.env.CHARTER_OURS = "secret";
  const file = join(await mkdtemp(join(tmpdir(), "probe-")), "told.json");
  const trial = await probeSlot("first-message", true, optionsFor({ tells: file }));
  delete process.env.CHARTER_OURS;
  expect(trial).toMatchObject({ got: "turn", reached: "unknown", reason: "It asked the loopback model nothing." });
  const { env, files } = JSON.parse(readFileSync(file, "utf8")) as { env: Record<string, string>; files: string[] };
  expect(files).toEqual([]);
  expect(env.HOME).not.toBe(process.env.HOME);
  const others = /^(ANTHROPIC|CLAUDE|CODEX|DISABLE|GEMINI|GOOGLE|NO_|OPENAI)/;
  expect(
    Object.keys(env)
      .filter((name) => !others.test(name))
      .sort(),
  ).toEqual(["HOME", "PATH"]);
});

test("what does not start is said, with the line of its own that says why", async () => {
  const noAgent = "console.error('Error: no key\\n\\nGood bye'); process.exit(3)";
  const report = await probeAgent({ ...optionsFor({}), command: [process.execPath, "-e", noAgent] });
  expect(reportLines({ ...report, command: ["no-agent"] }, {})).toEqual([
    "command       no-agent",
    "agent         gives no name",
    "version 2     no: It ended with exit code 3. Its error output: Error: no key",
    "version 1     no: It ended with exit code 3. Its error output: Error: no key",
    "sign-in       none offered",
    "Charter uses  nothing: it did not start",
  ]);
  expect(reachedModel(report)).toBe(false);
});

test("the command prints one JSON document, and its exit code says whether the word came", () => {
  const agent = (options: ModelAgentOptions) => ["--", process.execPath, agentFile, JSON.stringify(options)];
  const reached = charter(["acp", "probe", "--json", ...agent({ api: "gemini" })]);
  const dropped = charter(["acp", "probe", "--time-limit", "100", ...agent({})]);
  expect([reached.code, reached.stderr]).toEqual([0, ""]);
  expect(reached.json()).toMatchObject({ trials: [{ slot: "first-message", reached: "user", api: "gemini" }] });
  expect(dropped.code).toBe(1);
  expect(dropped.stdout).toContain("It asked the loopback model nothing.");
});
