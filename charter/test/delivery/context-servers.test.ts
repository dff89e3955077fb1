import { describe, expect, test } from "vitest";
import { loadModel } from "../../src/delivery/models/provider.ts";
import { type ContextProvider, contextProviders } from "./context-refusal.ts";
import { startContextServer } from "./context-servers.ts";
import { ask, hello } from "./loopback.ts";

const long = { ...hello, messages: [{ role: "user" as const, text: "word ".repeat(2000) }] };

/** They do not say how much they take. */
const wordless: readonly ContextProvider[] = ["openai", "old-llama.cpp"];

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
});
