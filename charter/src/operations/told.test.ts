import { expect, test } from "vitest";
import { anything, either, list, object, record, text, whole } from "./field.ts";
import { toldPart } from "./read-input.ts";

const turn = object({
  id: text().told(),
  model: text(),
  output: anything().told(),
  usage: object({ input: whole().told() }),
  because: object({ code: text().told(), trace: text() }).told().nullable(),
});

test("users are told the fields that say so, of objects in them again only those", () => {
  const one = {
    ...{ id: "t1", model: "openai/gpt-5", output: { model: "any" }, usage: { input: 7 } },
    because: { code: "failed", trace: "at x" },
  };
  expect(toldPart(object({ turns: list(turn).told(), total: whole() }), { turns: [one], total: 1 })).toEqual({
    turns: [{ id: "t1", output: { model: "any" }, because: { code: "failed" } }],
  });
  expect(toldPart(turn, { ...one, because: null, secret: 1 })).toEqual({
    id: "t1",
    output: { model: "any" },
    because: null,
  });
});

test("of several shapes the one is meant that knows the names; of records every value is told so far", () => {
  const shapes = either(object({ call: text().told(), cost: whole() }), object({ tool: text().told(), pin: text() }));
  expect(toldPart(shapes, { tool: "bash", pin: "x" })).toEqual({ tool: "bash" });
  expect(toldPart(shapes, { call: "c1", cost: 3 })).toEqual({ call: "c1" });
  expect(toldPart(record(turn), { a: { id: "t1", model: "m" } })).toEqual({ a: { id: "t1" } });
});
