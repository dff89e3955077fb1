import { expect, test } from "vitest";
import { type KnownModel, modelGroups, modelState } from "./models.tsx";

const model = (name: string, more: Partial<KnownModel> = {}): KnownModel => ({
  ...{ name, provider: name.split("/")[0] as string, own: false, key: "present", standIn: false },
  ...{ window: null, price: null, problem: null, tested: null },
  ...more,
});
const problem = { code: "needs-key", message: "It needs a key.", hint: "Set it." };
const at = "2026-02-18T12:00:00.000Z";

const rows: [what: string, model: KnownModel | undefined, short: string, tone: string][] = [
  ["nothing known", undefined, "not checked", "plain"],
  ["a key that was not tried", model("a/b"), "key set", "plain"],
  ["no key", model("a/b", { key: "missing", problem }), "no key", "bad"],
  ["no address", model("a/b", { problem: { ...problem, code: "needs-address" } }), "not set up", "bad"],
  [
    "an unknown one",
    model("a/b", { key: "missing", problem: { ...problem, code: "unknown-model" } }),
    "unknown",
    "bad",
  ],
  ["one that answered", model("a/b", { tested: { at, ok: true } }), "works", "good"],
  ["one that did not", model("a/b", { tested: { at, ok: false, problem } }), "test failed", "bad"],
  ["one without a key", model("a/b", { key: "not-needed" }), "no key needed", "plain"],
  ["the stand-in", model("stand-in/scripted", { standIn: true, tested: { at, ok: true } }), "stand-in", "wait"],
];
for (const [what, one, short, tone] of rows)
  test(`of ${what}: ${short}`, () => {
    expect(modelState(one)).toMatchObject({ short, tone });
  });

test("your own models come first, then what has a key, then the others", () => {
  const all = [
    model("stand-in/scripted", { standIn: true }),
    model("openai/x", { key: "missing", problem }),
    model("anthropic/x"),
    model("mine", { own: true }),
    model("anthropic/y"),
  ];
  expect(modelGroups(all)).toEqual([
    ["Your own models", ["mine"]],
    ["anthropic", ["anthropic/x", "anthropic/y"]],
    ["openai (no key set)", ["openai/x"]],
    ["Without a model", ["stand-in/scripted"]],
  ]);
});
