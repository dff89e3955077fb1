import { expect, test } from "vitest";
import type { OwnToolUse, PermissionRequest, ToolCall, ToolOffer } from "../../src/delivery/model.ts";
import { type Step, scriptedAgent } from "./agent-script.ts";
import { acpStage, talkTo, talkWith } from "./talk.ts";

const remember: ToolOffer = {
  name: "remember",
  description: "Keeps something.",
  input: { type: "object", properties: { what: { type: "string" } } },
};
const onCall = async ({ id, name }: ToolCall) => ({ call: id, name, output: "Kept." });

test("switched off, our tools are not given, and the receiver says so", async () => {
  const { folder, agents } = acpStage();
  const agent = scriptedAgent(folder, {}, { tools: false });
  const model = agents({ one: agent.entry }).model("one");
  const talk = talkTo(model);
  talk.tools = [remember];
  await talk.say("Hello", { onCall });
  expect(agent.received("session/new")[0]?.mcpServers).toEqual([]);
  expect(model.receiver).toEqual({
    name: "acp/one",
    slots: "layered",
    voice: "user",
    cache: { kind: "none" },
    window: null,
    price: null,
    keepsHistory: true,
    takesTools: false,
    attachments: [],
    maxBytes: 524_288,
    tokenizer: { name: "o200k_base", exact: false },
  });
});

test("an agent that starts no servers is told apart before anything is sent", async () => {
  const { folder, agents } = acpStage();
  const agent = scriptedAgent(folder, { version: 2, initialize: { capabilities: { session: {} } } });
  const talk = talkWith(agents, agent);
  talk.tools = [remember];
  const { fault } = await talk.say("Hello", { onCall });
  expect(fault).toEqual({
    code: "model-rejected",
    message: "“acp/one” starts no MCP servers, so it cannot be given our tools. Set `tools: false`.",
    retry: false,
  });
});

test.each([1, 2] as const)("its own tools are told of, and asked for by kind, over version %s", async (version) => {
  const { folder, agents } = acpStage();
  const edit = {
    toolCallId: "t1",
    title: "Edit a.txt",
    kind: "edit",
    locations: [{ path: "/a.txt" }],
    rawInput: { text: "x" },
  };
  const always = [{ optionId: "all", name: "Always", kind: "allow_always" }];
  const steps: Step[] = [
    { tool: { ...edit, status: "pending" } },
    { permission: { toolCallId: "t1" }, allowed: [{ tool: { toolCallId: "t1", status: "completed" } }] },
    { permission: { toolCallId: "t2", title: "rm -rf", kind: "execute" }, denied: [{ say: "Denied." }] },
    { permission: { toolCallId: "t3", title: "All or nothing", kind: "fetch" }, options: always },
  ];
  const permissions = { edit: "allow", default: "hold" } as const;
  const agent = scriptedAgent(folder, { version, turns: [steps] }, { permissions });
  const talk = talkWith(agents, agent);
  const own: OwnToolUse[] = [];
  const asked: PermissionRequest[] = [];
  await talk.say("Go", {
    onOwnTool: (use) => own.push(use),
    onPermission: async (one) => {
      asked.push(one);
      return one.policy === "allow" || one.kind === "fetch" ? "allow" : "deny";
    },
  });
  const use = { id: "t1", title: "Edit a.txt", kind: "edit", paths: ["/a.txt"], foreign: true };
  expect(own).toEqual([
    { ...use, status: "pending" },
    { ...use, status: "done" },
  ]);
  expect(asked).toEqual([
    { id: "t1", title: "Edit a.txt", kind: "edit", paths: ["/a.txt"], input: { text: "x" }, policy: "allow" },
    { id: "t2", title: "rm -rf", kind: "execute", paths: [], input: undefined, policy: "hold" },
    { id: "t3", title: "All or nothing", kind: "fetch", paths: [], input: undefined, policy: "hold" },
  ]);
  const outcomes = agent.log().flatMap((line) => ("answered" in line ? [line.answered.result] : []));
  expect(outcomes).toEqual([
    { outcome: { outcome: "selected", optionId: "yes" } },
    { outcome: { outcome: "selected", optionId: "no" } },
    { outcome: { outcome: "cancelled" } },
  ]);
});

test("files and terminals are not offered; asking for them fails, and so does an update that asks for an answer", async () => {
  const { folder, agents } = acpStage();
  const steps: Step[] = [
    { request: "fs/read_text_file", params: { sessionId: "session-1", path: "/etc/passwd" } },
    { request: "terminal/create", params: { sessionId: "session-1", command: "ls" } },
    { request: "session/request_permission", params: { nonsense: true } },
    { request: "session/update", params: { sessionId: "session-1", update: {} } },
    { say: "Well" },
  ];
  const agent = scriptedAgent(folder, { turns: [steps] });
  expect(await talkWith(agents, agent).reply("Hello")).toBe("Well");
  expect(agent.received("initialize")).toEqual([
    expect.objectContaining({ protocolVersion: 2, clientCapabilities: {}, capabilities: {} }),
  ]);
  const codes = agent
    .log()
    .flatMap((line) => ("answered" in line ? [(line.answered.error as { code: number }).code] : []));
  expect(codes).toEqual([-32601, -32601, -32602, -32601]);
});

test.each([1, 2] as const)("usage and cost are kept as they are reported, over version %s", async (version) => {
  const { folder, agents } = acpStage();
  const usage = { totalTokens: 130, inputTokens: 10, outputTokens: 20, cachedReadTokens: 100 };
  const turns: Step[][] = [
    [{ cost: 0.25 }, { usage }],
    [{ cost: 0.75 }, { usage: { totalTokens: 30, inputTokens: 20, outputTokens: 10 } }],
    [{ cost: 2, currency: "EUR" }],
  ];
  const agent = scriptedAgent(folder, { version, turns });
  const talk = talkWith(agents, agent);
  const answers = [await talk.say("1"), await talk.say("2"), await talk.say("3")];
  expect(answers.map(({ answer }) => [answer?.cost, answer?.usage])).toEqual([
    [0.25, { input: 110, read: 100, written: null, output: 20 }],
    [0.5, { input: 20, read: null, written: null, output: 10 }],
    [undefined, { input: null, read: null, written: null, output: null }],
  ]);
});

test("a tool that was allowed counts as used, also where the agent says nothing more of it", async () => {
  const { folder, agents } = acpStage();
  const permission = (toolCallId: string, title: string) => ({
    permission: { toolCallId, title, kind: "fetch" },
    allowed: [{ say: "Read." }],
  });
  const agent = scriptedAgent(folder, { turns: [[permission("t1", "A page"), permission("t2", "Another")]] });
  const own: OwnToolUse[] = [];
  await talkWith(agents, agent).say("Go", {
    onOwnTool: (use) => own.push(use),
    onPermission: async ({ id }) => (id === "t1" ? "allow" : "deny"),
  });
  expect(own).toEqual([{ id: "t1", title: "A page", kind: "fetch", paths: [], status: "pending", foreign: true }]);
});
