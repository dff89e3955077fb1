import { expect, test } from "vitest";
import { sampleOf } from "../../test/stage/sample-of.ts";
import { billOf, chargedFor } from "./bill.ts";

const predicted = { read: 5, written: 3, fresh: 2 };
const usage = { input: 100, read: 60, written: 10, output: 7 };

test("what the provider counted is the bill; what it counted nowhere is fresh", () => {
  expect(billOf({ usage, predicted })).toEqual({ read: 60, written: 10, fresh: 30, by: "provider" });
  expect(billOf({ usage: { ...usage, read: null, written: null }, predicted })).toEqual({
    read: 0,
    written: 0,
    fresh: 100,
    by: "provider",
  });
});

test("a provider that counts more as read than was sent does not make the rest less than nothing", () => {
  expect(billOf({ usage: { ...usage, read: 120 }, predicted })).toEqual({
    read: 100,
    written: 0,
    fresh: 0,
    by: "provider",
  });
});

test("where the provider said nothing it is the prediction, and where nothing was sent nothing", () => {
  const nothing = { input: null, read: null, written: null, output: null };
  expect(billOf({ usage: nothing, predicted })).toEqual({ ...predicted, by: "prediction" });
  expect(billOf({ usage: null, predicted: null })).toBeUndefined();
});

test("a turn that failed before anything was counted is charged for nothing", () => {
  expect(chargedFor(sampleOf("t", { state: "failed", predicted }))).toBeUndefined();
  expect(chargedFor(sampleOf("t", { state: "answered", predicted }))).toMatchObject(predicted);
  expect(chargedFor(sampleOf("t", { state: "failed", predicted, usage }))).toMatchObject({ read: 60 });
});
