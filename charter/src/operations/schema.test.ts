import { expect, test } from "vitest";
import { anything, either, flag, list, number, object, oneOf, record, text, time, whole } from "./field.ts";
import { type JsonSchema, objectSchema, schemaOf } from "./read-input.ts";

test("every kind of field is a schema", () => {
  const fields = {
    name: text("A name.").example("ada"),
    at: time().nullable(),
    count: whole("How many.", { least: 1, most: 9 }).usual(3),
    share: number().optional(),
    loud: flag().optional(),
    kind: oneOf(["one", "other"]).nullable(),
    marks: list(whole(), "Marks.", { least: 1 }),
    facts: record(text()),
    model: either(text(), list(text())),
    extra: anything().optional(),
  };
  expect(objectSchema(fields, { isStrict: true })).toEqual({
    type: "object",
    properties: {
      name: { type: "string", description: "A name.", example: "ada" },
      at: { type: ["string", "null"], format: "date-time", example: "2026-02-18T15:04:00.000Z" },
      count: { type: "integer", minimum: 1, maximum: 9, description: "How many.", default: 3 },
      share: { type: "number" },
      loud: { type: "boolean" },
      kind: { anyOf: [{ type: "string", enum: ["one", "other"] }, { type: "null" }] },
      marks: { type: "array", items: { type: "integer" }, minItems: 1, description: "Marks." },
      facts: { type: "object", additionalProperties: { type: "string" } },
      model: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
      extra: { description: "Any JSON." },
    },
    required: ["name", "at", "kind", "marks", "facts", "model"],
    additionalProperties: false,
  });
});

test("a schema with a name is written once, and referred to", () => {
  const named = new Map<string, JsonSchema>();
  const scope = object({ agent: text() }).named("Scope", "Whose it is.");
  expect(schemaOf(object({ one: scope, other: scope.nullable() }), { named })).toEqual({
    type: "object",
    properties: {
      one: { $ref: "#/components/schemas/Scope" },
      other: { anyOf: [{ $ref: "#/components/schemas/Scope" }, { type: "null" }] },
    },
    required: ["one", "other"],
  });
  expect([...named]).toEqual([
    [
      "Scope",
      { type: "object", properties: { agent: { type: "string" } }, required: ["agent"], description: "Whose it is." },
    ],
  ]);
});
