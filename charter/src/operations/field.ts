/**
 * The fields of operations: what may be given, and what is answered. A field is plain data; doors derive from it what they
 * need: the check of what came in, options and help of a command, JSON Schema for OpenAPI and MCP, what users are told.
 */

/** Fields by name. */
export type Fields = Readonly<Record<string, Field<unknown>>>;

/** What values have these fields, as TypeScript sees them. What is optional may be left out. */
export type ValuesOf<Some extends Fields> = {
  readonly [Name in keyof Some as undefined extends Some[Name]["holds"] ? never : Name]: Some[Name]["holds"];
} & { readonly [Name in keyof Some as undefined extends Some[Name]["holds"] ? Name : never]?: Some[Name]["holds"] };

/** What a field's value is, apart from whether it has to be there. */
type Kind =
  | { readonly is: "text"; readonly format?: "date-time" | "base64"; readonly pattern?: Pattern }
  | { readonly is: "number"; readonly whole: boolean; readonly least?: number; readonly most?: number }
  | { readonly is: "flag" }
  | { readonly is: "one-of"; readonly values: readonly (string | number | boolean)[] }
  | { readonly is: "list"; readonly item: Field<unknown>; readonly least?: number; readonly most?: number }
  /** `open`: fields besides those named may be in it. */
  | { readonly is: "object"; readonly fields: Fields; readonly open?: true }
  | { readonly is: "record"; readonly item: Field<unknown> }
  | { readonly is: "either"; readonly fields: readonly Field<unknown>[] }
  | { readonly is: "anything" };

/** A text's form, and what is said of one that has another. */
type Pattern = { readonly form: RegExp; readonly reason: string };

type More = {
  readonly says?: string;
  readonly example?: unknown;
  /** The name of the schema in OpenAPI: written once, and referred to. */
  readonly schema?: string;
  /** What that schema is, wherever it stands; `says` is about this place. */
  readonly about?: string;
  readonly isOptional?: true;
  readonly isNullable?: true;
  readonly usual?: unknown;
  readonly isTold?: true;
  readonly only?: "command" | "route";
  /** Of a route with a body: it stands in the query all the same. */
  readonly isInQuery?: true;
  /** The header of a route that it is given in. */
  readonly header?: string;
  /** The letter of its option: `-a`. */
  readonly letter?: string;
  /** What stands for its value in help: `--user <id>`. */
  readonly word?: string;
  /** Of a flag: there is also an option that says it is not so, `--no-trust`. */
  readonly isNegatable?: true;
  /** Its option is given a file (`-` is standard input) with the value in it: JSON, where it is no text. */
  readonly isFile?: true;
  /** Its option has a second one beside it that reads the text from a file: `--content-file`. */
  readonly hasFile?: true;
};

/** One field. Every method gives another one; the first stays as it is. */
export class Field<Holds> {
  /** Only for TypeScript: there is no such property. */
  declare readonly holds: Holds;
  readonly kind: Kind;
  readonly more: More;

  constructor(kind: Kind, more: More = {}) {
    this.kind = kind;
    this.more = more;
  }

  with(more: More): Field<Holds> {
    return new Field(this.kind, { ...this.more, ...more });
  }

  /** One sentence about it: for help, OpenAPI and the model that calls a tool. */
  says(says: string): Field<Holds> {
    return this.with({ says });
  }

  example(example: unknown): Field<Holds> {
    return this.with({ example });
  }

  /** Under this name in OpenAPI. */
  named(schema: string, says?: string): Field<Holds> {
    return this.with({ schema, ...(says === undefined ? {} : { says, about: says }) });
  }

  optional(): Field<Holds | undefined> {
    return new Field<Holds | undefined>(this.kind, { ...this.more, isOptional: true });
  }

  /** It has to be there: in a path, whatever a command may leave out. */
  required(): Field<Exclude<Holds, undefined>> {
    const { isOptional: _, ...more } = this.more;
    return new Field<Exclude<Holds, undefined>>(this.kind, more);
  }

  nullable(): Field<Holds | null> {
    return new Field<Holds | null>(this.kind, { ...this.more, isNullable: true });
  }

  /** What it is where nothing is given. */
  usual(usual: Holds): Field<Holds> {
    return this.with({ usual });
  }

  /** In an answer: users are told it. What is not told is the operator's; within it, its own fields say what is told. */
  told(): Field<Holds> {
    return this.with({ isTold: true });
  }

  /** Only at this door: an option of the command that the route lacks, or the other way round. */
  only(door: "command" | "route"): Field<Holds> {
    return this.with({ only: door });
  }

  /** In the query, though the route has a body. */
  inQuery(): Field<Holds> {
    return this.with({ isInQuery: true });
  }

  /** In a header of the route: `idempotency-key`. */
  inHeader(header: string): Field<Holds> {
    return this.with({ header });
  }

  /** How its option is typed: its letter, and what stands for its value in help. */
  option(word: string, letter?: string): Field<Holds> {
    return this.with({ word, ...(letter === undefined ? {} : { letter }) });
  }

  /** A flag that can also be denied: nothing was said, yes, or no. */
  orNot(): Field<Holds> {
    return this.with({ isNegatable: true });
  }

  /** What a command reads from a file. */
  fromFile(): Field<Holds> {
    return this.with({ isFile: true });
  }

  /** A text that a command also reads from a file. */
  orFile(): Field<Holds> {
    return this.with({ hasFile: true });
  }
}

export function text(says?: string, pattern?: Pattern): Field<string> {
  return new Field({ is: "text", ...(pattern && { pattern }) }, saying(says));
}

/** A time, in ISO 8601. */
export function time(says?: string): Field<string> {
  return new Field({ is: "text", format: "date-time" }, { ...saying(says), example: "2026-02-18T15:04:00.000Z" });
}

export function whole(says?: string, bounds: { readonly least?: number; readonly most?: number } = {}): Field<number> {
  return new Field({ is: "number", whole: true, ...bounds }, saying(says));
}

export function number(says?: string, bounds: { readonly least?: number; readonly most?: number } = {}): Field<number> {
  return new Field({ is: "number", whole: false, ...bounds }, saying(says));
}

/** True or false in an answer; in an input something that is so where it is said. */
export function flag(says?: string): Field<boolean> {
  return new Field({ is: "flag" }, saying(says));
}

export function oneOf<const Value extends string | number | boolean>(
  values: readonly Value[],
  says?: string,
): Field<Value> {
  return new Field({ is: "one-of", values }, saying(says));
}

export function list<Item>(
  item: Field<Item>,
  says?: string,
  bounds: { readonly least?: number; readonly most?: number } = {},
): Field<readonly Item[]> {
  return new Field({ is: "list", item, ...bounds }, saying(says));
}

export function object<Some extends Fields>(fields: Some, says?: string): Field<ValuesOf<Some>> {
  return new Field({ is: "object", fields }, saying(says));
}

/** An object with fields besides, of which nothing is known. */
export function openObject<Some extends Fields>(
  fields: Some,
  says?: string,
): Field<ValuesOf<Some> & Readonly<Record<string, unknown>>> {
  return new Field({ is: "object", fields, open: true }, saying(says));
}

/** Values under names that are anyone's choice. */
export function record<Item>(item: Field<Item>, says?: string): Field<Readonly<Record<string, Item>>> {
  return new Field({ is: "record", item }, saying(says));
}

/** One of several shapes: the first that fits. */
export function either<const Some extends readonly Field<unknown>[]>(...fields: Some): Field<Some[number]["holds"]> {
  return new Field({ is: "either", fields });
}

/** Any JSON. */
export function anything(says = "Any JSON."): Field<unknown> {
  return new Field({ is: "anything" }, { says });
}

/** Fields of an answer that users are told, all of them. */
export function told<Some extends Fields>(fields: Some): Some {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.told()])) as Some;
}

function saying(says: string | undefined): More {
  return says === undefined ? {} : { says };
}
