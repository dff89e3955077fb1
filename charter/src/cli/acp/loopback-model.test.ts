import { gzipSync, zstdCompressSync } from "node:zlib";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import Anthropic from "@anthropic-ai/sdk";
import { generateText, streamText } from "ai";
import OpenAI from "openai";
import { afterAll, expect, test } from "vitest";
import { openLoopbackModel } from "./loopback-model.ts";
import { findCanary } from "./probe.ts";

/** Read with the providers' own libraries: what they understand, agents do. */
const loopback = await openLoopbackModel();
afterAll(() => loopback.close());
const anthropic = new Anthropic({ apiKey: "x", baseURL: loopback.url });
const openai = new OpenAI({ apiKey: "x", baseURL: `${loopback.url}/v1` });
const gemini = createGoogleGenerativeAI({ apiKey: "x", baseURL: `${loopback.url}/v1beta` })("m");
const messages = [{ role: "user" as const, content: "Hello, canary." }];

test("Anthropic's library reads it, whole and as a stream", async () => {
  const asked = { model: "m", max_tokens: 9, messages };
  const { content, stop_reason } = await anthropic.messages.create(asked);
  expect([content, stop_reason]).toEqual([[{ type: "text", text: "Understood." }], "end_turn"]);
  expect(await anthropic.messages.stream(asked).finalText()).toBe("Understood.");
});

test("OpenAI's library reads both of its APIs, whole and as streams", async () => {
  const input = "Hello, canary.";
  expect((await openai.responses.create({ model: "m", input })).output_text).toBe("Understood.");
  expect((await openai.responses.stream({ model: "m", input }).finalResponse()).output_text).toBe("Understood.");
  const { choices } = await openai.chat.completions.create({ model: "m", messages });
  expect(choices[0]?.message.content).toBe("Understood.");
  expect(await openai.chat.completions.stream({ model: "m", messages }).finalContent()).toBe("Understood.");
});

test("the AI SDK reads Gemini's, whole and as a stream", async () => {
  expect((await generateText({ model: gemini, messages })).text).toBe("Understood.");
  expect(await streamText({ model: gemini, messages }).text).toBe("Understood.");
});

test("where JSON is asked for, the least that fits the schema is said", async () => {
  const properties = {
    score: { type: "INTEGER" },
    kind: { type: "string", enum: ["a", "b"] },
    list: { type: "array" },
  };
  const responseJsonSchema = { type: "OBJECT", properties, required: ["score", "kind", "list"] };
  const body = { contents: [], generationConfig: { responseMimeType: "application/json", responseJsonSchema } };
  const response = await post("/v1beta/models/m:generateContent", JSON.stringify(body));
  const { candidates } = (await response.json()) as { candidates: { content: { parts: { text: string }[] } }[] };
  expect(JSON.parse(candidates[0]?.content.parts[0]?.text ?? "")).toEqual({ score: 1, kind: "a", list: [] });
});

test.each([
  ["gzip", gzipSync],
  ["zstd", zstdCompressSync],
] as const)("a request packed with %s is read", async (encoding, pack) => {
  await post("/v1/responses", pack(JSON.stringify({ input: `packed with ${encoding}` })), {
    "content-encoding": encoding,
  });
  expect(loopback.requests.at(-1)).toEqual({ api: "openai-responses", body: { input: `packed with ${encoding}` } });
});

test("what asks for no answer is no request; what is no JSON is one without a word", async () => {
  const before = loopback.requests.length;
  expect(await (await fetch(`${loopback.url}/v1/models`)).json()).toMatchObject({ data: [] });
  expect(await (await post("/v1/messages/count_tokens", "{}")).json()).toMatchObject({ input_tokens: 1 });
  expect((await post("/elsewhere", "{}")).status).toBe(404);
  expect(loopback.requests.length).toBe(before);
  await post("/v1/messages", "{");
  expect(loopback.requests.at(-1)).toEqual({ api: "anthropic", body: null });
});

test.each([
  [{ api: "anthropic", body: { system: [{ type: "text", text: "a canary" }] } }, "system"],
  [{ api: "anthropic", body: { messages: [{ role: "user", content: [{ type: "text", text: "canary" }] }] } }, "user"],
  [{ api: "anthropic", body: { messages: [{ role: "assistant", content: "canary" }] } }, "elsewhere"],
  [{ api: "openai-responses", body: { instructions: "canary", input: "x" } }, "system"],
  [{ api: "openai-responses", body: { input: [{ role: "developer", content: "canary" }] } }, "system"],
  [{ api: "openai-responses", body: { input: "canary" } }, "user"],
  [{ api: "openai-chat", body: { messages: [{ role: "system", content: "canary" }] } }, "system"],
  [{ api: "openai-chat", body: { tools: [{ description: "canary" }] } }, "elsewhere"],
  [{ api: "gemini", body: { system_instruction: { parts: [{ text: "canary" }] } } }, "system"],
  [{ api: "gemini", body: { contents: [{ role: "user", parts: [{ text: "canary" }] }] } }, "user"],
  [{ api: "gemini", body: null }, "nowhere"],
] as const)("%j: the canary is in %s", (request, place) => {
  expect(findCanary("canary", [request])).toBe(place);
});

test("of several requests the best place counts", () => {
  const user = { api: "openai-responses", body: { input: "canary" } } as const;
  const system = { api: "openai-responses", body: { instructions: "canary" } } as const;
  expect(findCanary("canary", [user, system])).toBe("system");
  expect(findCanary("canary", [])).toBe("nowhere");
});

function post(path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  return fetch(`${loopback.url}${path}`, { method: "POST", body, headers });
}
