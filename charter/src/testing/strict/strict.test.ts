import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText } from "ai";
import { afterEach, expect, test } from "vitest";
import { loadModel, type Message, type ModelRequest } from "../../delivery/index.ts";
import { callsTools } from "../scripted-model.ts";
import { type StrictOptions, type StrictServer, startsOf, strict } from "./strict.ts";

let server: StrictServer;
afterEach(() => server.close());

const names = {
  anthropic: "anthropic/claude-sonnet-5-5",
  openai: "openai/gpt-5.6-terra",
  "openai-chat": "openai-chat/gpt-5.6-terra",
  "openai-compatible": "openai-compatible/qwen3",
  google: "google/gemini-3.8-flash",
} as const;

const add = { name: "add", description: "Adds.", input: { type: "object", properties: { a: { type: "number" } } } };
const opening: ModelRequest = {
  tools: [add],
  system: [{ text: "Be kind." }],
  messages: [{ role: "user", text: "1 + 2?" }],
};

/** Asks once, and returns the request that goes on from the answer. */
async function asked(name: string, request: ModelRequest, ...more: readonly Message[]) {
  const model = await loadModel(name, { env: server.env });
  const { answer, fault } = await model.ask(request, { signal: new AbortController().signal });
  const said: Message[] = answer ? [{ role: "assistant", ...answer }] : [];
  const results = answer?.calls.map(({ id, name: tool }) => ({ call: id, name: tool, output: "3" })) ?? [];
  const after: readonly Message[] = results.length > 0 ? [{ role: "tool", results }, ...more] : more;
  return { answer, fault, onward: { ...request, messages: [...request.messages, ...said, ...after] } };
}

const script = [callsTools(["add", { a: 1 }, "c1"]), "Three.", "Bye."];

for (const [kind, name] of Object.entries(names))
  test(`a conversation that goes on as it should has no findings: ${kind}`, async () => {
    server = await strict({ script });
    const step = await asked(name, opening);
    const answer = await asked(name, step.onward, { role: "user", text: "Thanks." });
    const last = await asked(name, answer.onward);
    expect([step, answer, last].map((one) => one.answer?.text)).toEqual(["", "Three.", "Bye."]);
    expect(server.findings).toEqual([]);
    expect(server.requests.map((one) => [one.kind, one.dropped])).toEqual(Array(3).fill([kind, []]));
  });

test("each answer is signed for what stood before it: another system text is refused, and said to be", async () => {
  server = await strict({ script });
  const { onward } = await asked(names.anthropic, opening);
  const { fault } = await asked(names.anthropic, { ...onward, system: [{ text: "Be rude." }] });
  expect([fault?.code, server.findings.map(({ request, check, at }) => [request, check, at])]).toEqual([
    "model-rejected",
    [[1, "prefix", "messages.1.content.0"]],
  ]);
  expect(startsOf(server.requests)).toEqual([
    { request: 0, at: "tools" },
    { request: 1, at: "system" },
  ]);
});

test("where thinking is dropped in silence, the answer comes, and the finding stays", async () => {
  server = await strict({ script, mismatch: "drop" });
  const { onward } = await asked(names.anthropic, opening);
  const { answer } = await asked(names.anthropic, { ...onward, system: [{ text: "Be rude." }] });
  expect([answer?.text, server.findings]).toEqual([
    "Three.",
    [
      {
        ...{ request: 1, check: "prefix", at: "messages.1.content.0" },
        message: "A thinking block does not fit: thinking_dropped.",
      },
    ],
  ]);
});

test("what is dropped is told to whoever asks for it", async () => {
  server = await strict({ script: ["Three."], repeatLast: true });
  const betas = "thinking-binding-controls-2026-08-01";
  const model = createAnthropic({ baseURL: `${server.url}/v1`, apiKey: "key", headers: { "anthropic-beta": betas } });
  const first = await generateText({ model: model("claude-sonnet-5-5"), instructions: "Be kind.", prompt: "1 + 2?" });
  const body = server.requests[0]?.body as object;
  const answered = { role: "assistant", content: server.requests[0]?.answer };
  const posted = await fetch(`${server.url}/v1/messages`, {
    method: "POST",
    headers: { "anthropic-beta": betas },
    body: JSON.stringify({
      ...{ ...body, system: "Be rude." },
      messages: [{ role: "user", content: "1 + 2?" }, answered, { role: "user", content: "Sure?" }],
      thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } },
    }),
  });
  expect([first.text, ((await posted.json()) as { input_transformations: object }).input_transformations]).toEqual([
    "Three.",
    [{ type: "thinking_dropped", path: "messages.1.content.0", reason: "prefix_binding_mismatch" }],
  ]);
});

test("text right after tool results ends Claude's turn with nothing said", async () => {
  const content = [
    { type: "tool_result", tool_use_id: "c1", content: "3" },
    { type: "text", text: "It is noon." },
  ];
  const messages = [
    { role: "user", content: "1 + 2?" },
    { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "add", input: {} }] },
    { role: "user", content },
  ];
  const said = async () => {
    const body = JSON.stringify({ model: "claude-sonnet-5-5", messages });
    const answer = await (await fetch(`${server.url}/v1/messages`, { method: "POST", body })).json();
    const { content, stop_reason } = answer as { content: readonly { type: string }[]; stop_reason: string };
    return [content.map(({ type }) => type), stop_reason, server.findings];
  };
  const found = {
    ...{ request: 0, check: "text-after-results", at: "messages.2.content.1" },
    message: "Text follows tool results: “It is noon.”.",
  };
  server = await strict({ script });
  expect(await said()).toEqual([[], "end_turn", [found]]);
  await server.close();
  server = await strict({ script: ["Three."], textAfterResults: "answer" });
  expect(await said()).toEqual([["thinking", "text"], "end_turn", [found]]);
});

for (const [kind, name] of Object.entries(names))
  test(`a stranger in the system's text is a finding, and is answered: ${kind}`, async () => {
    server = await strict({ script: ["Hi."], strangers: ["canary-1"] });
    const { answer } = await asked(name, { ...opening, system: [{ text: "> canary-1" }] });
    expect([answer?.text, server.findings.map(({ check, message }) => [check, message])]).toEqual([
      "Hi.",
      [["stranger", "A stranger speaks for the system: “> canary-1”."]],
    ]);
  });

const ends = [
  ["cut", ["length", "length", "length", "length"]],
  ["refused", ["content-filter", "content-filter", "content-filter", "content-filter"]],
  ["paused", ["pause", "length", "length", "length"]],
] as const;
for (const [end, finishes] of ends)
  test(`an answer that is ${end} says so`, async () => {
    server = await strict({ script: [{ text: "Let me", end }], repeatLast: true });
    const found = [];
    for (const name of [names.anthropic, names.openai, names["openai-chat"], names.google])
      found.push((await asked(name, opening)).answer?.finish);
    expect(found).toEqual(finishes);
  });

test("it fails with a status, hangs, and says when its script is over", async () => {
  const stop = new AbortController();
  server = await strict({
    script: [{ status: 529 }, { text: "Let me", end: "open" }, (request) => `Number ${request.index}.`],
  });
  const model = await loadModel(names.anthropic, { env: server.env });
  const busy = await model.ask(opening, { signal: stop.signal });
  const hung = await model.ask(opening, { signal: stop.signal, onText: () => stop.abort() });
  expect([busy.fault?.code, hung.fault?.code]).toEqual(["model-busy", "model-aborted"]);
  expect((await asked(names.anthropic, opening)).answer?.text).toBe("Number 2.");
  expect((await asked(names.anthropic, opening)).fault?.code).toBe("model-rejected");
  const message = "The script has 3 lines, and this is request 4.";
  expect(server.findings).toEqual([{ request: 3, check: "script", at: "", message }]);
  server.say("Again.", () => {
    throw new Error("It broke.");
  });
  expect((await asked(names.anthropic, opening)).answer?.text).toBe("Again.");
  expect((await asked(names.anthropic, opening)).fault?.code).toBe("model-rejected");
  const broke = "Line 2 of the script failed: Error: It broke.";
  expect(server.findings[1]).toEqual({ request: 5, check: "script", at: "", message: broke });
});

test("an option that is none is said to be", async () => {
  server = await strict();
  const given = { scripts: [] } as unknown as StrictOptions;
  await expect(strict(given)).rejects.toMatchObject({ code: "bad-argument" });
  await expect(strict({ script: "Hi." as unknown as readonly string[] })).rejects.toMatchObject({
    code: "bad-script",
    message: "The script of a strict server is a list of lines, and it was given a text.",
  });
});
