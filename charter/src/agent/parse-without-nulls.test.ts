import { type } from "arktype";
import * as v from "valibot";
import { expect, test } from "vitest";
import { z } from "zod";
import { z as zod3 } from "zod3";
import type { StandardSchema } from "./schema.ts";
import { issuePath, parseWithoutNulls } from "./tool.ts";

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
  test(`null: ${what}`, async () => {
    const before = structuredClone(value);
    expect(await parseWithoutNulls(schema, value)).toEqual({ value: becomes });
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
  test(`a field ${what} is objected to as it was written, and nothing else is`, async () => {
    const { issues } = await parseWithoutNulls(schema, value);
    expect(issues?.map((issue) => `${issuePath(issue).join(".")}: ${issue.message}`)).toEqual(places);
  });

test("of a JSON Schema, as extensions have them", async () => {
  const properties = { at: { type: "string" }, more: { type: "object", properties: { n: { type: "number" } } } };
  const given = z.fromJSONSchema({ type: "object", properties, required: ["at"] } as never);
  expect(await parseWithoutNulls(given, { at: "x", more: { n: null } })).toEqual({ value: { at: "x", more: {} } });
  expect((await parseWithoutNulls(given, { at: null })).issues?.length).toBe(1);
});

/** At the root stands a `note` that may be null: an issue inside `either` must not be taken for one of it. */
const libraries: [library: string, schema: StandardSchema][] = [
  [
    "zod 3",
    zod3.object({
      words: zod3.string(),
      limit: zod3.number().optional(),
      note: zod3.string().nullable(),
      either: zod3.union([zod3.object({ note: zod3.string().optional() }), zod3.object({ two: zod3.string() })]),
    }),
  ],
  [
    "valibot",
    v.object({
      words: v.string(),
      limit: v.optional(v.number()),
      note: v.nullable(v.string()),
      either: v.union([v.object({ note: v.optional(v.string()) }), v.object({ two: v.string() })]),
    }),
  ],
  [
    "arktype",
    type({
      words: "string",
      "limit?": "number",
      note: "string | null",
      either: type({ "note?": "string" }).or({ two: "string" }),
    }),
  ],
];
for (const [library, schema] of libraries)
  test(`null in what ${library} judges`, async () => {
    const given = { words: "x", limit: null, note: null, either: { note: null } };
    expect(await parseWithoutNulls(schema, given)).toMatchObject({ value: { words: "x", note: null, either: {} } });
    const { issues = [] } = await parseWithoutNulls(schema, { ...given, words: null });
    expect(issues.map(issuePath)).toEqual([["words"]]);
  });

test("a schema that takes its time, and one that needs to be called as a method", async () => {
  const taken = z.string().refine(async (name) => name !== "ada", "That name is taken.");
  const slow = z.object({ name: taken, note: z.string().optional() });
  expect(await parseWithoutNulls(slow, { name: "eva", note: null })).toEqual({ value: { name: "eva" } });
  expect(await parseWithoutNulls(slow, { name: "ada" })).toMatchObject({
    issues: [{ message: "That name is taken." }],
  });
  const method: StandardSchema["~standard"] & { readonly least: number } = {
    version: 1,
    vendor: "own",
    least: 3,
    validate(value) {
      return Number(value) >= this.least ? { value } : { issues: [{ message: "Too small." }] };
    },
  };
  expect(await parseWithoutNulls({ "~standard": method }, 2)).toEqual({ issues: [{ message: "Too small." }] });
});
