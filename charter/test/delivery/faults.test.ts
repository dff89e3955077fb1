import { describe, expect, test } from "vitest";
import type { Fault, ModelRequest } from "../../src/delivery/model.ts";
import { bodyDigest } from "../../src/delivery/models/escape.ts";
import { loadModel } from "../../src/delivery/models/provider.ts";
import { type Reply, startRecorder } from "../../src/testing/strict/recorder.ts";
import { complaint, type Kind, kinds, speak } from "../../src/testing/strict/speech.ts";
import { ask, hello, key, modelAt, modelNames } from "./loopback.ts";

/** One question to a provider that answers so; how many requests it got. */
async function asked(kind: Kind, reply: Reply, request: ModelRequest = hello) {
  const recorder = await startRecorder({ answer: () => reply });
  const { answer, fault, heard } = await ask(await modelAt(recorder.url, modelNames[kind]), request);
  await recorder.close();
  return { answer, fault, heard, requests: recorder.requests.length };
}

/** The events up to and with the first that has these words in it. */
function upTo(events: readonly string[], words: string): string[] {
  return events.slice(0, events.findIndex((event) => event.includes(words)) + 1);
}

const rows: readonly [status: number, headers: Record<string, string>, code: Fault["code"], after?: number][] = [
  [400, {}, "model-rejected"],
  [401, {}, "model-rejected"],
  [403, {}, "model-rejected"],
  [404, {}, "model-rejected"],
  [413, {}, "model-rejected"],
  [422, {}, "model-rejected"],
  [408, {}, "model-failed"],
  [409, {}, "model-failed"],
  [429, {}, "model-busy"],
  [429, { "retry-after": "7" }, "model-busy", 7000],
  [429, { "retry-after": "7", "retry-after-ms": "250" }, "model-busy", 250],
  [
    503,
    { "retry-after": "Sun, 15 Nov 2026 10:00:30 GMT", date: "Sun, 15 Nov 2026 10:00:00 GMT" },
    "model-busy",
    30_000,
  ],
  [529, {}, "model-busy"],
  [500, {}, "model-failed"],
  [502, { "retry-after": "1" }, "model-failed", 1000],
];

describe.each(kinds)("%s", (kind) => {
  test.each(rows)("a status of %i with %j is a fault, and is asked once", async (status, headers, code, after) => {
    const { fault, heard, requests } = await asked(kind, { status, headers, body: complaint(kind, "Not like this.") });
    expect(fault).toEqual({
      code,
      message: expect.stringMatching(new RegExp(`^“${modelNames[kind]}” .*\\(${status}\\): Not like this\\.$`)),
      retry: code !== "model-rejected",
      ...(after === undefined ? {} : { afterMs: after }),
      // The status alone says that it was too large.
      ...(status === 413 ? { tooLong: {} } : {}),
      // Whatever is asked, nobody gets an answer there.
      ...([401, 403, 404].includes(status) ? { outage: true } : {}),
    });
    expect([heard, requests]).toEqual([[], 1]);
  });

  test("an error that is no JSON is told all the same", async () => {
    const { fault } = await asked(kind, { status: 502, body: "<html>Bad gateway</html>" });
    expect(fault?.code).toBe("model-failed");
    expect(fault?.message).toMatch(/\(502\): Bad Gateway$/);
  });

  test("a connection that breaks in the middle of an answer", async () => {
    const body = upTo(speak(kind, { text: ["Half an ", "answer."] }), "Half an ");
    const { answer, fault, heard, requests } = await asked(kind, { body, ends: "cut" });
    expect([answer, heard, requests]).toEqual([undefined, ["Half an "], 1]);
    expect(fault).toEqual({
      code: "model-cut",
      message: expect.stringContaining(`The answer of “${modelNames[kind]}” broke off before its end`),
      retry: true,
    });
  });

  test("a stream that ends without saying that it is finished", async () => {
    const body = upTo(speak(kind, { text: ["Half an ", "answer."] }), "Half an ");
    const { answer, fault } = await asked(kind, { body });
    expect([answer, fault?.code, fault?.retry]).toEqual([undefined, "model-cut", true]);
  });

  test("half a tool call is none", async () => {
    const calls = [{ id: "call_1", name: "add", input: '{"a":1,"b":2}' }];
    const events = speak(kind, { text: ["Now."], calls });
    const body = upTo(events, "Now.").concat(upTo(events.slice(upTo(events, "Now.").length), "add"));
    for (const ends of ["cut", undefined] as const) {
      const { answer, fault } = await asked(kind, { body, ...(ends ? { ends } : {}) });
      expect([answer, fault?.code]).toEqual([undefined, "model-cut"]);
    }
  });

  test("a connection that breaks before the first word", async () => {
    const opening = speak(kind, { text: ["Never said."] }).filter((event) => !event.includes("Never"));
    for (const body of [[": hello\n\n"], ...(kind === "google" ? [] : [opening.slice(0, 1)])]) {
      const { answer, fault } = await asked(kind, { body, ends: "cut" });
      expect([answer, fault?.code, fault?.retry]).toEqual([undefined, "model-cut", true]);
    }
  });

  test("an error inside the stream, after it began", async () => {
    const errors: Readonly<Record<Kind, object>> = {
      anthropic: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
      openai: { type: "error", sequence_number: 9, code: "server_error", message: "Overloaded", param: null },
      "openai-chat": { error: { message: "Overloaded", type: "server_error" } },
      "openai-compatible": { error: { message: "Overloaded", type: "server_error" } },
      google: { error: { code: 503, message: "Overloaded", status: "UNAVAILABLE" } },
    };
    const began = upTo(speak(kind, { text: ["Half an ", "answer."] }), "Half an ");
    const { answer, fault } = await asked(kind, { body: [...began, `data: ${JSON.stringify(errors[kind])}\n\n`] });
    expect([answer, fault]).toEqual([
      undefined,
      {
        code: "model-cut",
        message: expect.stringMatching(/broke off before its end: .*Overloaded/),
        retry: true,
      },
    ]);
  });

  test("nonsense in the stream", async () => {
    const began = upTo(speak(kind, { text: ["Half an ", "answer."] }), "Half an ");
    const { answer, fault } = await asked(kind, { body: [...began, 'data: {"half\n\n'] });
    expect([answer, fault?.code, fault?.retry]).toEqual([undefined, "model-cut", true]);
  });

  test("an empty answer is an answer without words", async () => {
    const { answer } = await asked(kind, { body: speak(kind, {}) });
    expect(answer && { ...answer, usage: null }).toEqual({ text: "", calls: [], finish: "stop", usage: null });
  });

  test("nobody there", async () => {
    const recorder = await startRecorder({ answer: [] });
    await recorder.close();
    const { fault } = await ask(await modelAt(recorder.url, modelNames[kind]), hello);
    expect(fault).toEqual({
      code: "model-unreachable",
      message: expect.stringContaining(`“${modelNames[kind]}” cannot be reached: `),
      retry: true,
    });
  });

  test("called off while the words come, and before", async () => {
    const body = upTo(speak(kind, { text: ["Half an ", "answer."] }), "Half an ");
    const recorder = await startRecorder({ answer: () => ({ body, ends: "open" }) });
    const model = await modelAt(recorder.url, modelNames[kind]);
    const called = new AbortController();
    const fault = {
      code: "model-aborted",
      message: `The request to “${modelNames[kind]}” was called off.`,
      retry: false,
    };
    const off = await model.ask(hello, { signal: called.signal, onText: () => called.abort() });
    expect(off).toEqual({ fault, sent: off.sent });
    expect(off.sent?.digest).toBe(await bodyDigest(recorder.requests[0]?.body as string));
    expect(await model.ask(hello, { signal: called.signal })).toEqual({ fault });
    expect(recorder.requests.length).toBe(1);
    await recorder.close();
  });

  test("called off before the provider said anything", async () => {
    const called = new AbortController();
    const recorder = await startRecorder({
      answer: () => {
        called.abort();
        return { ends: "open" };
      },
    });
    const model = await modelAt(recorder.url, modelNames[kind]);
    const { fault } = await model.ask(hello, { signal: called.signal });
    expect(fault?.code).toBe("model-aborted");
    await recorder.close();
  });
});

describe.each(kinds.filter((kind) => kind !== "google"))("%s", (kind) => {
  test("malformed arguments come as the model wrote them, and go back as none", async () => {
    const calls = [{ id: "call_1", name: "add", input: '{"a": 1, "b"' }];
    const { answer } = await asked(kind, { body: speak(kind, { calls }) });
    expect(answer?.calls).toEqual(calls);
    const recorder = await startRecorder({ answer: () => ({ body: speak(kind, { text: ["Sorry."] }) }) });
    const model = await modelAt(recorder.url, modelNames[kind]);
    const results = [{ call: "call_1", name: "add", output: "These are no arguments.", failed: true }] as const;
    const { native } = answer ?? {};
    await ask(model, {
      ...hello,
      messages: [...hello.messages, { role: "assistant", text: "", calls, native }, { role: "tool", results }],
    });
    await recorder.close();
    const { body = "" } = recorder.requests[0] ?? {};
    expect(body).not.toContain('\\"b\\"');
    expect(body).toMatch(kind === "anthropic" ? /"name":"add","input":\{\}/ : /"arguments":"\{\}"/);
  });
});

test("a key is never told, even if the provider repeats it", async () => {
  const said = `Incorrect API key provided: ${key}, or sk-proj-abc********wxyz. See the dashboard.`;
  const { fault } = await asked("openai", { status: 401, body: complaint("openai", said) });
  expect(fault?.message).toBe(
    "“openai/gpt-5.6-terra” rejected the request (401): Incorrect API key provided: (the key), or (the key). See the dashboard.",
  );
});

test("a key that looks like none is not told either", async () => {
  const secret = "Sesame.Open/Now";
  const body = complaint("openai", `Incorrect API key provided: ${secret}.`);
  const recorder = await startRecorder({ answer: () => ({ status: 401, body }) });
  const env = { OPENAI_API_KEY: secret, OPENAI_BASE_URL: recorder.url };
  const { fault } = await ask(await loadModel(modelNames.openai, { env }), hello);
  await recorder.close();
  expect(fault?.message).toBe(
    "“openai/gpt-5.6-terra” rejected the request (401): Incorrect API key provided: (the key).",
  );
});

test("who has no quota left need not try again", async () => {
  const body = complaint("openai", "You exceeded your current quota.", "insufficient_quota");
  const { fault } = await asked("openai", { status: 429, headers: { "retry-after": "1" }, body });
  expect(fault).toEqual({
    code: "model-rejected",
    message: "“openai/gpt-5.6-terra” has no quota left (429): You exceeded your current quota.",
    retry: false,
    outage: true,
  });
});

const withoutStatus: readonly [string, boolean][] = [
  ["API key not valid. Please pass a valid API key.", true],
  ["Incorrect API key provided.", true],
  ["acme/nothing is not a valid model ID", true],
  ["The model `gpt-nothing` does not exist or you do not have access to it.", true],
  ["This model's maximum output is 4096 tokens.", false],
  ["messages: roles must alternate between “user” and “assistant”", false],
  ["The response was filtered due to the prompt triggering the content management policy.", false],
];

test.each(withoutStatus)("“%s” with a status of 400: an outage is %s", async (said, outage) => {
  const { fault } = await asked("openai-compatible", { status: 400, body: complaint("openai-compatible", said) });
  expect([fault?.code, fault?.outage ?? false]).toEqual(["model-rejected", outage]);
});

test("Google says in the body how long to wait", async () => {
  const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "3.5s" }];
  const body = JSON.stringify({ error: { code: 429, message: "Slow down.", status: "RESOURCE_EXHAUSTED", details } });
  const { fault } = await asked("google", { status: 429, body });
  expect([fault?.code, fault?.afterMs]).toEqual(["model-busy", 3500]);
});

test("Anthropic's overload, told as the first event of a good response, is a busy model", async () => {
  const overload = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
  const { fault } = await asked("anthropic", { body: [`event: error\ndata: ${JSON.stringify(overload)}\n\n`] });
  expect(fault).toEqual({
    code: "model-busy",
    message: "“anthropic/claude-sonnet-5-5” is busy (529): Overloaded",
    retry: true,
  });
});

test("what a protocol has no form for is rejected before it is sent", async () => {
  const request: ModelRequest = { ...hello, messages: [...hello.messages, { role: "system", text: "It is noon." }] };
  const { fault, requests } = await asked("google", { body: speak("google", { text: ["Hi."] }) }, request);
  expect([fault?.code, fault?.retry, requests]).toEqual(["model-rejected", false, 0]);
  expect(fault?.message).toContain("system messages are only supported at the beginning of the conversation");
});
