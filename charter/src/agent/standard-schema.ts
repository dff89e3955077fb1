/**
 * A schema of any library that follows https://standardschema.dev: zod from 3.25 on, valibot, arktype and others. It
 * says what a value must be, and makes of it what a tool is given. Our own copy of that interface: no library is needed
 * to compile it.
 */
export type StandardSchema<Input = unknown, Output = Input> = {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => ValidateResult<Output> | Promise<ValidateResult<Output>>;
    /** Only for the compiler: nothing stands there while a program runs. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** The schema as JSON Schema, by the library's own means; not every one has them. */
    readonly jsonSchema?: JsonSchemaConverter | undefined;
  };
};

type ValidateResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** What is wrong with a value, and where in it. */
export type SchemaIssue = {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
};

type JsonSchemaConverter = {
  readonly input: (options: {
    readonly target: JsonSchemaTarget;
  }) => Record<string, unknown> | Promise<Record<string, unknown>>;
};
type JsonSchemaTarget = "draft-2020-12" | "draft-07";

/** The type of what a schema is given. */
export type SchemaInput<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["input"];

/** The type of what a schema returns for a valid value. */
export type SchemaOutput<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["output"];

export function isStandardSchema(given: unknown): given is StandardSchema {
  const isHolder = (typeof given === "object" && given !== null) || typeof given === "function";
  return isHolder && typeof (given as Partial<StandardSchema>)["~standard"]?.validate === "function";
}
