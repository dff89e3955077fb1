import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/agent/index.ts";
import { createHost } from "../../src/host/create-host.ts";
import { allRoutes } from "../../src/server/app.ts";
import { type Asking, type Core, newCore } from "./core/core-stage.ts";

const weather = defineTool({
  name: "weather",
  input: z.object({ city: z.string() }),
  summary: "Look up the weather",
  run: ({ city }, { scope }) => `Sunny in ${city} for ${scope.user ?? "nobody in particular"}.`,
  trusted: true,
});

let core: Core;
let bobs: string;
beforeEach(async () => {
  core = await newCore({ routes: allRoutes });
  await core.store.agents.add({ name: "other", charter: "assistant", model: null, settings: {} });
  bobs = (await core.store.tokens.create({ name: "t", kind: "agent", agent: "assistant", user: "bob" })).secret;
});
afterEach(() => core.close());

const path = "/api/agents/assistant/tools";
type Body = { error: { code: string; message: string; hint: string } } & Record<string, never>;

async function ask(where: string, asking: Asking = {}): Promise<{ status: number; body: Body }> {
  const answer = await core.ask(where, { token: core.tokens.agent, ...asking });
  return { status: answer.status, body: (await answer.json()) as Body };
}

test("an agent's token reads its tools, as its model is offered them", async () => {
  const { status, body } = await ask(path);
  expect(status).toBe(200);
  expect((body as unknown as { tools: unknown[] }).tools).toContainEqual({
    name: "save_memory",
    description: expect.stringContaining("long-term memory"),
    input: expect.objectContaining({ type: "object", required: ["content"] }),
    trusted: true,
    reads: false,
    harmless: true,
  });
});

test("a call is a turn of its own, for whom the token says", async () => {
  const called = await ask(`${path}/save_memory`, {
    token: bobs,
    json: { input: { content: "Ida is my sister." }, session: "s1" },
  });
  expect(called).toEqual({
    status: 200,
    body: { turn: expect.any(String), output: expect.stringMatching(/^Saved as note/), failed: false, tainted: false },
  });
  const notes = await core.store.memory.list({ agent: "assistant", user: "bob" });
  expect(notes).toMatchObject([{ text: "Ida is my sister.", scope: { user: "bob" } }]);
  expect(await core.store.turns.get(String(called.body.turn))).toMatchObject({
    ...{ scope: { agent: "assistant", user: "bob" }, state: "answered" },
    input: 'save_memory {"content":"Ida is my sister."}',
  });
  expect(core.model.requests).toEqual([]);
});

test("null for what may be left out is nothing, and for what may not a fault", async () => {
  const save = (input: object) => ask(`${path}/save_memory`, { token: bobs, json: { input } });
  expect((await save({ content: "Ida is my sister.", key: null })).body).toMatchObject({ failed: false });
  expect(await core.store.memory.list({ agent: "assistant", user: "bob" })).toMatchObject([{ key: null }]);
  const { body } = await save({ content: null, key: null });
  expect([body.failed, body.output]).toEqual([
    true,
    "Not run: the arguments do not fit “save_memory”. content: Invalid input: expected string, received null.",
  ]);
});

test("what does not fit the tool fails, and says why", async () => {
  const { status, body } = await ask(`${path}/save_memory`, { json: { input: { contents: 1 } } });
  expect([status, body.failed]).toEqual([200, true]);
  expect(body.output).toContain("the arguments do not fit");
});

test("a tool there is none is named, with those there are", async () => {
  const { status, body } = await ask(`${path}/sing`, { json: {} });
  expect([status, body.error.code]).toEqual([404, "unknown-tool"]);
  expect(body.error.hint).toContain("save_memory");
});

test("a host's own tools are called the same way", async () => {
  const host = createHost({
    store: core.store,
    clock: core.now,
    env: {},
    loadModel: async () => core.model,
    tools: [weather],
  });
  expect(
    await host.callTool({ agent: "assistant", user: null }, { tool: "weather", input: { city: "Rome" } }),
  ).toMatchObject({
    output: "Sunny in Rome for nobody in particular.",
  });
});

const denied: [who: string, token: () => string | undefined, where: string, status: number][] = [
  ["nobody", () => undefined, path, 401],
  ["a user", () => core.tokens.ada, path, 403],
  ["an agent's token, for another agent", () => core.tokens.agent, "/api/agents/other/tools", 404],
  ["an agent's token, for a user it is not for", () => core.tokens.agent, `${path}?user=ada`, 404],
  ["an operator, for an agent there is none", () => core.tokens.operator, "/api/agents/nobody/tools", 404],
];
for (const [who, token, where, status] of denied)
  test(`is not for ${who}`, async () => {
    const one = token();
    const reading = await core.ask(where, one === undefined ? {} : { token: one });
    expect(reading.status).toBe(status);
    const [agentPath, query] = where.split("?");
    const json = query === undefined ? { input: { content: "x" } } : { input: { content: "x" }, user: "ada" };
    const calling = await core.ask(`${agentPath}/save_memory`, { json, ...(one === undefined ? {} : { token: one }) });
    expect(calling.status).toBe(status);
    expect(await core.store.memory.list({ agent: "assistant", user: "ada" })).toEqual([]);
  });

test("an operator calls them for anyone", async () => {
  const { token, user } = { token: core.tokens.operator, user: "ada" };
  await ask(`${path}/save_memory`, { token, json: { input: { content: "Tea." }, user } });
  expect(await core.store.memory.list({ agent: "assistant", user })).toMatchObject([{ text: "Tea." }]);
});
