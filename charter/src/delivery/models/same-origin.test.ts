import { expect, test } from "vitest";
import { givenEmbedder } from "../embedder.ts";
import { loadModel, withinOrigin } from "./provider.ts";

const sentTo = (location: string, status = 307) => new Response(null, { status, headers: { location } });

/** Answers in order, and says what was asked. */
function server(...answers: readonly Response[]) {
  const asked: string[] = [];
  const left = [...answers];
  const fetching: typeof fetch = async (url, init) => {
    asked.push(`${init?.method} ${url} ${init?.redirect} ${new Headers(init?.headers).get("x-api-key")} ${init?.body}`);
    return left.shift() as Response;
  };
  return { asked, fetch: withinOrigin(fetching) };
}
const post = { method: "POST", body: "words", headers: { "x-api-key": "k1" } };

test("a redirect to another path of the same server is followed, with all that was sent", async () => {
  const { asked, fetch } = server(sentTo("/mcp/", 308), new Response("here"));
  expect(await (await fetch("https://one.test/mcp", post)).text()).toBe("here");
  expect(asked).toEqual(["POST https://one.test/mcp manual k1 words", "POST https://one.test/mcp/ manual k1 words"]);
});

test("neither key nor words go to another server, another port, or the same one without TLS", async () => {
  for (const to of [
    "https://other.test/",
    "//other.test/",
    "https://one.test:8443/",
    "http://one.test/",
    "nonsense://",
  ]) {
    const { asked, fetch } = server(sentTo(to));
    expect((await fetch("https://one.test/v1", post)).status).toBe(307);
    expect(asked).toHaveLength(1);
  }
});

test("a server that sends us round in circles is left", async () => {
  const { asked, fetch } = server(...Array.from({ length: 5 }, () => sentTo("/again")));
  expect([(await fetch("https://one.test/", post)).status, asked.length]).toEqual([307, 4]);
});

test("a model or an embedder whose server sends us elsewhere is out of reach: nothing goes there", async () => {
  const asked: string[] = [];
  const fetching: typeof fetch = async (url, init) => {
    asked.push(`${url} ${init?.redirect}`);
    return sentTo("https://other.test/v1/messages");
  };
  const { signal } = new AbortController();
  const env = { ANTHROPIC_API_KEY: "k1", OPENAI_API_KEY: "k2" };
  const model = await loadModel("anthropic/claude-opus-4-8", { env, fetch: fetching });
  const { fault } = await model.ask({ tools: [], system: [], messages: [{ role: "user", text: "Hi" }] }, { signal });
  expect(fault).toEqual({
    code: "model-unreachable",
    message:
      "“anthropic/claude-opus-4-8” cannot be reached: its server sends requests elsewhere (307), and they do not go there.",
    retry: false,
  });
  const embedder = givenEmbedder("openai/text-embedding-3-small", { env, fetch: fetching });
  await expect(embedder.embed(["Likes tea."], { signal })).rejects.toThrow();
  expect(asked).toEqual([
    "https://api.anthropic.com/v1/messages manual",
    "https://api.openai.com/v1/embeddings manual",
  ]);
});
