import { afterAll, beforeAll, expect, test } from "vitest";
import { createHost } from "../../../src/host/create-host.ts";
import { allRoutes, createApi } from "../../../src/server/app.ts";
import { createStore, type Store, sqlite } from "../../../src/store/index.ts";
import { createFolder } from "../../cli.ts";
import type { Json } from "../served.ts";

const folder = createFolder();
const database = `${folder.path}/charter.db`;
let store: Store;
beforeAll(async () => {
  store = await createStore(sqlite(database));
  await store.agents.add({ name: "lost", charter: "assistant", model: "nowhere/none" });
  await store.agents.add({ name: "keyless", charter: "assistant", model: "anthropic/claude-sonnet-4-5" });
});
afterAll(async () => {
  await store.close();
  folder.remove();
});

const unknown =
  "There is no model “nowhere/none”. Name it as provider/model, with one of the providers “acp”, “anthropic”, “openai”, “openai-chat”, “azure”, “google”, “openrouter”, “ollama”, “openai-compatible”, “stand-in”.";
const noProvider = "There is no provider “nowhere” for the model “nowhere/none”.";
const noKey = "“anthropic/claude-sonnet-4-5” needs a key, and ANTHROPIC_API_KEY is not set.";

test.each([
  ["lost", 404, { code: "unknown-model", message: noProvider }, `while its model cannot be found. ${unknown}`],
  [
    "keyless",
    500,
    { code: "needs-key", message: noKey },
    `while its model cannot be asked. ${noKey} Set ANTHROPIC_API_KEY, or use “stand-in/scripted”, which needs none.`,
  ],
])(
  "the prompt of “%s” is shown with a notice, and its turns fail with the problem",
  async (agent, status, problem, told) => {
    const host = createHost({ store, env: {} });
    const api = createApi({ host, operator: "olga", routes: allRoutes });
    const { secret } = await store.tokens.create({ name: "olga", kind: "operator" });
    const ask = async (method: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
      const said = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await api.fetch(new Request(`http://localhost/api${path}`, { method, headers, ...said }));
      return { status: answer.status, body: (await answer.json()) as Json };
    };
    const { body: prompt } = await ask("GET", `/agents/${agent}/prompt?user=bo&channel=web`);
    expect(prompt.text).toMatch(/^## Soul\nYou are a helpful assistant\.\n/);
    expect(prompt.notices).toEqual([{ code: problem.code, message: `It takes no turns ${told}` }]);
    const { answersWith } = (await ask("GET", `/agents/${agent}`)).body;
    expect(answersWith).toMatchObject({ model: null, standIn: false, problem: { code: problem.code } });
    // What the page of the prompt asks for beside it.
    for (const path of ["snapshot", "prompt?parts=inputs,request", "sections"])
      expect([path, (await ask("GET", `/agents/${agent}/${path}`)).status]).toEqual([path, 200]);
    const turn = await ask("POST", `/agents/${agent}/turns`, { user: "bo", input: "Hi." });
    expect([turn.status, turn.body.error]).toMatchObject([status, problem]);
    expect(await store.turns.list({ agent })).toEqual([]);
    await host.close(0);
  },
);

test("charter show --agent shows the prompt, and the notice beside it; a key may be set elsewhere", () => {
  const show = (agent: string) => folder.charter(["show", "--agent", agent, "--database", database]);
  const { code, stdout, stderr } = show("lost");
  expect([code, stdout.slice(0, 36), stderr]).toEqual([
    0,
    "## Soul\nYou are a helpful assistant.",
    `notice: unknown-model: It takes no turns while its model cannot be found. ${unknown}\n`,
  ]);
  expect(show("keyless")).toMatchObject({ code: 0, stderr: "" });
});
