import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHost } from "../../../src/host/create-host.ts";
import type { HostOptions } from "../../../src/host/host-options.ts";
import { allRoutes, createApi } from "../../../src/server/app.ts";
import { createStore, type Store } from "../../../src/store/index.ts";
import { scripted } from "../../agent/model.ts";
import { newFile, type Place } from "../../homes.ts";
import type { Json } from "../served.ts";

let place: Place;
let store: Store;
let provider: Server;
let base: string;
/** An address where nothing listens any more. */
let closed: string;
let asked = 0;
let secret: string;

/** A server that speaks OpenAI's protocol, knows one key and one model, and answers one word. */
beforeAll(async () => {
  place = await newFile();
  store = await createStore(place.open());
  secret = (await store.tokens.create({ name: "olga", kind: "operator" })).secret;
  provider = createServer((request, response) => {
    let words = "";
    request.on("data", (piece) => {
      words += piece;
    });
    request.on("end", () => {
      const say = (status: number, body: object) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      if (request.url === "/v1/models") return say(200, { data: [{ id: "good", max_model_len: 32_768 }] });
      if (!request.url?.endsWith("/chat/completions")) return say(404, {});
      asked += 1;
      if (request.headers.authorization !== "Bearer sk-right")
        return say(401, { error: { message: `Incorrect API key provided: ${request.headers.authorization}` } });
      if (JSON.parse(words).model !== "good") return say(404, { error: { message: "The model does not exist" } });
      response.writeHead(200, { "content-type": "text/event-stream" });
      const chunk = (delta: object, more: object = {}) =>
        `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`;
      const usage = { prompt_tokens: 20, completion_tokens: 1, total_tokens: 21 };
      response.write(chunk({ role: "assistant", content: "OK" }));
      response.write(chunk({}, { finish_reason: "stop" }));
      response.end(
        `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", choices: [], usage })}\n\ndata: [DONE]\n\n`,
      );
    });
  });
  await new Promise<void>((done) => provider.listen(0, "127.0.0.1", done));
  base = addressOf(provider);
  const gone = createServer();
  await new Promise<void>((done) => gone.listen(0, "127.0.0.1", done));
  closed = addressOf(gone);
  await new Promise((done) => gone.close(done));
});
afterAll(async () => {
  provider.closeAllConnections();
  provider.close();
  await store.close();
  await place.remove();
});

const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;

async function withHost(options: Partial<HostOptions>, what: (ask: Ask) => Promise<void>): Promise<void> {
  const host = createHost({ store, env: {}, ...options });
  const api = createApi({ host, operator: "olga", routes: allRoutes });
  await what(async (request, body) => {
    const [method = "", path = ""] = request.split(" ");
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await api.fetch(new Request(`http://localhost/api${path}`, { method, headers, ...sent }));
    return { status: answer.status, body: (await answer.json()) as Json, headers: answer.headers };
  });
  api.close();
  await host.close(0);
}

type Ask = (request: string, body?: object) => Promise<{ status: number; body: Json; headers: Headers }>;

const table = (): NonNullable<HostOptions["models"]> => ({
  good: { base, key: "$OWN_KEY", price: { input: 1, output: 2 } },
  bad: { base, model: "none", key: "$OWN_KEY" },
  nowhere: { base: closed },
  unset: { base, key: "$NOT_SET" },
});
const env = { OWN_KEY: "sk-right", ANTHROPIC_API_KEY: "sk-ant-canary" };

test("the list says of each model whose it is, and whether its key is there; no key is told, and none is asked", async () => {
  await store.agents.put({ name: "lost", charter: "assistant", model: "nowhere/none" });
  await withHost({ env, models: table(), model: "good" }, async (ask) => {
    const before = asked;
    const { status, body } = await ask("GET /models");
    expect([status, asked - before, body.usual]).toEqual([200, 0, ["good"]]);
    const one = (name: string) => body.models.find((model: Json) => model.name === name);
    expect(one("good")).toEqual({
      name: "good",
      provider: "openai-compatible",
      own: true,
      key: "present",
      standIn: false,
      window: null,
      price: { input: 1, read: 1, write: 1, output: 2 },
      problem: null,
      tested: null,
    });
    const state = (name: string) => [one(name).provider, one(name).key, one(name).problem?.code ?? null];
    expect(state("nowhere")).toEqual(["openai-compatible", "not-needed", null]);
    expect(state("unset")).toEqual(["openai-compatible", "missing", "needs-key"]);
    expect(state("anthropic/claude-sonnet-5-5")).toEqual(["anthropic", "present", null]);
    expect(state("openai/gpt-5")).toEqual(["openai", "missing", "needs-key"]);
    expect(state("stand-in/scripted")).toEqual(["stand-in", "not-needed", null]);
    expect(state("nowhere/none")).toEqual(["nowhere", "missing", "unknown-model"]);
    expect(one("openai/gpt-5").window).toBe(272_000);
    expect(body.place).toMatch(/models\.json.*charter\.config\.ts/);
    expect(JSON.stringify(body)).not.toMatch(/sk-right|canary/);
  });
});

test("a test asks one word, and says in words what is wrong; its result stays with the list", async () => {
  await withHost({ env, models: table() }, async (ask) => {
    const before = asked;
    const good = await ask("POST /models/test", { model: "good" });
    expect([good.status, asked - before, good.body]).toEqual([
      200,
      1,
      { model: "good", ok: true, notes: expect.any(Array), tookMs: expect.any(Number) },
    ]);
    const problem = async (model: string) => (await ask("POST /models/test", { model })).body.problem;
    expect(await problem("bad")).toMatchObject({
      code: "model-failed",
      message: expect.stringMatching(/no model “none”.*“good”/),
    });
    expect(await problem("nowhere")).toMatchObject({ message: expect.stringContaining("nothing listens at") });
    expect(await problem("unset")).toMatchObject({
      code: "needs-key",
      message: expect.stringContaining("NOT_SET is not set"),
    });
    expect(await problem("openai/gpt-5")).toMatchObject({ code: "needs-key" });
    expect(await problem("nowhere/none")).toMatchObject({ code: "unknown-model" });
    expect((await ask("POST /models/test", { model: "stand-in/scripted" })).body.ok).toBe(true);
    const { models } = (await ask("GET /models")).body;
    const tested = (name: string) => models.find((model: Json) => model.name === name).tested;
    expect(tested("good")).toEqual({ at: expect.any(String), ok: true });
    expect(tested("bad")).toMatchObject({ ok: false, problem: { code: "model-failed" } });
  });
});

test("a wrong key is told as such, without the key", async () => {
  await withHost({ env: { OWN_KEY: "sk-wrong-canary" }, models: table() }, async (ask) => {
    const { body } = await ask("POST /models/test", { model: "good" });
    expect(body.problem.message).toContain("the server refuses the key (401)");
    expect(body.problem.hint).toContain("OWN_KEY");
    expect(JSON.stringify([body, (await ask("GET /models")).body])).not.toContain("canary");
  });
});

test("what a program loads itself is asked as it is, and what it does not know is unknown", async () => {
  const loadModel = async () => scripted(["OK."]);
  await withHost({ loadModel }, async (ask) => {
    expect((await ask("POST /models/test", { model: "mine" })).body).toMatchObject({ model: "mine", ok: true });
    expect((await ask("POST /agents", { name: "own", charter: "assistant", model: "mine" })).status).toBe(201);
  });
});

test("models are tested thirty times a minute at most", async () => {
  const now = new Date("2026-02-18T12:00:00Z");
  await withHost({ clock: () => now }, async (ask) => {
    const statuses = [];
    for (let count = 0; count < 31; count++)
      statuses.push((await ask("POST /models/test", { model: "stand-in/scripted" })).status);
    expect(statuses).toEqual([...Array.from({ length: 30 }, () => 200), 429]);
    const { body, headers } = await ask("POST /models/test", { model: "stand-in/scripted" });
    expect([body.error.code, headers.get("retry-after")]).toEqual(["rate-limited", "2"]);
  });
});

test("an agent is not given a model that nothing knows; what it has already is no hindrance", async () => {
  await withHost({ env, models: table() }, async (ask) => {
    const refused = async (request: string, body: object) => {
      const { status, body: said } = await ask(request, body);
      return [status, said.error?.code, said.error?.message];
    };
    const none = (name: string) => ({ name: "new", charter: "assistant", model: name });
    const provider = [404, "unknown-model", "There is no provider “nowhere” for the model “nowhere/none”."];
    expect(await refused("POST /agents", none("nowhere/none"))).toEqual(provider);
    const { error } = (await ask("POST /agents", none("gpt-5"))).body;
    expect(error.hint).toMatch(/^Name it “openai\/gpt-5”\. .*models\.json.*charter\.config\.ts/);
    expect((await ask("POST /agents", none("acp/claude"))).body.error.code).toBe("unknown-model");
    // A key in place of a name is not repeated.
    expect(JSON.stringify((await ask("POST /agents", none("sk-ant-canary"))).body)).not.toContain("canary");
    for (const model of ["good", "anthropic/anything-new", "openai/gpt-5", "ollama/qwen3", "stand-in/scripted"]) {
      const name = `with-${model.replace(/\W/g, "-")}`;
      expect([model, (await ask("POST /agents", { name, charter: "assistant", model })).status]).toEqual([model, 201]);
    }
    expect(await refused("PATCH /agents/with-good", { model: ["good", "nowhere/none"] })).toEqual(provider);
    expect((await ask("PATCH /agents/lost", { settings: { zone: "Europe/Rome" } })).status).toBe(200);
    expect((await ask("PATCH /agents/lost", { model: ["nowhere/none", "good"] })).status).toBe(200);
  });
});
