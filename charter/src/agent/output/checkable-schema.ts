import { isRecord } from "../../prompt/argument.ts";

/** Whose value is data, not a schema. */
const data = new Set(["const", "enum", "default", "examples", "required"]);

/** Whose value has schemas by names of anybody's choice. */
const named = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);

/** What may take for ever to check, or is not checked at all. */
const refused = new Set(["$ref", "$dynamicRef", "$recursiveRef", "patternProperties", "propertyNames"]);

/**
 * A stranger's JSON Schema as it is checked. Patterns are left to the model: one of them can hold a process for years.
 * References are refused: a few lines of them make a schema without end.
 */
export function checkableSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(checkableSchema);
  if (!isRecord(schema)) return schema;
  const kept = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (refused.has(key)) throw new Error(`it has “${key}”: write it out without`);
    if (key === "pattern") return [];
    if (data.has(key)) return [[key, value]];
    if (!named.has(key) || !isRecord(value)) return [[key, checkableSchema(value)]];
    return [[key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, checkableSchema(one)]))]];
  });
  return Object.fromEntries(kept);
}
