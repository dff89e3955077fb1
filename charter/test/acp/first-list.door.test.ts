import { expect, test } from "vitest";
import { withProbeDirectory } from "../../src/cli/acp/probe.ts";
import { createAcpAgents } from "../../src/delivery/acp/acp-agents.ts";
import type { ModelRequest } from "../../src/delivery/model.ts";
import type { ModelAgentOptions } from "./model-agent.ts";

test("an agent that lists our tools while its session opens, as real ones do, offers them to its model", async () => {
  const { body, answer } = await withProbeDirectory({}, async ({ directory, env, loopback }) => {
    const options: ModelAgentOptions = { api: "openai-chat" };
    const file = new URL("model-agent.ts", import.meta.url).pathname;
    const entry = { command: [process.execPath, file, JSON.stringify(options)], env };
    const agents = createAcpAgents({ entries: { one: entry }, home: directory, env: process.env });
    const note = { name: "note", description: "Writes a note.", input: { type: "object", properties: {} } };
    const request: ModelRequest = {
      tools: [note],
      system: [{ text: "You are Ada." }],
      messages: [{ role: "user", text: "Hello." }],
      session: { id: "s", agent: "ada", operator: true, history: 1 },
    };
    const { signal } = new AbortController();
    const onCall = async () => ({ call: "", name: "", output: "" });
    const result = await agents.model("one").ask(request, { signal, onCall });
    await agents.close();
    return { body: loopback.requests[0]?.body, answer: result.answer };
  });
  expect(answer?.finish).toBe("stop");
  expect(body).toMatchObject({ tools: [{ name: "note", description: "Writes a note." }] });
});
