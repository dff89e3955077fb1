import { afterEach, describe, expect, test } from "vitest";
import type { ModelConfig } from "../../src/delivery/models/model-entry.ts";
import { probeModel } from "../../src/delivery/models/probe.ts";
import { startRecorder } from "../../src/testing/strict/recorder.ts";
import { key } from "./loopback.ts";
import { type ModelServerOptions, modelServers, startModelServer } from "./model-servers.ts";

const opened: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

type Asked = {
  readonly server?: Partial<ModelServerOptions>;
  readonly entry?: Partial<ModelConfig>;
  limited?: boolean;
};

const apis: Readonly<Record<string, NonNullable<ModelConfig["api"]>>> = {
  ...{ ollama: "ollama", openrouter: "openrouter", azure: "azure" },
  ...{ anthropic: "anthropic", openai: "openai", google: "google" },
};

/** What is told of a model of such a server: address and port aside. */
async function told(provider: ModelServerOptions["provider"], { server = {}, entry = {}, limited }: Asked = {}) {
  const wants = provider === "ollama" ? {} : { key };
  const started = await startModelServer({ provider, window: 32_768, served: "own-1", ...wants, ...server });
  opened.push(started);
  const api = apis[provider] ?? "openai-compatible";
  const price = { input: 1, output: 2 };
  const models = { own: { base: started.url, model: "own-1", api, key: "$OWN_KEY", price, ...entry } };
  const found = await probeModel("own", {
    env: { OWN_KEY: key, WRONG: "sk-wrong-0123456" },
    models,
    limited: limited === true,
  });
  const lines = found.map(({ what, fine, hint }) => `${fine ? "fine" : "look"} ${what}${hint ? ` → ${hint}` : ""}`);
  return lines.map((line) => line.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, "http://there"));
}

const paths: Readonly<Record<string, string>> = { google: "/v1beta", openrouter: "/api/v1", azure: "/openai/v1" };
const silent = ["azure", "openai", "anthropic", "google"];

describe.each(modelServers)("%s", (_name, provider) => {
  const isSilent = silent.includes(provider);

  test("one that works answers, and its window is told where it tells", async () => {
    expect(await told(provider)).toEqual([
      `fine “own” at http://there${paths[provider] ?? "/v1"} answers.`,
      isSilent
        ? "fine “own”: how many tokens it takes is not known, and its server does not tell. → Set “window” for it, or the first request that is too long teaches it."
        : "fine “own” takes 32,768 tokens, as its server tells.",
      "fine “own” takes pictures.",
    ]);
  });

  test.skipIf(provider === "ollama")("a wrong key, and one that is missing", async () => {
    const [wrong] = await told(provider, { entry: { key: "$WRONG" } });
    expect(wrong).toMatch(/^look “own”: the server refuses the key \(40[01]\): .+ → Check WRONG: /);
    expect(wrong).not.toContain("sk-wrong-0123456");
    const [none] = await told(provider, { entry: { key: undefined as never } });
    expect(none).toMatch(
      /^look “own”: the server wants a key, and none is set \(40[01]\): .+ → Set “key” of the model “own”, as in key: "\$MY_KEY"\.$/,
    );
  });

  test.skipIf(provider === "llama.cpp")("a wrong name, and which there are", async () => {
    const [line] = await told(provider, { entry: { model: "own-2" } });
    expect(line).toMatch(/^look “own”: the server has no model “own-2” \(40[04]\): /);
    expect(line?.includes("It has “own-1”.")).toBe(provider !== "azure");
    expect(line).toMatch(/ → .*“model” of the model “own”\.$/);
  });

  test("a window that is set larger than the server's", async () => {
    const lines = await told(provider, { server: { window: 4096 }, entry: { window: 32_768 } });
    expect(lines[1]).toBe(
      isSilent
        ? "fine “own” takes 32,768 tokens, as is set or known of it."
        : "look “own”: its window is set to 32,768 tokens, and its server takes 4,096 tokens. → Set window: 4096, or have the server load the model with more.",
    );
  });

  // An answer of Anthropic's without a count is none: its package takes it for broken off.
  test.skipIf(provider === "anthropic")(
    "a server that counts nothing: fine, unless a limit in dollars holds",
    async () => {
      const server = { withoutUsage: true } as const;
      const free = (await told(provider, { server }))[1];
      const limited = (await told(provider, { server, limited: true }))[1];
      const words = "“own”: the server does not say how many tokens were used, so what it costs is not counted.";
      expect([free, limited].map((line) => line?.slice(0, 5 + words.length))).toEqual([
        `fine ${words}`,
        `look ${words}`,
      ]);
    },
  );

  test("nothing listens there", async () => {
    const closed = await startRecorder({ answer: [] });
    await closed.close();
    const [line] = await told(provider, { entry: { base: closed.url } });
    expect(line).toBe(
      "look “own”: nothing listens at http://there. → Start the server, or mend “base” of the model “own”.",
    );
  });
});

describe.each(["llama.cpp", "vllm", "lm-studio"] as const)("roles that must alternate, as %s says it", (provider) => {
  test("are told, and no trouble once that is set", async () => {
    const [line] = await told(provider, { server: { alternates: true } });
    expect(line).toMatch(/^look “own”: its chat template takes only roles that alternate/);
    expect(line).toMatch(/ → Set roles: "alternate" for it, in charter\.config\.ts or models\.json\.$/);
    const [fine] = await told(provider, { server: { alternates: true }, entry: { roles: "alternate" } });
    expect(fine).toBe("fine “own” at http://there/v1 answers.");
  });
});

test.each(["ollama", "llama.cpp", "vllm", "lm-studio", "openrouter"] as const)(
  "pictures that %s refuses are told, and none is tried where that is set",
  async (provider) => {
    const server = { blind: true } as const;
    expect((await told(provider, { server })).at(-1)).toBe(
      "fine “own” takes no pictures: it is told in words what was sent. → Set attachments: [] for it, and no picture is tried first.",
    );
    const set = await told(provider, { server, entry: { attachments: [] } });
    expect(set.filter((line) => line.includes("pictures"))).toEqual([]);
  },
);

test("an address with a wrong path, and one of a web page", async () => {
  const api = await startModelServer({ provider: "vllm", window: 32_768, served: "own-1" });
  const page = await startRecorder({
    answer: () => ({ headers: { "content-type": "text/html" }, body: "<html>Hi</html>" }),
  });
  opened.push(api, page);
  const at = async (base: string) => {
    const models = { own: { base, model: "own-1" } };
    const [found] = await probeModel("own", { env: {}, models });
    return [found?.what, found?.hint];
  };
  expect(await at(`${api.url}/v2`)).toEqual([
    `“own”: there is no API of models at ${api.url}/v2/chat/completions (404).`,
    `Its API is at ${api.url}/v1: set “base” of the model “own” to that.`,
  ]);
  expect(await at(page.url)).toEqual([
    `“own”: what answers at ${page.url}/v1/chat/completions is a web page or another server, not an API of models (200).`,
    "Check “base” of the model “own”: it ends where the protocol's paths begin, as in http://localhost:8000/v1.",
  ]);
});

test("a price that is not known is said, with the place to set it", async () => {
  expect((await told("vllm", { entry: { price: undefined as never } })).at(-1)).toBe(
    'fine “own”: its price is not known, so what it costs is not counted. → Set it under “models” in charter.config.ts or in models.json, in dollars per million tokens: "own": { …, price: { input: 0.4, output: 1.6 } }.',
  );
});

test("a variable that is not set is told without asking anyone", async () => {
  const found = await probeModel("own", { env: {}, models: { own: { base: "http://127.0.0.1:9", key: "$OWN_KEY" } } });
  expect(found).toEqual([
    {
      what: "“own” needs a key, and OWN_KEY is not set.",
      fine: false,
      hint: "Set OWN_KEY, or use “stand-in/scripted”, which needs none.",
    },
  ]);
});
