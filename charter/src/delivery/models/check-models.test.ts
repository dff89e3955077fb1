import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { checkModels, modelApis, reasonings } from "./model-entry.ts";

const check = (models: unknown) => checkModels(models, { place: "models.json", code: "bad-config" });

test("a table of models is taken as it is", () => {
  const language = { specificationVersion: "v4", provider: "own.chat", modelId: "own-1", doStream: async () => ({}) };
  const models = {
    own: language,
    "team/qwen3:8b": {
      base: "http://localhost:8000/v1?api-version=1",
      model: "qwen3:8b",
      api: "openai-compatible",
      key: "$TEAM_KEY",
      window: 32_768,
      price: { input: 0.4, output: 1.6, read: 0.1 },
      slots: "one-string",
      cache: "prefix",
      attachments: ["image"],
      output: 2000,
      reasoning: "low",
      headers: { "x-team": "ada", "x-key": { env: "TEAM_HEADER" } },
      roles: "alternate",
    },
    claude: { api: "anthropic", model: "claude-opus-5-5", cache: { kind: "none" }, key: { env: "TEAM_KEY" } },
  };
  expect(check(models)).toBe(models);
});

const secret = "sk-verysecret";
const base = "http://localhost:8000/v1";
const wrong: readonly (readonly [models: unknown, message: string])[] = [
  [[], "The models in models.json are no object."],
  [
    { [`${secret} `]: { base } },
    "A name of a model in models.json is none: 1 to 100 letters, digits and ._:@/+-, a letter or digit first.",
  ],
  [{ "acp/claude": { base } }, "“acp/claude” in models.json cannot be the name of a model of yours: it is taken."],
  [
    { "stand-in/mine": { base } },
    "“stand-in/mine” in models.json cannot be the name of a model of yours: it is taken.",
  ],
  [{ "stand-in": { base } }, "“stand-in” in models.json cannot be the name of a model of yours: it is taken."],
  [
    { local: secret },
    "“local” in models.json is no model, of the AI SDK or otherwise, and does not say how one is reached.",
  ],
  [
    { local: { specificationVersion: "v1", provider: "p", modelId: "m", doStream: async () => ({}) } },
    "“local” in models.json is no model, of the AI SDK or otherwise, and does not say how one is reached.",
  ],
  [{ local: {} }, "The model “local” in models.json does not say where it is served: it has no “base”."],
  [{ local: { api: "azure" } }, "The model “local” in models.json does not say where it is served: it has no “base”."],
  [
    { local: { base, apiKey: secret } },
    "“apiKey” of the model “local” in models.json is not a setting. Those are base, model, api, key, window, price, slots, cache, attachments, output, reasoning, headers, guardsTokens, roles.",
  ],
  [
    { local: { base: `http://ada:${secret}@localhost` } },
    "“base” of the model “local” in models.json is no address of a server: one begins with http:// or https://, and has no password in it.",
  ],
  [
    { local: { base, key: 17 } },
    '“key” of the model “local” in models.json is no key, and names no variable, as in "$MY_KEY" or { env: "MY_KEY" }.',
  ],
  [
    { local: { base, key: `$${secret}` } },
    '“key” of the model “local” in models.json is no key, and names no variable, as in "$MY_KEY" or { env: "MY_KEY" }.',
  ],
  [
    { local: { base, window: 10 } },
    "“window” of the model “local” in models.json is no number of tokens: a whole one from 1000 up.",
  ],
  [
    { local: { base, price: { input: 1 } } },
    "“price” of the model “local” in models.json is no price: dollars per million tokens, as in { input: 0.4, output: 1.6 }; read and write may be added.",
  ],
  [
    { local: { base, cache: { kind: "prefix" } } },
    '“cache” of the model “local” in models.json is none of “none”, “prefix”, “breakpoint”, nor rules like { kind: "prefix", min: 1024, granularity: 128, ttlSeconds: 300 }.',
  ],
  [
    { local: { base, headers: { "x-key": `${secret}\n` } } },
    '“headers” of the model “local” in models.json is no object of headers, as in { "x-team": "ada", "x-key": "$TEAM_KEY" }.',
  ],
  [{ local: { base, roles: "strict" } }, "“roles” of the model “local” in models.json is none of “alternate”, “any”."],
];

test.each(wrong)("what is wrong with %j is named, and no key repeated", (models, message) => {
  expect(() => check(models)).toThrow(expect.objectContaining({ code: "bad-config", message }));
  expect(message).not.toContain(secret);
});

test("docs/models.schema.json knows the same fields and words", () => {
  const path = resolve(import.meta.dirname, "../../../../docs/models.schema.json");
  const { properties } = JSON.parse(readFileSync(path, "utf8")).$defs.model;
  const told = /Those are (.*)\.$/.exec(messageOf({ local: { base, other: 1 } }))?.[1];
  expect(Object.keys(properties).join(", ")).toBe(told);
  expect([properties.api.enum, properties.reasoning.enum]).toEqual([modelApis, reasonings]);
});

function messageOf(models: unknown): string {
  try {
    check(models);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}
