import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ModelRequest } from "../../src/delivery/model.ts";
import { allRoutes } from "../../src/server/app.ts";
import { keeper, said } from "../agent/keeper.ts";
import { busy, calls, hangs, systemOf } from "../agent/model.ts";
import { meeting } from "../agent/stage.ts";
import { type Asking, type Core, newCore } from "./core/core-stage.ts";

let core: Core;
beforeEach(async () => {
  core = await newCore({ routes: allRoutes });
});
afterEach(() => core.close());

const turns = "/api/agents/assistant/turns";
type Body = Record<string, never> & { error: { code: string; message: string; hint: string; turn?: string } };

async function ask(path: string, asking: Asking = {}): Promise<{ status: number; body: Body }> {
  const answer = await core.ask(path, { token: core.tokens.ada, ...asking });
  return { status: answer.status, body: (await answer.json()) as Body };
}

describe("a turn as JSON", () => {
  test("is answered with all that came of it", async () => {
    core.model.say("Hello, Ada.");
    expect(await ask(turns, { json: { input: "hello" } })).toEqual({
      status: 200,
      body: {
        turn: expect.any(String),
        session: expect.any(String),
        state: "answered",
        reply: "Hello, Ada.",
        steps: 1,
        tainted: false,
        usage: { input: 1000, read: 600, written: 100, output: 20 },
        cost: expect.any(Number),
        notices: [],
      },
    });
    expect(await core.store.turns.list()).toMatchObject([
      { scope: { agent: "assistant", user: "ada" }, channel: "web", input: "hello", reply: "Hello, Ada." },
    ]);
  });

  test("goes on with the user's session, with the one that is named, or with a new one", async () => {
    const { body: one } = await ask(turns, { json: { input: "one" } });
    const { body: two } = await ask(turns, { json: { input: "two" } });
    const { body: anew } = await ask(turns, { json: { input: "three", session: "new" } });
    const { body: back } = await ask(turns, { json: { input: "four", session: one.session } });
    const { body: alone } = await ask(turns, { json: { input: "five", session: "none" } });
    const sessions = [one, two, anew, back, alone].map(({ session }) => session);
    expect(sessions.map((session) => sessions.indexOf(session))).toEqual([0, 0, 2, 0, 4]);
    const said = core.model.requests.map(({ messages }) => messages.filter(({ role }) => role === "user").length);
    expect(said).toEqual([1, 2, 1, 3, 1]);
  });

  test("an operator speaks for the user they name, or as themselves", async () => {
    const { operator: token } = core.tokens;
    await ask(turns, { token, json: { input: "for Bob", user: "bob", channel: "telegram" } });
    await ask(turns, { token, json: { input: "for myself" } });
    expect((await core.store.turns.list()).map(({ scope, channel }) => [scope.user, channel])).toEqual([
      ["boss", "web"],
      ["bob", "telegram"],
    ]);
  });

  test("a turn that fails has a status, the reason and its id; only an operator reads what the provider said", async () => {
    core.model.say({ fault: { code: "model-rejected", message: "key sk-123 is over", retry: false } });
    const { status, body } = await ask(turns, { json: { input: "hello" } });
    const [turn] = await core.store.turns.list();
    expect([status, body]).toEqual([
      502,
      {
        error: {
          code: "model-rejected",
          message: "The service cannot answer this now.",
          hint: expect.any(String),
          turn: turn?.id,
        },
      },
    ]);
    const told = await ask(turns, { token: core.tokens.operator, json: { input: "hello" } });
    expect(told.body.error.message).toBe("“test/one” gave no answer: key sk-123 is over.");
  });

  const wrong: [what: string, body: unknown, status: number, code: string, words: string][] = [
    ["nothing", {}, 400, "bad-request", "body.input"],
    ["no words", { input: " \n" }, 400, "bad-input", "The input has no words."],
    ["a word too many", { input: "hello", inptu: 1 }, 400, "bad-request", "inptu"],
    ["a list", [1], 400, "bad-request", "body"],
    ["null", null, 400, "bad-request", "body"],
    ["too many words", { input: "é".repeat(32_001) }, 413, "too-large", "has 32,001 characters; the limit is 32,000"],
    ["a channel there is none", { input: "hello", channel: "fax" }, 404, "unknown-channel", "fax"],
    ["someone else's name", { input: "hello", user: "bob" }, 404, "not-found", "“bob”"],
    ["a session there is none", { input: "hello", session: "x" }, 404, "not-found", "session “x”"],
    ["a chat without a message", { id: "c", messages: [] }, 400, "bad-request", "body.messages"],
    [
      "a chat whose last message is an answer",
      { id: "c", messages: [{ role: "assistant", parts: [] }] },
      400,
      "bad-input",
      "not the user's",
    ],
    [
      "a picture",
      { id: "c", messages: [{ role: "user", parts: [{ type: "file" }] }] },
      400,
      "bad-attachment",
      "data URL",
    ],
    ["a voice", { id: "c", messages: [{ role: "user", parts: [{ type: "audio" }] }] }, 400, "bad-input", "“audio”"],
  ];
  for (const [what, body, status, code, words] of wrong)
    test(`is not taken for ${what}`, async () => {
      const asked = await core.ask(turns, {
        method: "POST",
        token: core.tokens.ada,
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      });
      const { error } = (await asked.json()) as Body;
      expect([asked.status, error.code]).toEqual([status, code]);
      expect(error.message).toContain(words);
      expect(core.model.requests).toEqual([]);
    });

  test("is not taken of what is no JSON", async () => {
    for (const [type, body, status] of [
      ["application/json", "{", 400],
      ["text/plain", '{"input":"hello"}', 415],
    ] as const) {
      const headers = { "content-type": type };
      const asked = await core.ask(turns, { method: "POST", token: core.tokens.ada, body, headers });
      expect(asked.status).toBe(status);
    }
  });

  test("32,000 characters are not too many, whatever they are made of", async () => {
    const { status } = await ask(turns, { json: { input: "👩".repeat(32_000) } });
    expect(status).toBe(200);
  });

  test("someone else's session answers like one that does not exist", async () => {
    const { body } = await ask(turns, { token: core.tokens.bob, json: { input: "mine" } });
    const others = await ask(turns, { json: { input: "hello", session: body.session } });
    const nobodys = await ask(turns, { json: { input: "hello", session: "nobodys" } });
    expect(others.status).toBe(404);
    expect(JSON.stringify(others).replaceAll(String(body.session), "ID")).toBe(
      JSON.stringify(nobodys).replaceAll("nobodys", "ID"),
    );
  });

  test("an agent's token takes no turns, and a user's none of another agent", async () => {
    expect((await ask(turns, { token: core.tokens.agent, json: { input: "hello" } })).status).toBe(403);
    const elsewhere = await ask("/api/agents/other/turns", { token: core.tokens.bob, json: { input: "hello" } });
    const nowhere = await ask("/api/agents/other/turns", { token: core.tokens.ada, json: { input: "hello" } });
    expect([elsewhere.status, nowhere.status]).toEqual([404, 404]);
    expect(elsewhere.body).toEqual(nowhere.body);
  });
});

describe("stopping a turn", () => {
  test("ends it for whoever waits; a second time there is nothing to stop", async () => {
    const { met, meet } = meeting();
    core.model.say(hangs(meet, "It is"));
    const waiting = ask(turns, { json: { input: "hello" } });
    await met;
    const [turn] = await core.store.turns.list();
    const stop = `/api/turns/${turn?.id}/stop`;
    expect(await ask(stop, { method: "POST", token: core.tokens.bob })).toMatchObject({
      status: 404,
      body: { error: { code: "unknown-turn" } },
    });
    expect(await ask(stop, { method: "POST" })).toEqual({
      status: 202,
      body: { turn: turn?.id, state: "running", stopping: true },
    });
    expect(await waiting).toEqual({
      status: 409,
      body: {
        error: { code: "turn-stopped", message: "The turn was stopped.", hint: expect.any(String), turn: turn?.id },
      },
    });
    expect(await ask(stop, { method: "POST" })).toEqual({
      status: 200,
      body: { turn: turn?.id, state: "failed", stopping: false },
    });
  });

  test("a turn that another process runs cannot be stopped here, and that is said", async () => {
    const { id } = await core.store.turns.open({
      scope: { agent: "assistant", user: "ada" },
      input: "hello",
      runner: "far:1",
    });
    const { status, body } = await ask(`/api/turns/${id}/stop`, { method: "POST" });
    expect([status, body.error.code]).toEqual([409, "turn-elsewhere"]);
    expect(body.error.message).not.toContain("far:1");
    const told = await ask(`/api/turns/${id}/stop`, { method: "POST", token: core.tokens.operator });
    expect(told.body.error.message).toContain("far:1");
  });
});

describe("the record of turns", () => {
  test("a user reads their own, an operator everyone's and what ran them", async () => {
    await ask(turns, { json: { input: "from Ada" } });
    await ask(turns, { token: core.tokens.bob, json: { input: "from Bob" } });
    const listed = async (token: string, query = "") => {
      const { body } = await ask(`${turns}${query}`, { token });
      return (body as unknown as { turns: { input: string }[]; more: boolean }).turns.map(({ input }) => input);
    };
    expect(await listed(core.tokens.ada)).toEqual(["from Ada"]);
    expect(await listed(core.tokens.operator)).toEqual(["from Bob", "from Ada"]);
    expect(await listed(core.tokens.operator, "?user=bob")).toEqual(["from Bob"]);
    expect((await ask(`${turns}?limit=1`, { token: core.tokens.operator })).body).toMatchObject({ more: true });
    expect((await ask(`${turns}?user=bob`)).status).toBe(404);
    expect((await ask(turns, { token: core.tokens.agent })).status).toBe(403);
  });

  test("one turn: someone else's is not there, exactly like one that never was", async () => {
    const { body } = await ask(turns, { json: { input: "from Ada" } });
    const path = `/api/turns/${body.turn}`;
    expect((await ask(path)).body).toEqual({
      ...{ id: body.turn, scope: { agent: "assistant", user: "ada" }, session: body.session, channel: "web" },
      ...{ input: "from Ada", reply: "Fine.", state: "answered", tainted: false, steps: 1, micros: expect.any(Number) },
      ...{ startedAt: expect.any(String), endedAt: expect.any(String) },
    });
    expect((await ask(path, { token: core.tokens.operator })).body).toMatchObject({ runner: expect.any(String) });
    const named = async (query: string) => (await ask(`${path}${query}`, { token: core.tokens.operator })).status;
    expect([await named("?agent=assistant&user=ada"), await named("?agent=other"), await named("?user=bob")]).toEqual([
      200, 404, 404,
    ]);
    const others = await ask(path, { token: core.tokens.bob });
    const nobodys = await ask("/api/turns/nobodys", { token: core.tokens.bob });
    expect(others.status).toBe(404);
    expect(JSON.stringify(others).replaceAll(String(body.turn), "ID")).toBe(
      JSON.stringify(nobodys).replaceAll("nobodys", "ID"),
    );
  });

  test("the receipts and the very bytes of each step are the operator's", async () => {
    const { body } = await ask(turns, { json: { input: "hello" } });
    const path = `/api/turns/${body.turn}?parts=`;
    const token = core.tokens.operator;
    for (const part of ["receipts", "bytes", "request", "sample", "bytes,sample"])
      expect((await ask(`${path}${part}`)).status).toBe(403);
    expect((await ask(`${path}receipts`, { token })).body).toMatchObject({
      id: body.turn,
      receipts: [{ step: 1, receipt: { receiver: "test/one" }, result: { answer: { text: "Fine." } } }],
    });
    const { body: both } = await ask(`${path}bytes,request&step=1`, { token });
    const {
      bytes: sent,
      request: whole,
      receipts,
    } = both as unknown as Record<"bytes" | "request" | "receipts", object>;
    expect(receipts).toBeUndefined();
    const { slots } = sent as { slots: { slot: string; text: string }[] };
    const request = core.model.requests[0] as ModelRequest;
    const wire = [systemOf(request), ...request.messages.map((one) => ("text" in one ? one.text : ""))];
    expect(slots.map(({ text }) => wire.includes(text))).toEqual([true, true]);
    expect(sent).toMatchObject({ turn: body.turn, step: 1, proved: true });
    const { number, at, digest } = sent as Record<string, unknown>;
    const about = { turn: body.turn, step: 1, number, at, digest, proved: true, receiver: "test/one" };
    expect(whole).toEqual({ ...about, request: JSON.parse(JSON.stringify(request)), body: null, opinions: [] });
    for (const part of ["request", "bytes"]) expect((await ask(`${path}${part}&step=2`, { token })).status).toBe(404);
    for (const wrong of ["bytes&step=one", "bytes&step=0", "all", "bytes,all"])
      expect((await ask(`${path}${wrong}`, { token })).status).toBe(400);
    expect((await ask("/api/turns/nobodys?parts=receipts", { token })).status).toBe(404);
  });

  test("where the system prompt went, and the tools of its own an agent used, stand with each step", async () => {
    const use = { id: "t1", title: "Read a.txt", kind: "read", paths: ["/srv/a.txt"] };
    const model = keeper([
      async ({ onOwnTool }) => {
        onOwnTool?.({ ...use, status: "done", foreign: true });
        return said("Read.");
      },
    ]);
    Object.assign(core.model, model);
    const { body } = await ask(turns, { json: { input: "Read it." } });
    expect(body).toMatchObject({ reply: "Read.", tainted: true, cost: null });
    const path = `/api/turns/${body.turn}?parts=receipts`;
    const token = core.tokens.operator;
    const says = "in the agent's system prompt field, with this request";
    const identity = { slot: "system-prompt", sent: true, says };
    expect((await ask(`${path},bytes`, { token })).body).toMatchObject({
      receipts: [
        { identity, ownTools: [{ ...use, status: "done" }], receipt: { identity: { slot: "system-prompt" } } },
      ],
      bytes: { identity },
    });
    await core.store.erase({ user: "ada" } as never);
    expect((await ask(path, { token })).body).toMatchObject({ receipts: [{ identity: null, ownTools: [] }] });
  });

  test("what was erased cannot be rebuilt", async () => {
    const { body } = await ask(turns, { json: { input: "hello" } });
    await core.store.erase({ user: "ada" } as never);
    const token = core.tokens.operator;
    for (const what of ["bytes", "request"])
      expect((await ask(`/api/turns/${body.turn}?parts=${what}`, { token })).body.error.code).toBe("erased");
  });
});

test("a frozen agent takes no turn", async () => {
  await core.store.agents.freeze("assistant", "agent");
  expect(await ask(turns, { json: { input: "hello" } })).toMatchObject({
    status: 409,
    body: { error: { code: "agent-frozen" } },
  });
});

test("a busy model is asked again, and the answer is one", async () => {
  core.model.say(busy({ afterMs: 1 }), calls(["read_memory", {}]), "Done.");
  expect((await ask(turns, { json: { input: "hello" } })).body).toMatchObject({ reply: "Done.", steps: 2 });
});

test("every route of turns and tools is in the description of the API", async () => {
  const { paths } = (await (await core.ask("/openapi.json", { token: core.tokens.operator })).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const own = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .map((method) => `${method} ${path}`)
      .filter((one) => /turns|tools/.test(one)),
  );
  expect(own.sort()).toEqual([
    "get /api/agents/{agent}/tools",
    "get /api/agents/{agent}/turns",
    "get /api/turns/{id}",
    "post /api/agents/{agent}/tools/{tool}",
    "post /api/agents/{agent}/turns",
    "post /api/turns/{id}/stop",
  ]);
});
