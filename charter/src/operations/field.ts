/**
 * Fields of operations: what may be given, and what is answered. A field is plain data. Doors derive from it the check of an
 * input, a command's options and help, JSON Schema for OpenAPI and MCP, and which parts of an answer users see.
 */

/** Fields by name. */
export type Fields = Readonly<Record<string, Field<unknown>>>;

/** Type of values that have these fields; optional ones may be left out. */
export type ValuesOf<Some extends Fields> = {
  readonly [Name in keyof Some as undefined extends Some[Name]["holds"] ? never : Name]: Some[Name]["holds"];
} & { readonly [Name in keyof Some as undefined extends Some[Name]["holds"] ? Name : never]?: Some[Name]["holds"] };

/** Type of a field's value, apart from whether the value is required. */
type Kind =
  | { readonly is: "text"; readonly format?: "date-time" | "base64"; readonly pattern?: Pattern }
  | { readonly is: "number"; readonly whole: boolean; readonly least?: number; readonly most?: number }
  | { readonly is: "flag" }
  | { readonly is: "one-of"; readonly values: readonly (string | number | boolean)[] }
  | { readonly is: "list"; readonly item: Field<unknown>; readonly least?: number; readonly most?: number }
  /** `open` lets it have fields besides those named. */
  | { readonly is: "object"; readonly fields: Fields; readonly open?: true }
  | { readonly is: "record"; readonly item: Field<unknown> }
  | { readonly is: "either"; readonly fields: readonly Field<unknown>[] }
  | { readonly is: "anything" };

/** Pattern a text must match, and the reason to give if it does not. */
type Pattern = { readonly form: RegExp; readonly reason: string };

type More = {
  readonly says?: string;
  readonly example?: unknown;
  /** Name of the schema in OpenAPI, where it is written once and referred to. */
  readonly schema?: string;
  /** Description of that schema wherever it stands; `says` is about this field. */
  readonly about?: string;
  readonly isOptional?: true;
  readonly isNullable?: true;
  readonly usual?: unknown;
  readonly isTold?: true;
  readonly only?: "command" | "route";
  /** Puts the field into the query, though the route has a body. */
  readonly isInQuery?: true;
  /** Name of the route's header that carries it. */
  readonly header?: string;
  /** Letter of its option: `-a`. */
  readonly letter?: string;
  /** Placeholder of its value in help: `--user <id>`. */
  readonly word?: string;
  /** Gives it a second option that denies it, such as `--no-trust`. */
  readonly isNegatable?: true;
  /** Lets a command leave it out where the database has only one such agent or user. */
  readonly isOnlyOne?: true;
  /** Makes its option take a file (`-` is standard input) that holds the value, as JSON unless it is a text. */
  readonly isFile?: true;
  /** Adds a second option that reads the text from a file: `--content-file`. */
  readonly hasFile?: true;
};

/** A field. Every method returns a new one; the first stays as it is. */
export class Field<Holds> {
  /** Type parameter for TypeScript alone: the property does not exist. */
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

  /** Describes the field in one sentence, for help, OpenAPI and the model that calls a tool. */
  says(says: string): Field<Holds> {
    return this.with({ says });
  }

  example(example: unknown): Field<Holds> {
    return this.with({ example });
  }

  /** Names its schema in OpenAPI. */
  named(schema: string, says?: string): Field<Holds> {
    return this.with({ schema, ...(says === undefined ? {} : { says, about: says }) });
  }

  optional(): Field<Holds | undefined> {
    const { isOnlyOne: _, ...more } = this.more;
    return new Field<Holds | undefined>(this.kind, { ...more, isOptional: true });
  }

  /** Lets a command take the only one there is, where none is named. */
  orOnlyOne(): Field<Holds> {
    return this.with({ isOnlyOne: true });
  }

  /** Makes it required: in a path, for example, though a command may leave it out. */
  required(): Field<Exclude<Holds, undefined>> {
    const { isOptional: _, ...more } = this.more;
    return new Field<Exclude<Holds, undefined>>(this.kind, more);
  }

  nullable(): Field<Holds | null> {
    return new Field<Holds | null>(this.kind, { ...this.more, isNullable: true });
  }

  /** Sets the default. */
  usual(usual: Holds): Field<Holds> {
    return this.with({ usual });
  }

  /** Shows it to users in an answer. A field without this is for operators alone; inside it, each field decides for itself. */
  told(): Field<Holds> {
    return this.with({ isTold: true });
  }

  /** Limits it to one door: an option of the command that the route lacks, or the other way round. */
  only(door: "command" | "route"): Field<Holds> {
    return this.with({ only: door });
  }

  /** Puts it into the query, though the route has a body. */
  inQuery(): Field<Holds> {
    return this.with({ isInQuery: true });
  }

  /** Takes it from a header of the route: `idempotency-key`. */
  inHeader(header: string): Field<Holds> {
    return this.with({ header });
  }

  /** Sets how its option is typed: the placeholder of its value in help, and its letter. */
  option(word: string, letter?: string): Field<Holds> {
    return this.with({ word, ...(letter === undefined ? {} : { letter }) });
  }

  /** Lets it be denied as well, so that it has three states: not given, given, denied. */
  orNot(): Field<Holds> {
    return this.with({ isNegatable: true });
  }

  /** Makes a command read the value from a file. */
  fromFile(): Field<Holds> {
    return this.with({ isFile: true });
  }

  /** Lets a command read the text from a file too. */
  orFile(): Field<Holds> {
    return this.with({ hasFile: true });
  }
}

export function text(says?: string, pattern?: Pattern): Field<string> {
  return new Field({ is: "text", ...(pattern && { pattern }) }, saying(says));
}

/** A time in ISO 8601. */
export function time(says?: string): Field<string> {
  return new Field({ is: "text", format: "date-time" }, { ...saying(says), example: "2026-02-18T15:04:00.000Z" });
}

export function whole(says?: string, bounds: { readonly least?: number; readonly most?: number } = {}): Field<number> {
  return new Field({ is: "number", whole: true, ...bounds }, saying(says));
}

export function number(says?: string, bounds: { readonly least?: number; readonly most?: number } = {}): Field<number> {
  return new Field({ is: "number", whole: false, ...bounds }, saying(says));
}

/** A boolean: true or false in an answer, true or left out in an input. */
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

/** An object that may have further fields, of which nothing is known. */
export function openObject<Some extends Fields>(
  fields: Some,
  says?: string,
): Field<ValuesOf<Some> & Readonly<Record<string, unknown>>> {
  return new Field({ is: "object", fields, open: true }, saying(says));
}

/** An object whose keys are not known beforehand. */
export function record<Item>(item: Field<Item>, says?: string): Field<Readonly<Record<string, Item>>> {
  return new Field({ is: "record", item }, saying(says));
}

/** A value of one of several shapes: the first that fits. */
export function either<const Some extends readonly Field<unknown>[]>(...fields: Some): Field<Some[number]["holds"]> {
  return new Field({ is: "either", fields });
}

/** Any JSON. */
export function anything(says = "Any JSON."): Field<unknown> {
  return new Field({ is: "anything" }, { says });
}

/** Shows all of these fields of an answer to users. */
export function told<Some extends Fields>(fields: Some): Some {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.told()])) as Some;
}

function saying(says: string | undefined): More {
  return says === undefined ? {} : { says };
}

/** Fields that many operations share. */

/** Page of a long list. */
export const page = {
  limit: whole("How many rows.", { least: 1, most: 1000 }).usual(50).option("n"),
  offset: whole("How many rows to pass over.", { least: 0 }).usual(0).option("n"),
};

/** Fields of a list besides its rows. */
export const more = flag("Whether the list goes on after these rows.").told();
export const total = whole("How many rows there are in all, on every page together.").told();

export const agent = text("The agent's name.").example("ada").option("name", "a").orOnlyOne();

/** User an operator asks about. A user is always themselves. */
export const user = text("The user (default: the agent's own, for all).").example("bo").option("id", "u").optional();

/** User whose copy is meant; with `--no-user` nobody's, as in a job. */
export const whose = user.says("The user; without one, the agent's own, for all.").orOnlyOne().orNot();

/** Name to record for the person at the command, since everyone there is the operator. */
export const by = text("Who does it.").option("name").only("command").optional().usual("operator");

/** Sender to an agent's inbox, in a user's place. No argument of a tool: a model names nobody. */
export const counterpart = text("In place of a user, whoever writes to an agent's inbox: an address, or shop/bo.")
  .option("name")
  .only("command")
  .optional();

export const scope = object({ agent: text().told(), user: text().told().optional() })
  .named("Scope", "An agent's own text, or its text for one user.")
  .example({ agent: "ada" });

/** Notice for the caller. */
export const notice = object({
  code: text().told(),
  section: text().told().optional(),
  message: text().told(),
}).named("Notice", "Something the operator should know.");

export const attachment = {
  digest: text("SHA-256 of its bytes: `GET /api/agents/{agent}/attachments/{digest}`.").told(),
  mediaType: text().told(),
  bytes: whole().told(),
  name: text().told().optional(),
  width: whole().told().optional(),
  height: whole().told().optional(),
  pages: whole().told().optional(),
};

/** Options of commands that work in a directory of this machine. */

/** A text that may not be empty if it is given. */
export function filled(says: string) {
  return text(says, { form: /[\s\S]/, reason: "is empty" });
}

export const lock = text("The lock file to compare with (default: charter.lock, if there is one).")
  .option("file")
  .optional();

/** Settings file, for commands that ask models. */
export const settings = filled("The settings file (default: charter.config.ts here, if there is one that is trusted).")
  .option("file")
  .optional();

export const tokenizer = text("The way tokens are counted: o200k_base (default), cl100k_base or estimate.")
  .option("t")
  .optional();

/** Directories of a coding agent: where it works, and where its files for every project are. */
export const places = {
  cwd: text("The working directory (default: the current one).").option("dir").optional(),
  home: text("Your own files for every project (default: ~/.charter/agent; with --config .pi ~/.pi/agent).")
    .option("dir")
    .optional(),
  config: text("A project's configuration directory: .charter (default), .sf, .pi, ….").option("name").optional(),
};

/** Options that say what of that directory is used. */
export const directory = {
  ...places,
  trust: flag("Trust the project, or not, for this command only (default: what charter trust recorded).")
    .orNot()
    .optional(),
  tools: text("Active built-in tools (default: read,bash,edit,write; also grep, find, ls).").option("a,b").optional(),
  skill: list(text(), "A skill or a directory of skills.").option("path").optional(),
  extension: list(text(), "An extension.").option("file").optional(),
  allow: list(text(), "A further directory the file tools may use; bash is not confined.").option("dir").optional(),
};

export type PlaceValues = ValuesOf<typeof places>;
export type DirectoryValues = ValuesOf<typeof directory>;

/** Options of the commands that assemble a prompt. */

export const edition = oneOf(["full", "compact"], "The edition (default: the one that fits).");
export const channel = text("The channel of the turn: web, telegram, scheduled or terminal.")
  .example("web")
  .option("c")
  .optional();

const input = text("The facts of the turn, as JSON (docs/facts.md); default: an empty turn, now.")
  .option("file|-", "i")
  .only("command")
  .optional();

/** Options that say how a prompt is made on this machine: from which facts, with which limits. */
export const assembly = {
  input,
  limitTokens: whole("Trim the prompt to so many tokens.", { least: 0 }).option("n").only("command").optional(),
  limitChars: whole("Trim the prompt to so many characters.", { least: 0 }).option("n").only("command").optional(),
  lock: lock.only("command"),
  timeLimit: whole("The timeout of a source, in seconds (default: 10); after it the source is unavailable.", {
    least: 0,
  })
    .option("s")
    .only("command")
    .optional(),
};

/** Options in place of a database: a charter and its facts. */
export const bare = {
  charter: text(
    "Instead of an agent: artifact, assistant, sovereign, coder, resident, one of charter.config.ts, or your own .ts or .js file.",
  )
    .option("name|file", "c")
    .only("command")
    .optional(),
  tokenizer: tokenizer.only("command"),
};

/** Directories of a coding agent and what of them is used, for commands alone. */
export const inDirectory = onlyCommand(directory);

function onlyCommand<Some extends Fields>(fields: Some): Some {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.only("command")])) as Some;
}
