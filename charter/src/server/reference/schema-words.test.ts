import { expect, test } from "vitest";
import { type Schema, schemaWords } from "./reference.ts";

const rows: [what: string, schema: Schema, words: string][] = [
  ["a word", { type: "string" }, "string"],
  ["a time", { type: "string", format: "date-time" }, "time"],
  ["one or nothing", { type: ["string", "null"] }, "string | null"],
  ["a choice", { enum: ["append", "reset"] }, '"append" | "reset"'],
  ["one value", { const: true }, "true"],
  ["a named shape", { $ref: "#/components/schemas/Agent" }, "Agent"],
  ["a list", { type: "array", items: { $ref: "#/components/schemas/Agent" } }, "[Agent, …]"],
  ["either", { anyOf: [{ type: "string" }, { type: "integer" }] }, "string | integer"],
  ["both", { allOf: [{ $ref: "#/a/A" }, { $ref: "#/a/B" }] }, "A & B"],
  ["anything", {}, "any JSON"],
  ["nothing in it", { type: "object", properties: {} }, "{}"],
  ["whatever in it", { type: "object", additionalProperties: {} }, "{\n  …: any JSON\n}"],
  [
    "an object in an object",
    {
      type: "object",
      required: ["name"],
      properties: {
        name: { type: "string", description: "Who\nit is." },
        place: { type: "object", required: ["city"], properties: { city: { type: "string" } } },
      },
    },
    "{\n  name: string  // Who it is.\n  place?: {\n    city: string\n  }\n}",
  ],
];
for (const [what, schema, words] of rows)
  test(`a schema is written down: ${what}`, () => {
    expect(schemaWords(schema)).toBe(words);
  });
