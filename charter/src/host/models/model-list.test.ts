import { expect, test } from "vitest";
import { areModelNames, modelFields, modelNames } from "./model-names.ts";

test("a list of models is a text with commas, or a list; nothing is none", () => {
  expect(modelNames("a/one, b/two")).toEqual(["a/one", "b/two"]);
  expect(modelNames(["a/one", "b/two"])).toEqual(["a/one", "b/two"]);
  expect([modelNames(""), modelNames(null), modelNames(undefined)]).toEqual([[], [], []]);
  expect(modelFields("a/one,b/two,c/three")).toEqual({ model: "a/one", fallbacks: ["b/two", "c/three"] });
  expect(modelFields("")).toEqual({ model: null, fallbacks: [] });
  expect(["a/one", ["a/one", "b/two"], [], ["a/one", ""], [1], 7, ""].map(areModelNames)).toEqual([
    ...[true, true, false, false, false, false, false],
  ]);
});

test("each model is named once, and an agent over ACP first", () => {
  expect(modelNames("acp/claude,a/one")).toEqual(["acp/claude", "a/one"]);
  expect(() => modelNames("a/one,a/one")).toThrow("“a/one” is named twice.");
  expect(() => modelNames("a/one,acp/claude")).toThrow("“acp/claude” is an agent over ACP, and comes after another");
});
