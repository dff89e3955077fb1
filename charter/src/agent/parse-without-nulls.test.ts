import { expect, test } from "vitest";
import { z } from "zod";
import { parseWithoutNulls } from "./parse-without-nulls.ts";

const inner = z.object({ deep: z.string().optional(), must: z.number() });
const schema = z.object({
  words: z.string(),
  limit: z.number().optional(),
  kind: z.enum(["a", "b"]).default("a"),
  none: z.string().nullable().optional(),
  any: z.unknown().optional(),
  inner: inner.optional(),
  list: z.array(inner).optional(),
  maybe: z.array(z.string().optional()).optional(),
  either: z.union([z.object({ one: z.string(), note: z.string().optional() }), z.number()]).optional(),
});

const rows: [what: string, value: object, becomes: object][] = [
  ["an optional field is nothing", { words: "x", limit: null }, { words: "x", kind: "a" }],
  ["so is one with a default", { words: "x", kind: null }, { words: "x", kind: "a" }],
  ["several at once", { words: "x", limit: null, inner: null, list: null, either: null }, { words: "x", kind: "a" }],
  [
    "one that may be null is null",
    { words: "x", none: null, any: null },
    { words: "x", kind: "a", none: null, any: null },
  ],
  ["inside an object", { words: "x", inner: { deep: null, must: 1 } }, { words: "x", kind: "a", inner: { must: 1 } }],
  ["inside a list", { words: "x", list: [{ deep: null, must: 1 }] }, { words: "x", kind: "a", list: [{ must: 1 }] }],
  [
    "inside one of several shapes",
    { words: "x", either: { one: "y", note: null } },
    { words: "x", kind: "a", either: { one: "y" } },
  ],
];
for (const [what, value, becomes] of rows)
  test(`null: ${what}`, () => {
    const before = structuredClone(value);
    expect(parseWithoutNulls<object>(schema, value)).toEqual({ success: true, data: becomes });
    expect(value).toEqual(before);
  });

const faults: [what: string, value: object, places: string[]][] = [
  ["that has to be there", { words: null, limit: null }, ["words: Invalid input: expected string, received null"]],
  [
    "of something else beside it",
    { words: 7, limit: null },
    ["words: Invalid input: expected string, received number"],
  ],
  [
    "inside an object",
    { words: "x", inner: { deep: null, must: null } },
    ["inner.must: Invalid input: expected number, received null"],
  ],
  [
    "in a list of what may be left out",
    { words: "x", maybe: [null] },
    ["maybe.0: Invalid input: expected string, received null"],
  ],
  ["in a list", { words: "x", list: [null] }, ["list.0: Invalid input: expected object, received null"]],
];
for (const [what, value, places] of faults)
  test(`a field ${what} is objected to as it was written, and nothing else is`, () => {
    const { error } = parseWithoutNulls<object>(schema, value);
    expect(error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`)).toEqual(places);
  });

test("of a JSON Schema, as extensions have them", () => {
  const properties = { at: { type: "string" }, more: { type: "object", properties: { n: { type: "number" } } } };
  const given = z.fromJSONSchema({ type: "object", properties, required: ["at"] } as never) as z.ZodType<object>;
  expect(parseWithoutNulls(given, { at: "x", more: { n: null } })).toEqual({
    success: true,
    data: { at: "x", more: {} },
  });
  expect(parseWithoutNulls(given, { at: null }).success).toBe(false);
});
