import * as acp from "@agentclientprotocol/sdk/unstable";
import { createAnthropic } from "@ai-sdk/anthropic";
import { tool as aiTool, generateText, jsonSchema, streamText } from "ai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { charterFor } from "../../src/agent/sdk/index.ts";
import { openTurn } from "../../src/agent/session.ts";
import { serveEditor } from "../../src/channels/editor/connection.ts";
import { createEditor } from "../../src/channels/editor/editor.ts";
import type { Answer } from "../../src/delivery/model.ts";
import { createHost } from "../../src/host/create-host.ts";
import { allRoutes, createApi } from "../../src/server/app.ts";
import { callsTools, startsOf } from "../../src/testing/index.ts";
import { clocked } from "./strict-charters.ts";
import { claude, expectAppendOnly, look, looks, newStrictStage, type StrictStage } from "./strict-stage.ts";

/** Stories of sessions with Claude Sonnet 5.5, on a server that takes only what Anthropic documents. */

let stage: StrictStage;
beforeEach(async () => {
  stage = await newStrictStage();
});
afterEach(() => stage.close());

describe("other loops", () => {
  const url = () => `${stage.server.url}/v1`;

  test("a loop of one's own, by openTurn, whose user steers it", async () => {
    const { store, clock, model, on } = stage;
    const loop = { name: "ada", charter: clocked, receiver: model.receiver, store, clock, tools: [look], on };
    for (const input of ["One?", "Two?", "Three?"]) {
      stage.server.say(...looks("A cup."));
      const turn = await openTurn(loop, { input, user: "bo" });
      for (let done = false; !done; ) {
        const { request } = await turn.next();
        const { answer, fault } = await model.ask(request, { signal: new AbortController().signal });
        expect([fault, stage.server.findings]).toEqual([undefined, []]);
        const said = await turn.answered(answer as Answer);
        for (const call of said.calls) await turn.run(call);
        if (said.calls.length > 0 && input === "Two?") await turn.steer("Look twice.");
        done = said.done;
      }
      expect((await turn.end()).state).toBe("answered");
    }
    expectAppendOnly(stage);
  });

  const tools = {
    look: aiTool({
      description: "Looks.",
      inputSchema: jsonSchema({ type: "object", properties: {} }),
      execute: () => "A cup.",
    }),
  };
  for (const name of ["streamText", "generateText"])
    test(`a loop of the AI SDK: ${name}`, async () => {
      const { store, clock, on } = stage;
      const model = createAnthropic({ baseURL: url(), apiKey: "key" })("claude-sonnet-5-5");
      const ada = charterFor({ name: "ada", charter: clocked, store, clock, model, tools, on });
      for (const input of ["One?", "Two?", "Three?"]) {
        stage.server.say(...looks("A cup."));
        const turn = await ada.turn({ input, user: "bo" });
        if (name === "streamText") await streamText(turn.settings).consumeStream();
        else await generateText(turn.settings);
        expect([(await turn.outcome).state, stage.server.findings]).toEqual(["answered", []]);
        stage.wait(70);
      }
      expectAppendOnly(stage);
    });

  test("the gateway, whose client sends the whole conversation each time", async () => {
    const { store, clock, server } = stage;
    await store.agents.add({ name: "ada", charter: "assistant", model: claude });
    const host = createHost({ store, clock, env: server.env, zone: "Europe/Berlin" });
    const app = createApi({ host, operator: "olga", routes: allRoutes, openai: true });
    const { secret } = await store.tokens.create({ name: "bo", kind: "user", user: "bo" });
    const messages: object[] = [];
    for (const content of ["One?", "Two?", "Three?"]) {
      messages.push({ role: "user", content });
      server.say(callsTools(["save_memory", { text: "A cup." }]), "Yes.");
      const response = await app.fetch(
        new Request("http://localhost/v1/chat/completions", {
          method: "POST",
          headers: { "content-type": "application/json", authorization: `Bearer ${secret}` },
          body: JSON.stringify({ model: "ada", messages }),
        }),
      );
      const { choices } = (await response.json()) as { choices: { message: object }[] };
      expect([content, response.status, server.findings]).toEqual([content, 200, []]);
      messages.push({ ...choices[0]?.message });
      stage.wait(70);
    }
    expect(server.findings).toEqual([]);
    expect(startsOf(server.requests).map(({ request }) => request)).toEqual([0]);
  });

  test("an editor, over the Agent Client Protocol", async () => {
    const { store, clock, server } = stage;
    await store.agents.add({ name: "ada", charter: "assistant", model: claude });
    const host = createHost({ store, clock, env: server.env, zone: "Europe/Berlin" });
    const setUp = async () => ({ place: {}, settleTrust: async () => {}, faults: () => [], close: () => {} });
    const editor = createEditor({ host, agent: "ada", user: "bo", setUp });
    const [toAgent, toClient] = [new TransformStream<Uint8Array>(), new TransformStream<Uint8Array>()];
    const info = { name: "charter", version: "1" };
    void serveEditor({ editor, info, input: toAgent.readable, output: toClient.writable });
    const stream = acp.ndJsonStream(toAgent.writable, toClient.readable);
    const client = acp.client().connect(stream);
    await client.agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    const { sessionId } = await client.agent.request("session/new", { cwd: "/", mcpServers: [] });
    for (const text of ["One?", "Two?", "Three?"]) {
      server.say(callsTools(["save_memory", { text: "A cup." }]), "Yes.");
      const prompt = [{ type: "text" as const, text }];
      const answer = await client.agent.request("session/prompt", { sessionId, prompt }).catch(String);
      expect([text, server.findings, answer]).toEqual([text, [], expect.objectContaining({ stopReason: "end_turn" })]);
      stage.wait(70);
    }
    client.close();
    await editor.close();
    expect(startsOf(server.requests).map(({ request }) => request)).toEqual([0]);
  });
});
