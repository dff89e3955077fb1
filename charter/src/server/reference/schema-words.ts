/** A JSON Schema, as far as ours go. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly format?: string;
  readonly description?: string;
};

/** A schema as someone would write it down: `{ name: string, times?: integer }`. Schemas with a name are named. */
export function schemaWords(schema: Schema, indent = ""): string {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1) as string;
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const several = schema.anyOf ?? schema.oneOf;
  if (several) return several.map((one) => schemaWords(one, indent)).join(" | ");
  if (schema.allOf) return schema.allOf.map((one) => schemaWords(one, indent)).join(" & ");
  const types = [schema.type ?? (schema.properties ? "object" : [])].flat();
  if (types.length === 0) return "any JSON";
  return types.map((type) => typeWords(type, schema, indent)).join(" | ");
}

function typeWords(type: string, schema: Schema, indent: string): string {
  if (type === "array") return `[${schemaWords(schema.items ?? {}, indent)}, …]`;
  if (type === "object") return objectWords(schema, indent);
  return type === "string" && schema.format === "date-time" ? "time" : type;
}

function objectWords({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string {
  const deeper = `${indent}  `;
  const known = Object.entries(properties).map(([name, one]) => {
    const said = one.description === undefined ? "" : `  // ${one.description.replace(/\s+/g, " ")}`;
    return `${deeper}${name}${required.includes(name) ? "" : "?"}: ${schemaWords(one, deeper)}${said}`;
  });
  const open = typeof additionalProperties === "object" ? schemaWords(additionalProperties, deeper) : "any JSON";
  const others = additionalProperties ? [`${deeper}…: ${open}`] : [];
  const lines = [...known, ...others];
  return lines.length === 0 ? "{}" : `{\n${lines.join("\n")}\n${indent}}`;
}
