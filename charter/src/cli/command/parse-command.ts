import type { ParseArgsOptionsConfig } from "node:util";
import { nearestName } from "../../amend/override/misspelling.ts";
import type { Field, Fields } from "../../operations/field.ts";
import { type CommandWord, commandWords, fieldsAt, type Operation } from "../../operations/operation.ts";
import { type InvalidField, readFields } from "../../operations/read-input.ts";
import { eitherOf, Problem, reasonOf } from "../../prompt/problem.ts";

/** A command line, parsed as one of the command's operations. */
export type ParsedCommand = {
  readonly operation: Operation;
  readonly input: Readonly<Record<string, unknown>>;
  readonly database?: string;
  readonly json: boolean;
  /** Options that were denied, as in `--no-user`: no value is taken for them. */
  readonly denied: readonly string[];
  /** Arguments as they were typed. */
  readonly args: readonly string[];
};

/** Reads a file that is named in place of a text; `-` is standard input. */
type ReadFile = (path: string, what: string) => string;

/** Parses the arguments after a command's name as one of its operations. */
export function parseCommand(
  command: string,
  operations: readonly Operation[],
  { args, readFile }: { readonly args: readonly string[]; readonly readFile: ReadFile },
): ParsedCommand {
  const [own, behind] = splitAt(args, operations);
  const { values, positionals } = parseOptions(command, own, optionsOf(operations));
  const { operation, words } = operationFor(command, operations, [...positionals, ...behind], Object.keys(values));
  const name = spoken(operation);
  const fields = fieldsAt(operation.input, "command");
  const typedValues: Record<string, unknown> = { ...words };
  const from = new Map(Object.entries(words).map(([field, word]) => [field, `“${word}”`]));
  const usual = usualOptionsOf(operation);
  const denied: string[] = [];
  for (const [option, value] of Object.entries(values as Record<string, unknown>)) {
    if (Object.hasOwn(usual, option)) continue;
    const [field, isFile] = fieldOf(fields, option);
    if (field === undefined)
      throw new Problem("usage", `charter ${name} has no option --${option}.`, `See charter ${name} --help.`);
    const before = from.get(field);
    if (before !== undefined)
      throw new Problem("usage", `Both ${before} and --${option} were given.`, "Give one of them.");
    from.set(field, `--${option}`);
    const { kind, more } = fields[field] as Field<unknown>;
    if (kind.is !== "flag" && value === true) {
      denied.push(field);
      continue;
    }
    const typedValue = more.isNegatable && kind.is === "flag" ? option === optionName(field) : value;
    const typed = isFile || more.isFile ? readFile(String(value), `${field} file`) : typedValue;
    typedValues[field] = isJson(kind)
      ? jsonIn(typed, more.isFile ? `The ${field} file ${value}` : `--${option}`)
      : typed;
  }
  const invalid: InvalidField[] = [];
  const input = readFields(leftOut(fields), typedValues, { at: "", isText: true, invalid });
  const [first] = invalid;
  if (first) throw invalidOption(operation, first);
  const { database, json } = values as { readonly database?: string; readonly json?: boolean };
  return { operation, input, args, denied, json: json === true, ...(database === undefined ? {} : { database }) };
}

/** Fields of what was typed: of those with an only one, it is found later. */
function leftOut(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, field.more.isOnlyOne ? field.optional() : field]),
  );
}

/** Splits arguments at `--` if an operation has one in its pattern: the rest is another command's. */
function splitAt(args: readonly string[], operations: readonly Operation[]): [string[], string[]] {
  const at = args.indexOf("--");
  const isSplit = at !== -1 && operations.some(({ command }) => command?.split(" ").includes("--"));
  return isSplit ? [args.slice(0, at), args.slice(at)] : [[...args], []];
}

/** Finds the operation whose literal words come first; `schedules` means `schedules list`. */
function operationFor(
  command: string,
  operations: readonly Operation[],
  typed: readonly string[],
  options: readonly string[],
): { readonly operation: Operation; readonly words: Readonly<Record<string, unknown>> } {
  const tried = operations
    .map((operation) => ({ operation, ...match(operation, typed) }))
    .sort(
      (one, other) =>
        other.literals - one.literals ||
        Number(other.fits) - Number(one.fits) ||
        knownOf(options, other) - knownOf(options, one) ||
        fieldCount(other) - fieldCount(one),
    );
  const best = tried.find(({ fits, literals }) => fits && literals === tried[0]?.literals);
  if (best) return { operation: best.operation, words: best.words };
  const [nearest] = tried;
  const name = nearest ? spoken(nearest.operation) : command;
  const isBare = name === command && (operations.length === 1 || typed.length === 0);
  if (nearest && (nearest.literals + fieldCount(nearest) > 0 || isBare)) {
    const missing = wordsOf(nearest.operation).find(
      (word) => "field" in word && !word.isOptional && nearest.words[word.field] === undefined,
    );
    const field = missing && "field" in missing ? missing.field : undefined;
    if (field !== undefined && nearest.surplus === undefined)
      throw new Problem(
        "usage",
        `charter ${name} needs ${neededWords(nearest.operation, field)}.`,
        `See charter ${name} --help.`,
      );
    const isBefore = nearest.operation.command?.includes(" -- ");
    throw new Problem(
      "usage",
      isBefore
        ? `“${nearest.surplus}” has to come after “--”.`
        : `charter ${name} does not understand “${nearest.surplus}”.`,
      `See charter ${name} --help.`,
    );
  }
  const verbs = [...new Set(operations.flatMap((one) => verbOf(one) ?? []))];
  throw new Problem(
    "usage",
    typed.length === 0
      ? `charter ${command} needs one more word.`
      : `charter ${command} does not understand “${typed[0]}”.`,
    `${verbs.length === 0 ? "See" : `Say ${verbs.length === 1 ? verbs[0] : eitherOf(verbs)}; see`} charter ${command} --help.`,
  );
}

/** How many of the options that were typed an operation has. */
function knownOf(options: readonly string[], { operation }: { readonly operation: Operation }): number {
  const known = optionsOf([operation]);
  return options.filter((option) => Object.hasOwn(known, option)).length;
}

/** Number of words taken as fields. */
function fieldCount({ words }: Match): number {
  return Object.keys(words).length;
}

type Match = {
  readonly fits: boolean;
  /** Number of literal words. */
  readonly literals: number;
  readonly words: Readonly<Record<string, unknown>>;
  /** First word that is one too many. */
  readonly surplus: string | undefined;
};

function match(operation: Operation, typed: readonly string[]): Match {
  const pattern = wordsOf(operation).slice(1);
  const remaining = [...typed];
  const words: Record<string, unknown> = {};
  let literals = 0;
  let fits = true;
  for (const [at, word] of pattern.entries()) {
    const [next] = remaining;
    const needed = pattern.slice(at + 1).filter((one) => "field" in one && !one.isOptional).length;
    if ("literal" in word) {
      if (next === word.literal) {
        remaining.shift();
        literals++;
      } else if (word.literal === "--") return { fits: false, literals, words, surplus: next };
      else if (!word.isOptional) return { fits: false, literals: 0, words, surplus: next };
    } else if (word.isOptional && needed > 0 && remaining.length <= needed) continue;
    else if (next === undefined || next === "") fits &&= word.isOptional;
    else if (word.isRest) {
      const rest = remaining.splice(0);
      words[word.field] = operation.input[word.field]?.kind.is === "list" ? rest : rest.join(" ");
    } else words[word.field] = remaining.shift();
  }
  return { fits: fits && remaining.length === 0, literals, words, surplus: remaining[0] };
}

/** Words of an operation's command; none if it has no command. */
export function wordsOf({ command = "" }: Operation): readonly CommandWord[] {
  return commandWords(command);
}

/** Command as it is spoken: its literal words, without optional ones. */
export function spoken(operation: Operation): string {
  return wordsOf(operation)
    .flatMap((word) => ("literal" in word && !word.isOptional && word.literal !== "--" ? [word.literal] : []))
    .join(" ");
}

function verbOf(operation: Operation): string | undefined {
  const [, second] = wordsOf(operation);
  return second && "literal" in second ? second.literal : undefined;
}

/** Options of all operations of a command. Which operation allows them is checked when it is known. */
function optionsOf(operations: readonly Operation[]): ParseArgsOptionsConfig {
  const options: ParseArgsOptionsConfig = {};
  for (const operation of operations) {
    Object.assign(options, usualOptionsOf(operation));
    for (const [name, { kind, more }] of Object.entries(fieldsAt(operation.input, "command"))) {
      const type = kind.is === "flag" ? "boolean" : "string";
      options[optionName(name)] = {
        type,
        ...(more.letter === undefined ? {} : { short: more.letter }),
        ...(kind.is === "list" ? { multiple: true } : {}),
      };
      if (more.hasFile) options[`${optionName(name)}-file`] = { type: "string" };
      if (more.isNegatable) options[`no-${optionName(name)}`] = { type: "boolean" };
    }
  }
  return options;
}

const storeOptions = { database: { type: "string", short: "d" }, json: { type: "boolean" } } as const;

/** Options of every command that this operation has too. */
function usualOptionsOf({ usualOptions = {} }: Operation): ParseArgsOptionsConfig {
  return Object.fromEntries(
    Object.entries(storeOptions).filter(([name]) => usualOptions[name as keyof typeof storeOptions] !== false),
  );
}

/** Name of a field's option: `maxTries` is typed `--max-tries`. */
export function optionName(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function fieldOf(fields: Fields, option: string): readonly [name: string | undefined, isFile: boolean] {
  for (const [name, { more }] of Object.entries(fields)) {
    if (optionName(name) === option) return [name, false];
    if (more.hasFile && `${optionName(name)}-file` === option) return [name, true];
    if (more.isNegatable && `no-${optionName(name)}` === option) return [name, false];
  }
  return [undefined, false];
}

/** Checks whether a field is typed as JSON: all but texts, numbers and flags. */
function isJson({ is }: Field<unknown>["kind"]): boolean {
  return is === "object" || is === "record" || is === "anything";
}

function jsonIn(value: unknown, what: string): unknown {
  try {
    return JSON.parse(String(value));
  } catch {
    throw new Problem("usage", `${what} is no JSON.`, `Give one JSON value, as in '{"name": "value"}'.`);
  }
}

function neededWords(operation: Operation, field: string): string {
  const { says = `<${field}>` } = operation.input[field]?.more ?? {};
  return says
    .replace(/\.$/, "")
    .replace(/^The /, "the ")
    .replace(/^An? /, (article) => article.toLowerCase());
}

/** Problem of an invalid option, with its name as it is typed. */
function invalidOption(operation: Operation, { at, reason }: InvalidField): Problem {
  const name = spoken(operation);
  const hint = `See charter ${name} --help.`;
  const isWord = wordsOf(operation).some((word) => "field" in word && word.field === at);
  if (reason === "is missing")
    return new Problem(
      "usage",
      `charter ${name} needs ${isWord ? neededWords(operation, at) : `--${optionName(at)}`}.`,
      hint,
    );
  // An option is one entry of a list, so the index is dropped.
  const option = optionName(at.replace(/\.\d+$/, ""));
  return new Problem("usage", `${isWord ? `<${at}>` : `--${option}`} ${reason}.`, hint);
}

const { parseArgs } = process.getBuiltinModule("node:util");

/** Parses options; an unknown one is a Problem that says where to look. */
function parseOptions<Options extends ParseArgsOptionsConfig>(
  command: string,
  args: readonly string[],
  options: Options,
) {
  const see = `See charter ${command} --help.`;
  try {
    return parseArgs({ args: withDashes(args, options), options, allowPositionals: true, strict: true });
  } catch (error) {
    const message = reasonOf(error).split(". To specify")[0] as string;
    const unknown = /^Unknown option '--(.+)'/.exec(message)?.[1];
    const meant = unknown === undefined ? undefined : nearestName(unknown, Object.keys(options));
    const hint = meant === undefined ? see : `Did you mean --${meant}? ${see}`;
    throw new Problem("usage", message.endsWith(".") ? message : `${message}.`, hint);
  }
}

/**
 * Lets a value begin with a dash (`--content "- a list"`), and a word too (`why "- a list"`, `-2.00`): the argument after an
 * option is its value, and no option contains a space or begins with a digit.
 */
function withDashes(args: readonly string[], options: ParseArgsOptionsConfig): string[] {
  const out: string[] = [];
  const words: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] as string;
    const next = args[index + 1];
    if (arg.startsWith("--") && options[arg.slice(2)]?.type === "string" && next !== undefined) {
      out.push(`${arg}=${next}`);
      index++;
    } else if (/^-(?:.*\s|\$?\d)/s.test(arg) && !arg.includes("=")) words.push(arg);
    else out.push(arg);
  }
  return words.length === 0 ? out : [...out, "--", ...words];
}
