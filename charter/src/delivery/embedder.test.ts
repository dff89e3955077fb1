import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Problem } from "../prompt/problem.ts";
import { givenEmbedder } from "./embedder.ts";

/** Answers like the servers that speak OpenAI's protocol: a vector of a text's length. */
const asked: { readonly path: string; readonly key: string | undefined; readonly body: unknown }[] = [];
const server = createServer((request, response) => {
  let words = "";
  request.on("data", (chunk) => {
    words += chunk;
  });
  request.on("end", () => {
    const body = JSON.parse(words) as { input: string[] };
    asked.push({ path: request.url ?? "", key: request.headers.authorization, body });
    const data = body.input.map((text, index) => ({ object: "embedding", index, embedding: [text.length, 1] }));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ object: "list", data, model: "m", usage: { prompt_tokens: 1, total_tokens: 1 } }));
  });
});
let base: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(() => server.close());

const about = { signal: new AbortController().signal };

test("an embedding model is asked by its name, at its provider or as the table says", async () => {
  const env = { OPENAI_API_KEY: "sk-1", OPENAI_BASE_URL: base, OLLAMA_BASE_URL: base, OWN_KEY: "own-1" };
  const models = { own: { base, key: "$OWN_KEY", model: "bge-m3" } };
  for (const name of ["openai/text-embedding-3-small", "ollama/nomic-embed-text", "own"])
    expect(await givenEmbedder(name, { env, models }).embed(["tea", "coffee"], about)).toEqual([
      [3, 1],
      [6, 1],
    ]);
  expect(asked.map(({ path, key, body }) => [path, key, (body as { model: string }).model])).toEqual([
    ["/v1/embeddings", "Bearer sk-1", "text-embedding-3-small"],
    ["/v1/embeddings", undefined, "nomic-embed-text"],
    ["/v1/embeddings", "Bearer own-1", "bge-m3"],
  ]);
});

test("a model of the AI SDK is asked as many texts at a time as it takes", async () => {
  const calls: string[][] = [];
  const embedder = givenEmbedder(
    {
      specificationVersion: "v4",
      provider: "test",
      modelId: "two-at-once",
      maxEmbeddingsPerCall: 2,
      doEmbed: async ({ values }) => {
        calls.push(values);
        return { embeddings: values.map((text) => [text.length]), warnings: [] };
      },
    },
    { env: {} },
  );
  expect([embedder.name, await embedder.embed(["a", "bb", "ccc"], about)]).toEqual([
    "test/two-at-once",
    [[1], [2], [3]],
  ]);
  expect(calls).toEqual([["a", "bb"], ["ccc"]]);
});

test("a name nobody knows is told at once, a missing key when it is asked, anything else by its kind", async () => {
  const code = (work: () => unknown) => {
    try {
      return work();
    } catch (error) {
      return (error as Problem).code;
    }
  };
  for (const name of ["nobody/x", "openai/", "anthropic/claude-opus-4-5"])
    expect(code(() => givenEmbedder(name, { env: {} }))).toBe("unknown-embedder");
  expect(code(() => givenEmbedder({} as never, { env: {} }))).toBe("bad-argument");
  const keyless = givenEmbedder("openai/text-embedding-3-small", { env: {} });
  await expect(keyless.embed(["x"], about)).rejects.toMatchObject({ code: "needs-key" });
  await expect(keyless.embed(["x"], about)).rejects.toBeInstanceOf(Problem);
});
