import { expect, test } from "vitest";
import { standardOf } from "./toolset.ts";

const objections = async (properties: object, value: unknown) => {
  const schema = standardOf({ jsonSchema: { type: "object", properties } });
  return (await schema["~standard"].validate(value)).issues?.length ?? 0;
};

test("a bare JSON Schema is heeded as far as it can be read", async () => {
  expect(await objections({ city: { type: "string", pattern: "^[A-Z]" } }, { city: "rome" })).toBe(1);
  expect(await objections({ city: { type: "string", pattern: "^\\p{Lu}" } }, { city: "Épinal" })).toBe(0);
  expect(await objections({ city: { $ref: "https://example.com/city" } }, { city: "Rome" })).toBe(0);
});
