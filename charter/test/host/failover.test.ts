import { expect, test } from "vitest";
import type { Model } from "../../src/delivery/model.ts";
import { createHost } from "../../src/host/index.ts";
import { Problem } from "../../src/prompt/problem.ts";
import { failsWith, memoryStore, scriptedModel } from "../../src/testing/index.ts";

const noKey = new Problem("no-key", "There is no key for “test/one”.", "Set ONE_KEY.");

test("a host asks an agent's models in order: one that is out, or cannot be loaded, is stood in for", async () => {
  const store = await memoryStore();
  const models = new Map<string, Model>([
    [
      "test/one",
      scriptedModel([failsWith({ code: "model-rejected", retry: false, outage: true }), "One."], {
        receiver: { name: "test/one" },
        repeatLast: true,
      }),
    ],
    ["test/two", scriptedModel(["Two."], { receiver: { name: "test/two" }, repeatLast: true })],
  ]);
  const loadModel = async (name: string) => {
    const model = models.get(name);
    if (!model) throw noKey;
    return model;
  };
  const host = createHost({ store, env: {}, loadModel, model: ["test/one", "test/two"] });
  await store.agents.add({ name: "ada", charter: "assistant", model: "test/one", fallbacks: ["test/two"] });
  await store.agents.add({ name: "eve", charter: "assistant" });
  const ask = (agent: string, session?: string) =>
    host.runTurn({ agent, user: "bo", input: "Hi.", channel: "web", ...(session ? { session } : {}) });

  const first = await ask("ada");
  expect([first.reply, first.notices.map(({ code }) => code)]).toEqual(["Two.", ["model-changed"]]);
  expect((await ask("ada")).reply).toBe("Two.");
  expect((await ask("ada", "new")).reply).toBe("One.");
  // The host's own list holds for agents that name no model.
  expect((await ask("eve")).reply).toBe("One.");

  // A key that is missing is no reason to be silent, and what the prompt would be is shown without a warning.
  const one = models.get("test/one") as Model;
  models.delete("test/one");
  const away = createHost({ store, env: {}, loadModel });
  expect((await away.preview({ agent: "ada", channel: "web" })).prompt.notices).toEqual([]);
  const missing = await away.runTurn({ agent: "ada", user: "cy", input: "Hi.", channel: "web" });
  expect([missing.reply, missing.steps, missing.notices.map(({ message }) => message)]).toEqual([
    "Two.",
    1,
    ["“test/one” refused the request: “test/two” is asked instead."],
  ]);
  models.set("test/one", one);
  const back = await away.runTurn({ agent: "ada", user: "cy", input: "Hi.", channel: "web", session: "new" });
  expect([back.reply, back.notices.map(({ code }) => code)]).toEqual(["One.", ["session-new"]]);
  models.clear();
  const gone = createHost({ store, env: {}, loadModel });
  await expect(gone.runTurn({ agent: "ada", user: "cy", input: "Hi.", channel: "web" })).rejects.toBe(noKey);
  for (const one of [host, away, gone]) await one.close(0);
  await store.close();
});
