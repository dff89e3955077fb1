import { afterEach, expect, test } from "vitest";
import { defineCharter, fromText } from "../../src/index.ts";
import { type HostStage, newHost } from "./stage.ts";

let stage: HostStage;
afterEach(() => stage.close());

const query = { agent: "ada", user: "bo", channel: "web" };
const address = "http://127.0.0.1:9/v1";
const env = { OPENAI_COMPATIBLE_BASE_URL: "http://ann:secret@127.0.0.1:9" };

/** A host whose agent has a model nobody knows: it is not loaded to look at a prompt. */
async function unknownModel(settings: object = {}, options: object = {}) {
  stage = await newHost("sqlite", { loadModel: undefined as never, env, ...options });
  const { store } = stage;
  const model = "openai-compatible/own";
  await store.agents.put({ name: "ada", charter: "assistant", model, settings: { ...settings } });
  const seen = async () => {
    const { receiver, edition } = await stage.host.gather(query);
    return { window: receiver.window, edition };
  };
  return { store, model, seen };
}

test("what is shown of an agent has the window its next turn works with", async () => {
  const { store, model, seen } = await unknownModel();
  expect(await seen()).toEqual({ window: null, edition: "full" });
  await store.windows.learn({ model, address, tokens: 4096, how: "said" });
  const later = await stage.another();
  const { receiver, edition } = await later.gather(query);
  expect([receiver.window, edition]).toEqual([4096, "full"]);
});

test("a window in an agent's settings holds before what was learned", async () => {
  const { store, model, seen } = await unknownModel({ window: 30_000 });
  await store.windows.learn({ model, address, tokens: 4096, how: "said" });
  expect(await seen()).toEqual({ window: 30_000, edition: "full" });
});

test("a window that is none is named, with what it may be", async () => {
  const { seen } = await unknownModel({ window: 500 });
  await expect(seen()).rejects.toMatchObject({
    code: "bad-facts",
    message: expect.stringContaining("“window”"),
  });
});

test("a host's window is its model's: an agent with a model of its own has another", async () => {
  const { store, seen } = await unknownModel({}, { window: 5000, model: "openai-compatible/own" });
  expect(await seen()).toEqual({ window: null, edition: "full" });
  await store.agents.put({ name: "ada", charter: "assistant", settings: {} });
  expect(await seen()).toEqual({ window: 5000, edition: "full" });
});

test("a turn of a host works with the window of its agent's settings", async () => {
  stage = await newHost();
  const { host, store, model } = stage;
  await store.agents.put({ name: "ada", charter: "assistant", settings: { window: 1000 } });
  model.say("Fine.");
  const outcome = await host.runTurn({ ...query, input: "word ".repeat(3000) });
  expect(outcome).toMatchObject({ state: "failed", problem: { code: "request-too-long" } });
  expect(model.requests).toEqual([]);
});

test("a stranger's text with no room for it is shown cut as the turn cuts it", async () => {
  const mail = () => fromText("Thanks. ".repeat(100_000), { source: "mail of mallory" });
  const sections = [{ name: "mail", heading: "## Mail", trust: "foreign" as const, sources: [mail] }];
  const charter = defineCharter({ name: "mailbox", layers: [{ name: "mail", mutability: "live", sections }] });
  stage = await newHost("sqlite", { charters: { mailbox: charter } });
  const { host, store, model } = stage;
  await store.agents.put({ name: "ada", charter: "mailbox", settings: { window: 20_000 } });
  const { prompt } = await host.preview(query);
  const { request } = await host.nextRequest(query);
  const { notices } = await host.runTurn({ ...query, input: "Go." });
  const cut = /\(cut here: \d+ more characters\)/;
  const [shown, next, sent] = [prompt.text, request, model.requests[0]].map(
    (one) => cut.exec(JSON.stringify(one))?.[0],
  );
  expect(shown).toEqual(expect.any(String));
  expect([next, sent]).toEqual([shown, shown]);
  expect(prompt.notices).toEqual(notices.filter(({ code }) => code === "text-mended"));
});
