import { expect, test } from "vitest";
import { fieldsFor, problemField } from "./setting-field.tsx";
import { changeOf, setupOf } from "./setup.ts";

const agent = { charter: "assistant", model: "a/one", fallbacks: ["b/two"], settings: { zone: "UTC" } };
const before = setupOf(agent);

test("only what differs is sent", () => {
  expect(before).toEqual({ charter: "assistant", label: "", models: ["a/one", "b/two"], settings: { zone: "UTC" } });
  expect(changeOf(before, { ...before, settings: { zone: "UTC" } })).toBeUndefined();
  expect(changeOf(before, { ...before, models: ["a/one", "b/two", " "] })).toBeUndefined();
  expect(changeOf(before, { ...before, models: ["b/two"] })).toEqual({ model: ["b/two"] });
  expect(changeOf(before, { ...before, models: [""] })).toEqual({ model: null });
  expect(changeOf(before, { ...before, label: " Desk " })).toEqual({ label: "Desk" });
  expect(changeOf({ ...before, label: "Desk" }, before)).toEqual({ label: null });
  expect(changeOf(before, { ...before, charter: "artifact", settings: {} })).toEqual({
    charter: "artifact",
    settings: {},
    replace: true,
  });
});

const rows: [code: string, message: string, field: string | undefined][] = [
  ["bad-facts", "The fact “zone” should be text, not number 7.", "zone"],
  [
    "bad-facts",
    "The fact “original.identity” has no “age”: only name, vibe and description.",
    "original.identity.name",
  ],
  ["bad-settings", "The setting “secondOpinion” is 7, which is no model's name.", "secondOpinion"],
  ["bad-settings", "The charter assistant does not read “zoon”.", undefined],
  ["unknown-model", "There is no provider “zone” for the model “zone/x”.", "models"],
  ["bad-label", 'The label "x" cannot be used.', "label"],
  ["agent-exists", "There is an agent “zone” already.", "name"],
];
for (const [code, message, field] of rows)
  test(`“${message}” is told at ${field ?? "the form"}`, () => {
    expect(problemField({ code, message }, fieldsFor(["original.identity.name", "original.soul"]))).toBe(field);
  });
