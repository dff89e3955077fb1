import { afterEach, expect, test } from "vitest";
import { priceNotices } from "../../src/host/models/host-models.ts";
import { startRecorder } from "../../src/testing/strict/recorder.ts";
import { speak } from "../../src/testing/strict/speech.ts";
import { startModelServer } from "../delivery/model-servers.ts";
import { type HostStage, newHost } from "./stage.ts";

let stage: HostStage;
afterEach(() => stage.close());

const usage = { input: 1_000_000, read: 0, written: 0, output: 100_000 };
const query = { agent: "ada", user: "bo", channel: "web" };

test("an agent takes its turns with a model of the table: recorded by its name, at its address, at its price", async () => {
  const server = await startRecorder({
    answer: () => ({ body: speak("openai-compatible", { text: ["Hi."], usage }) }),
  });
  const price = { input: 1, output: 3 };
  const models = { local: { base: server.url, model: "qwen3", price, window: 2_000_000 } };
  stage = await newHost("sqlite", { loadModel: undefined as never, models });
  const { host, store } = stage;
  const outcome = await host.runTurn({ ...query, input: "Hello" });
  await server.close();
  expect(outcome).toMatchObject({ state: "answered", reply: "Hi.", cost: 1.3 });
  const [step] = await store.steps.of(outcome.turn);
  expect(step?.receipt?.receiver).toBe("local");
  expect((await host.modelOf("ada")).address).toBe(`${server.url}/v1`);
  expect(JSON.parse(server.requests.at(-1)?.body ?? "").model).toBe("qwen3");
});

test("roles that must alternate do through turns with tools, state and updates", async () => {
  const call = { id: "c1", name: "save_memory", input: JSON.stringify({ text: "Bo likes tea." }) };
  const server = await startModelServer({
    ...{ provider: "vllm", window: 100_000, served: "strict-1", alternates: true },
    say: ({ index }) => (index === 0 ? { calls: [call] } : { text: ["Done."] }),
  });
  const entry = { base: server.url, model: "strict-1" };
  stage = await newHost("sqlite", {
    loadModel: undefined as never,
    model: "strict",
    models: { strict: { ...entry, roles: "alternate" }, loose: entry },
  });
  const { host, store } = stage;
  const input = "I like tea.";
  expect(await host.runTurn({ ...query, input })).toMatchObject({ state: "answered", reply: "Done." });
  await store.agents.put({ name: "ada", charter: "assistant", settings: { original: { soul: "Be very brief." } } });
  expect(await host.runTurn({ ...query, input })).toMatchObject({ state: "answered", reply: "Done." });
  const roles = server.requests
    .filter(({ path }) => path.endsWith("/completions"))
    .map(({ body }) => JSON.parse(body).messages.map(({ role }: { role: string }) => role));
  // The system speaks in a message of its own: another's words in it would have its mark.
  expect(roles).toEqual([
    ["system", "user", "assistant", "user"],
    ["system", "user", "assistant", "user", "assistant", "tool"],
    ["system", "user", "assistant", "tool", "assistant", "user", "assistant", "user"],
  ]);
  await store.agents.put({ name: "ada", charter: "assistant", model: "loose", settings: {} });
  expect(await host.runTurn({ ...query, input })).toMatchObject({
    state: "failed",
    problem: { code: "model-rejected", message: expect.stringContaining("roles must alternate") },
  });
  await server.close();
});

test("a table that is wrong is named when the host is made, without a key in it", async () => {
  stage = await newHost();
  await expect(stage.another({ models: { local: { key: "sk-secret" } } as never })).rejects.toMatchObject({
    code: "bad-model",
    message: "The model “local” in createHost does not say where it is served: it has no “base”.",
  });
});

test("a limit in dollars and no price: told with the agent, the model and the place to set it", async () => {
  const models = { local: { base: "http://127.0.0.1:9" } };
  stage = await newHost("sqlite", { loadModel: undefined as never, models, limits: { userDollarsPerDay: 2 } });
  const { host } = stage;
  expect(await host.spendingLimits()).toEqual([{ agent: "ada", model: "local", userDollarsPerDay: 2, priced: false }]);
  expect(priceNotices(await host.spendingLimits())).toEqual([
    {
      code: "price-unknown",
      message:
        '“ada” may cost $2 a day, and the price of “local” is not known: its turns are refused. Set it under “models” in charter.config.ts or in models.json, in dollars per million tokens: "local": { …, price: { input: 0.4, output: 1.6 } }.',
    },
  ]);
  const priced = await stage.another({ models: { local: { ...models.local, price: { input: 1, output: 2 } } } });
  expect(priceNotices(await priced.spendingLimits())).toEqual([]);
  const free = await stage.another({ limits: {} });
  expect(await free.spendingLimits()).toEqual([]);
});
