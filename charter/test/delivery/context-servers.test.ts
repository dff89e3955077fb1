import { describe, expect, test } from "vitest";
import { loadModel } from "../../src/delivery/models/provider.ts";
import { type ContextProvider, contextProviders } from "./context-refusal.ts";
import { startContextServer } from "./context-servers.ts";
import { ask, hello } from "./loopback.ts";

const long = { ...hello, messages: [{ role: "user" as const, text: "word ".repeat(2000) }] };

/** They do not say how much they take. */
const wordless: readonly ContextProvider[] = ["openai", "old-llama.cpp"];

/** These tell before the model is loaded. LM Studio tells then. */
const telling: readonly ContextProvider[] = ["ollama", "vllm", "llama.cpp", "old-llama.cpp", "openrouter"];

describe.each(contextProviders)("%s", (provider) => {
  test("what fits is answered, what does not is too long", async () => {
    const server = await startContextServer({ provider, window: 1200 });
    const model = await loadModel(server.model, { env: server.env });
    const { answer, heard } = await ask(model, hello);
    expect([answer?.text, heard, answer?.usage.input]).toEqual([
      "All right.",
      ["All ", "right."],
      server.asked[0]?.tokens,
    ]);
    const { fault } = await ask(model, long);
    expect(fault).toEqual({
      code: "model-rejected",
      message: expect.stringMatching(/^“.+” rejected the request(?: \((?:400|500)\))?: .*(?:context|too long|maximum)/),
      retry: false,
      tooLong: wordless.includes(provider) ? {} : { window: 1200 },
    });
    expect(server.asked.map(({ became }) => became)).toEqual(["answered", "refused"]);
    await server.close();
  });

  test("what it tells of its window is asked for", async () => {
    const server = await startContextServer({ provider, window: 1200, unloaded: true });
    const model = await loadModel(server.model, { env: server.env });
    const tells = await model.askWindow?.({ signal: new AbortController().signal });
    await ask(model, hello);
    const later = await model.askWindow?.({ signal: new AbortController().signal });
    expect([model.address, tells, later]).toEqual([
      expect.stringMatching(new RegExp(`^${server.url}/`)),
      telling.includes(provider) ? 1200 : model.askWindow ? null : undefined,
      telling.includes(provider) || provider === "lm-studio" ? 1200 : model.askWindow ? null : undefined,
    ]);
    await server.close();
  });
});

test("an address is kept without what is secret in it", async () => {
  const env = { OPENAI_COMPATIBLE_BASE_URL: "https://ann:secret@example.test/v1/?token=secret" };
  expect((await loadModel("openai-compatible/x", { env })).address).toBe("https://example.test/v1");
});
