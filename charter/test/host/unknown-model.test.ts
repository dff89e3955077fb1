import { expect, test } from "vitest";
import { createHost } from "../../src/host/index.ts";
import { memoryStore } from "../../src/testing/index.ts";

test("a model that does not exist stops turns, not the sight of the prompt", async () => {
  const store = await memoryStore();
  const host = createHost({ store, env: {} });
  await store.agents.add({ name: "lost", charter: "assistant", model: "nowhere/none" });
  const { prompt } = await host.preview({ agent: "lost", channel: "web" });
  expect(prompt.text).toContain("## Soul\nYou are a helpful assistant.");
  expect(prompt.notices).toEqual([
    { code: "unknown-model", message: expect.stringMatching(/^It takes no turns while its model cannot be found\. /) },
  ]);
  await host.amendmentContext({ agent: "lost", user: "bo" });
  await expect(host.runTurn({ agent: "lost", user: "bo", input: "Hi.", channel: "web" })).rejects.toMatchObject({
    code: "unknown-model",
  });
  await host.close(0);
  await store.close();
});
