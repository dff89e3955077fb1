import { connect } from "node:net";
import {
  parseJsonEventStream,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
} from "ai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHost } from "../../../src/host/create-host.ts";
import { allRoutes, createApi } from "../../../src/server/app.ts";
import { type ListeningServer, listen } from "../../../src/server/listen.ts";
import { calls, hangs, type Line, type Scripted, scripted, spoken } from "../../agent/model.ts";
import { meeting } from "../../agent/stage.ts";
import { type Core, newCore } from "../core/core-stage.ts";
import { metadataOf, newChat, said, textOf } from "./chat-client.ts";

let core: Core;
let server: ListeningServer;
const others: (() => Promise<void>)[] = [];
beforeEach(async () => {
  core = await newCore({ routes: allRoutes });
  server = await listen(core.app, { port: 0 });
});
afterEach(async () => {
  for (const close of others.splice(0)) await close();
  await server.close(0);
  await core.close();
});

const chatWith = (more: { id?: string; token?: string; url?: string; query?: string } = {}) =>
  newChat({ url: server.url, token: core.tokens.ada, ...more });

/** The same store, as another server has it. */
async function replica(model: Scripted = scripted()): Promise<string> {
  const host = createHost({ store: core.store, clock: core.now, env: {}, loadModel: async () => model });
  const api = createApi({ host, operator: "boss", routes: allRoutes });
  const listening = await listen(api, { port: 0 });
  others.push(async () => {
    await listening.close(0);
    await host.close(0);
  });
  return listening.url;
}

/** Says something, and goes on when it is told to. */
const pauses =
  (words: string, goOn: Promise<void>, rest: string): Line =>
  async (_, { onText }) => {
    onText?.(words);
    await goOn;
    onText?.(rest);
    return {
      answer: { text: words + rest, calls: [], finish: "stop", usage: { input: 1, read: 0, written: 0, output: 1 } },
    };
  };

/** A chat's message, once it is as wanted; the AI SDK tells nobody, so it is looked at. */
async function until(look: () => boolean): Promise<void> {
  while (!look()) await new Promise(setImmediate);
}

describe("useChat with nothing configured but the address and a token", () => {
  test("several messages are one conversation", async () => {
    core.model.say("Hello, Ada.", "As I said: hello.", "Goodbye.");
    const chat = chatWith();
    for (const text of ["hello", "again", "bye"]) await chat.sendMessage({ text });
    expect([chat.status, chat.error]).toEqual(["ready", undefined]);
    expect(said(chat)).toEqual([
      ...["user: hello", "assistant: Hello, Ada.", "user: again"],
      ...["assistant: As I said: hello.", "user: bye", "assistant: Goodbye."],
    ]);
    const sessions = new Set((await core.store.turns.list()).map(({ session }) => session));
    expect(sessions.size).toBe(1);
    expect(spoken(core.model.requests[2] as never).filter((one) => !one.startsWith("system"))).toEqual([
      ...["user: hello", "assistant: Hello, Ada.", "user: again"],
      ...["assistant: As I said: hello.", "user: bye"],
    ]);
    const [turn] = await core.store.turns.list();
    expect(chat.messages.at(-1)).toMatchObject({
      id: turn?.id,
      metadata: { turn: turn?.id, session: turn?.session, state: "answered", steps: 1, usage: { input: 1000 } },
    });
  });

  test("two chats of one user are two conversations, and each user's are their own", async () => {
    const [one, other] = [chatWith({ id: "same" }), chatWith({ id: "same", token: core.tokens.bob })];
    const third = chatWith();
    for (const chat of [one, other, third]) for (const text of ["a", "b"]) await chat.sendMessage({ text });
    const sessions = [one, other, third].map(({ messages }) => metadataOf(messages.at(-1)).session);
    expect(new Set(sessions).size).toBe(3);
    expect(core.model.requests.map(({ messages }) => messages.filter(({ role }) => role === "user").length)).toEqual([
      ...[1, 2, 1, 2, 1, 2],
    ]);
  });

  test("another server goes on where the first left off", async () => {
    const model = scripted(["I remember."]);
    const chat = chatWith();
    await chat.sendMessage({ text: "hello" });
    const elsewhere = chatWith({ url: await replica(model) });
    elsewhere.messages = chat.messages;
    await elsewhere.sendMessage({ text: "again" });
    expect(spoken(model.requests[0] as never)).toContain("assistant: Fine.");
    expect(metadataOf(elsewhere.lastMessage).session).toBe(metadataOf(chat.lastMessage).session);
  });

  test("a chat may be named by its session, when its messages are gone", async () => {
    const chat = chatWith();
    await chat.sendMessage({ text: "hello" });
    const { session } = metadataOf(chat.lastMessage);
    const again = chatWith({ id: session as string });
    await again.sendMessage({ text: "and?" });
    expect(metadataOf(again.lastMessage).session).toBe(session);
    const anothers = chatWith({ id: session as string, token: core.tokens.bob });
    await anothers.sendMessage({ text: "and?" });
    expect(metadataOf(anothers.lastMessage).session).not.toBe(session);
    expect(spoken(core.model.requests[2] as never).join()).not.toContain("hello");
  });

  test("messages that claim another user's session find nothing", async () => {
    const chat = chatWith({ token: core.tokens.bob });
    await chat.sendMessage({ text: "my secret" });
    const thief = chatWith();
    thief.messages = chat.messages;
    await thief.sendMessage({ text: "what was it?" });
    expect([thief.status, JSON.parse(thief.error?.message ?? "{}").error.code]).toEqual(["error", "not-found"]);
    expect(core.model.requests).toHaveLength(1);
  });

  test("where the agent has another model by now, that one goes on with what was said", async () => {
    const chat = chatWith();
    await chat.sendMessage({ text: "hello" });
    const two = scripted(["Hi."], { name: "test/two" });
    const elsewhere = chatWith({ url: await replica(two) });
    elsewhere.messages = chat.messages;
    await elsewhere.sendMessage({ text: "again" });
    const [first, second] = elsewhere.messages.filter(({ role }) => role === "assistant");
    expect(metadataOf(second).session).toBe(metadataOf(first).session);
    expect(spoken(two.requests[0] as never).join()).toContain("hello");
  });

  test("where the session has ended, the chat goes on in a new one, and says so", async () => {
    const chat = chatWith();
    await chat.sendMessage({ text: "hello" });
    await core.store.sessions.end(metadataOf(chat.lastMessage).session as string);
    for (const text of ["again", "and again"]) await chat.sendMessage({ text });
    const [first, second, third] = chat.messages.filter(({ role }) => role === "assistant");
    expect(second?.parts.find(({ type }) => type === "data-notice")).toMatchObject({
      data: { code: "session-ended", message: expect.stringContaining("goes on in a new session") },
    });
    expect(metadataOf(second).session).not.toBe(metadataOf(first).session);
    expect(metadataOf(third).session).toBe(metadataOf(second).session);
  });

  test("asked again, an answer is replaced in the chat; on record both stay", async () => {
    core.model.say("One.", "Two.", "Three.");
    const chat = chatWith();
    for (const text of ["a", "b"]) await chat.sendMessage({ text });
    await chat.regenerate();
    expect(said(chat)).toEqual(["user: a", "assistant: One.", "user: b", "assistant: Three."]);
    expect((await core.store.turns.list()).map(({ reply }) => reply)).toEqual(["Three.", "Two.", "One."]);
  });
});

describe("what a chat sees of a turn", () => {
  test("words as they come, before the answer is whole", async () => {
    const { met, meet } = meeting();
    core.model.say(pauses("It is", met, " sunny."));
    const chat = chatWith();
    const sent = chat.sendMessage({ text: "weather?" });
    await until(() => textOf(chat.lastMessage) === "It is");
    expect(chat.status).toBe("streaming");
    meet();
    await sent;
    expect(textOf(chat.lastMessage)).toBe("It is sunny.");
  });

  test("no words before the answer is whole, where it asks for none", async () => {
    const { met, meet } = meeting();
    core.model.say(pauses("It is", met, " sunny."));
    const chat = chatWith({ query: "?drafts=hold" });
    const sent = chat.sendMessage({ text: "weather?" });
    await until(() => chat.lastMessage?.role === "assistant");
    expect(textOf(chat.lastMessage)).toBe("");
    meet();
    await sent;
    expect(textOf(chat.lastMessage)).toBe("It is sunny.");
  });

  test("a draft that broke off is gone, and the answer is the reply", async () => {
    const cut: Line = (_, { onText }) => {
      onText?.("It is rai");
      return { fault: { code: "model-cut", message: "The stream was cut.", retry: true, afterMs: 1 } };
    };
    core.model.say(cut, "It is sunny.");
    const chat = chatWith();
    await chat.sendMessage({ text: "weather?" });
    expect(said(chat)).toEqual(["user: weather?", "assistant: It is sunny."]);
  });

  test("tools with their results, words that were no answer, an amendment with what changed", async () => {
    const instructions = "- Answer in French.";
    core.model.say(
      { ...(calls(["update_instructions", { instructions }, "c1"]) as object), text: "Let me note that." },
      "C'est noté.",
    );
    const chat = chatWith();
    await chat.sendMessage({ text: "Always answer in French." });
    const { parts } = chat.lastMessage as UIMessage;
    expect(textOf(chat.lastMessage)).toBe("C'est noté.");
    expect(parts.map(({ type }) => type)).toEqual([
      ...["step-start", "data-aside", "dynamic-tool", "data-amendment", "step-start", "text"],
    ]);
    expect(parts[2]).toMatchObject({
      ...{ toolName: "update_instructions", toolCallId: "c1", state: "output-available", input: { instructions } },
      output: { verdict: "accepted", section: "instructions" },
    });
    expect(parts[3]).toMatchObject({
      data: { section: "instructions", revision: 1, diff: expect.stringContaining("+- Answer in French.") },
    });
  });

  test("a turn that fails says so in words for a user, and the chat can go on", async () => {
    core.model.say({ fault: { code: "model-rejected", message: "key sk-123 is over", retry: false } });
    const chat = chatWith();
    await chat.sendMessage({ text: "hello" });
    expect([chat.status, chat.error?.message]).toEqual(["error", expect.stringMatching(/^The service cannot answer/)]);
    expect(metadataOf(chat.lastMessage)).toMatchObject({ state: "failed", turn: expect.any(String) });
    core.model.say("Hello again.");
    await chat.sendMessage({ text: "still there?" });
    expect([chat.status, textOf(chat.lastMessage)]).toEqual(["ready", "Hello again."]);
    const [second, first] = await core.store.turns.list();
    expect(second?.session).toBe(first?.session);
  });

  test("what cannot be begun has a status of its own", async () => {
    const chat = newChat({ url: server.url, token: "nobody" });
    await chat.sendMessage({ text: "hello" });
    expect(JSON.parse(chat.error?.message ?? "{}").error.code).toBe("wrong-token");
  });
});

describe("a reader who goes", () => {
  test("does not end the turn: its answer is on record, and the chat goes on with it", async () => {
    const { met, meet } = meeting();
    core.model.say(pauses("It is", met, " sunny."), "Yes, sunny.");
    const chat = chatWith();
    const sent = chat.sendMessage({ text: "weather?" });
    await until(() => textOf(chat.lastMessage) === "It is");
    await chat.stop();
    await sent;
    const going = chat.sendMessage({ text: "sure?" });
    meet();
    await going;
    const [second, first] = await core.store.turns.list();
    expect([first?.state, first?.reply, second?.reply]).toEqual(["answered", "It is sunny.", "Yes, sunny."]);
    expect(spoken(core.model.requests[1] as never)).toContain("assistant: It is sunny.");
  });

  test("a turn that is told to stop does, and the reader hears it", async () => {
    const began = meeting();
    core.model.say(hangs(began.meet, "It is"));
    const chat = chatWith();
    const sent = chat.sendMessage({ text: "weather?" });
    await until(() => textOf(chat.lastMessage) === "It is");
    const { turn } = metadataOf(chat.lastMessage);
    const headers = { authorization: `Bearer ${core.tokens.ada}` };
    const stop = await fetch(`${server.url}/api/turns/${turn}/stop`, { method: "POST", headers });
    expect(stop.status).toBe(202);
    await sent;
    expect([chat.status, textOf(chat.lastMessage)]).toEqual(["ready", ""]);
    expect(await core.store.turns.get(turn as string)).toMatchObject({ state: "failed", reply: null });
  });

  test("one who never reads holds nobody up", async () => {
    const text = "0123456789".repeat(100_000);
    core.model.say((_, { onText }) => {
      for (let at = 0; at < text.length; at += 10_000) onText?.(text.slice(at, at + 10_000));
      return { text };
    });
    const body = JSON.stringify({ id: "c", messages: [{ role: "user", parts: [{ type: "text", text: "all" }] }] });
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.pause();
    socket.write(
      [
        ...["POST /api/agents/assistant/turns HTTP/1.1", `host: ${hostname}:${port}`, "content-type: application/json"],
        ...[`authorization: Bearer ${core.tokens.ada}`, `content-length: ${body.length}`, "", body],
      ].join("\r\n"),
    );
    let turn = (await core.store.turns.list())[0];
    while (turn?.state !== "answered") {
      await new Promise(setImmediate);
      turn = (await core.store.turns.list())[0];
    }
    expect(turn.reply).toBe(text);
    socket.destroy();
  });
});

describe("the plain client", () => {
  const asked = (accept: string, body: object) =>
    fetch(`${server.url}/api/agents/assistant/turns`, {
      method: "POST",
      headers: { authorization: `Bearer ${core.tokens.ada}`, "content-type": "application/json", accept },
      body: JSON.stringify(body),
    });

  test("JSON", async () => {
    expect(await (await asked("application/json", { input: "hello" })).json()).toMatchObject({ reply: "Fine." });
  });

  test("a stream of events, read with the AI SDK", async () => {
    const answer = await asked("text/event-stream", { input: "hello" });
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      ...{ "content-type": "text/event-stream", "x-vercel-ai-ui-message-stream": "v1", "cache-control": "no-cache" },
    });
    const parsed = parseJsonEventStream({ stream: answer.body as never, schema: uiMessageChunkSchema });
    const chunks = parsed.pipeThrough(
      new TransformStream({
        transform: (one, controller) => {
          if (!one.success) throw one.error;
          controller.enqueue(one.value);
        },
      }),
    );
    let message: UIMessage | undefined;
    for await (const one of readUIMessageStream({ stream: chunks as ReadableStream<UIMessageChunk> as never }))
      message = one;
    expect(textOf(message)).toBe("Fine.");
  });

  test("the same without any client: lines of data, and an end", async () => {
    const text = await (await asked("text/event-stream", { input: "hello" })).text();
    const lines = text.split("\n\n");
    expect(lines.at(-1)).toBe("");
    expect(lines.at(-2)).toBe("data: [DONE]");
    expect(lines.slice(0, -2).map((line) => JSON.parse(line.slice(6)).type)).toEqual([
      ...["start", "start-step", "text-start", "text-delta", "text-end", "finish-step", "finish"],
    ]);
  });
});
