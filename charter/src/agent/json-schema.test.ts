import { type } from "arktype";
import * as v from "valibot";
import { expect, test } from "vitest";
import { toJSONSchema, z } from "zod";
import * as mini from "zod/mini";
import { z as zod3 } from "zod3";
import { z as zod3v4 } from "zod3/v4";
import { z as zod41 } from "zod4-1";
import type { Charter } from "../prompt/charter.ts";
import { jsonSchemaOf, type StandardSchema } from "./schema.ts";
import type { Tool, toolInput } from "./tool.ts";
import { readMemory, readPrompt, saveMemory, updateInstructions } from "./tools/index.ts";
import { cancelReminder, setReminder } from "./tools/reminders.ts";
import { offersOf } from "./toolset.ts";
import { workspaceTools } from "./workspace/workspace-tools.ts";

type Standard = StandardSchema["~standard"];

/** A schema of some other library, which takes everything. */
function standardOf(vendor: string, input?: NonNullable<Standard["jsonSchema"]>["input"]): StandardSchema {
  const jsonSchema = input && { input };
  return { "~standard": { version: 1, vendor, validate: (value) => ({ value }), jsonSchema } };
}

const count = { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
const zod4 = {
  type: "object",
  properties: { city: { type: "string", description: "Where" }, count },
  required: ["city"],
};

const rows: [library: string, schema: StandardSchema, written: object][] = [
  ["zod", z.object({ city: z.string().describe("Where"), count: z.int().min(1).optional() }), zod4],
  ["zod 4.1", zod41.object({ city: zod41.string().describe("Where"), count: zod41.int().min(1).optional() }), zod4],
  [
    "zod/v4 of 3.25",
    zod3v4.object({ city: zod3v4.string().describe("Where"), count: zod3v4.int().min(1).optional() }),
    zod4,
  ],
  [
    "zod/mini",
    mini.object({
      city: mini.string().register(z.globalRegistry, { description: "Where" }),
      count: mini.optional(mini.int().check(mini.minimum(1))),
    }),
    zod4,
  ],
  [
    "zod 3.25",
    zod3.object({ city: zod3.string().describe("Where"), count: zod3.number().int().min(1).optional() }),
    {
      type: "object",
      properties: { city: { type: "string", description: "Where" }, count: { type: "integer", minimum: 1 } },
      required: ["city"],
      additionalProperties: false,
    },
  ],
  [
    "valibot",
    v.object({
      city: v.pipe(v.string(), v.description("Where")),
      count: v.optional(
        v.pipe(
          v.number(),
          v.integer(),
          v.minValue(1),
          v.check((count) => count % 2 === 0),
        ),
      ),
    }),
    {
      type: "object",
      properties: { city: { type: "string", description: "Where" }, count: { type: "integer", minimum: 1 } },
      required: ["city"],
    },
  ],
  [
    "arktype",
    type({ city: type.string.describe("Where"), "count?": "number.integer >= 1" }),
    {
      type: "object",
      properties: { city: { type: "string", description: "Where" }, count: { type: "integer", minimum: 1 } },
      required: ["city"],
    },
  ],
];
for (const [library, schema, written] of rows)
  test(`a schema of ${library} is JSON Schema by that library's own means`, async () => {
    const { $schema: _, ...made } = await jsonSchemaOf(schema);
    expect(made).toEqual(written);
  });

test("of zod 3, what is used twice is written twice, and a circle is a reference", async () => {
  const place = zod3.object({ city: zod3.string() });
  const twice = JSON.stringify(await jsonSchemaOf(zod3.object({ from: place, to: place })));
  expect([twice.includes("$ref"), twice.split('"city":').length]).toEqual([false, 3]);
  type Tree = { leaf: string; below: Tree[] };
  const tree: zod3.ZodType<Tree> = zod3.object({ leaf: zod3.string(), below: zod3.lazy(() => tree.array()) });
  expect(await jsonSchemaOf(zod3.object({ tree }))).toMatchObject({
    properties: { tree: { properties: { below: { type: "array", items: { $ref: "#/properties/tree" } } } } },
  });
});

test("an arktype from before the standard had JSON Schema is asked by its own method, for what goes in", async () => {
  const { in: input } = type({ count: "string.integer.parse" });
  const old = { ...standardOf("arktype"), in: { toJsonSchema: () => input.toJsonSchema() } };
  expect(await jsonSchemaOf(old)).toMatchObject({ properties: { count: { type: "string" } } });
});

test("the newest draft is asked for first, and what was said of it is the reason", async () => {
  const asked: string[] = [];
  const writing = (drafts: readonly string[]) =>
    standardOf("other", ({ target }) => {
      asked.push(target);
      if (!drafts.includes(target)) throw new Error(`Nothing in ${target}.`);
      return { type: "object", title: target };
    });
  expect(await jsonSchemaOf(writing(["draft-07"]))).toEqual({ type: "object", title: "draft-07" });
  expect(asked).toEqual(["draft-2020-12", "draft-07"]);
  await expect(jsonSchemaOf(writing([]))).rejects.toThrow("Nothing in draft-2020-12.");
});

const tool = (input: StandardSchema, more: Partial<Tool> = {}): Tool => ({
  name: "look",
  summary: "Look",
  input,
  run: () => "",
  ...more,
});

test("a library without any means is a Problem, unless the tool has a schema", async () => {
  const other = standardOf("effect");
  await expect(offersOf([tool(other)])).rejects.toMatchObject({
    code: "bad-tool",
    message:
      "The tool “look” cannot be offered to a model: How a schema of “effect” is written as JSON Schema is not known.",
    hint: "Give the tool a `schema`: the JSON Schema of its input.",
  });
  const schema = { type: "object", properties: {} };
  expect(await offersOf([tool(other, { schema })])).toEqual([{ name: "look", description: "Look", input: schema }]);
});

test("what JSON cannot say is a Problem of that tool", async () => {
  for (const input of [z.object({ at: z.date() }), v.object({ at: v.date() }), z.string()])
    await expect(offersOf([tool(input)])).rejects.toMatchObject({
      code: "bad-tool",
      message: expect.stringMatching(/^The tool “look” cannot be offered to a model: ./),
      hint: expect.stringContaining("`schema`"),
    });
});

test("our own tools are offered as zod writes them, to the byte", async () => {
  const sections = [{ name: "s", original: "" }];
  const charter: Charter = {
    name: "c",
    layers: [{ name: "l", mutability: { amendableBy: ["agent"], scope: "agent" }, sections }],
  };
  const own = [readMemory(), saveMemory(), readPrompt(charter), updateInstructions({ section: "s" })];
  const tools = [...own, setReminder(), cancelReminder(), ...workspaceTools({ root: import.meta.dirname })];
  const written = tools.map(({ input }) => {
    const { fields } = input as ReturnType<typeof toolInput>;
    const { $schema: _, ...schema } = toJSONSchema(z.object(fields(z)), { io: "input" });
    return JSON.stringify(schema);
  });
  expect((await offersOf(tools)).map(({ input }) => JSON.stringify(input))).toEqual(written);
});
