import type { ParseArgsOptionsConfig } from "node:util";
import { checkWindow, isWindow } from "../../agent/turn/window/window.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";

const { parseArgs } = process.getBuiltinModule("node:util");

/** Parses a command's words; what it does not know is a Problem that says where to look. */
export function parseOptions<Options extends ParseArgsOptionsConfig>(
  command: string,
  args: readonly string[],
  options: Options,
) {
  const hint = `See charter ${command} --help.`;
  try {
    return parseArgs({ args: withDashes(args, options), options, allowPositionals: true, strict: true });
  } catch (error) {
    const message = reasonOf(error).split(". To specify")[0] as string;
    throw new Problem("usage", message.endsWith(".") ? message : `${message}.`, hint);
  }
}

/**
 * A value may begin with a dash (`--content "- a list"`), and so may words (`why "- a list"`, `-2.00`): an option's next
 * word is its value, and no option has a space in it or begins with a digit.
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

/** What every command that assembles a prompt understands. */
export const promptOptions = {
  charter: { type: "string", short: "c" },
  input: { type: "string", short: "i" },
  edition: { type: "string" },
  "limit-tokens": { type: "string" },
  "limit-chars": { type: "string" },
  tokenizer: { type: "string" },
  lock: { type: "string" },
  "time-limit": { type: "string" },
  json: { type: "boolean" },
} as const;

/** What those commands understand besides, to take the agent, its settings and its standing words from a database. */
export const agentOptions = {
  agent: { type: "string", short: "a" },
  user: { type: "string", short: "u" },
  channel: { type: "string" },
  database: { type: "string", short: "d" },
} as const;

/** Where a coding agent works, and where its files for every project are. */
export const placeOptions = {
  cwd: { type: "string" },
  home: { type: "string" },
  config: { type: "string" },
} as const;

/** What those commands understand that use what is there. */
export const directoryOptions = {
  ...placeOptions,
  trust: { type: "boolean" },
  "no-trust": { type: "boolean" },
  tools: { type: "string" },
  skill: { type: "string", multiple: true },
  extension: { type: "string", multiple: true },
  allow: { type: "string", multiple: true },
} as const;

export type PlaceValues = { readonly [Name in keyof typeof placeOptions]?: string | undefined };

export type DirectoryValues = PlaceValues & {
  readonly trust?: boolean | undefined;
  readonly "no-trust"?: boolean | undefined;
  readonly tools?: string | undefined;
  readonly skill?: readonly string[] | undefined;
  readonly extension?: readonly string[] | undefined;
  readonly allow?: readonly string[] | undefined;
};

/** Facts stand in place of files, and other charters read none: then no directory is looked at. */
export function checkNoDirectory(values: DirectoryValues, reason: string): void {
  const extra = Object.keys(directoryOptions).find((name) => values[name as keyof DirectoryValues] !== undefined);
  if (extra === undefined) return;
  const hint = "Leave it out, or give --charter coder without --input.";
  throw new Problem("usage", `--${extra} is for a coding agent's directory, and ${reason}.`, hint);
}

type Sides = { readonly [Name in keyof typeof agentOptions | "charter"]?: string | undefined };

/** A command speaks of an agent of the database or of a charter and its facts, never of both. */
export function checkSides(values: Sides): void {
  if (values.agent === undefined) {
    const extra = (["user", "channel", "database"] as const).find((name) => values[name] !== undefined);
    if (extra === undefined) return;
    const hint = "With --charter, user and channel are facts: give them with --input.";
    throw new Problem("usage", `--${extra} needs --agent.`, hint);
  }
  if (values.charter !== undefined)
    throw new Problem("usage", "Both --agent and --charter were given.", "Give one: an agent has its charter.");
}

/** The one bare word a command is about. */
export function onlyWord(command: string, what: string, positionals: readonly string[]): string {
  const [word, ...others] = positionals;
  noMoreWords(command, others);
  if (word !== undefined && word !== "") return word;
  throw new Problem("usage", `charter ${command} needs ${what}.`, `See charter ${command} --help.`);
}

/** The section a command is about: its bare word, or --section. */
export function sectionOption(command: string, section: string | undefined, positionals: readonly string[]): string {
  if (section === undefined) return onlyWord(command, "the name of a section", positionals);
  noMoreWords(command, positionals);
  return requiredOption(command, "section", section);
}

export function wholeNumber(option: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new Problem(
    "usage",
    `--${option} is “${value}”, which is no whole number.`,
    `Give a number, as in --${option} 4000.`,
  );
}

/** The window that was asked for with --window, or is set for the agent. */
export function windowIn(
  { window }: { readonly window?: string | undefined },
  { settings }: { readonly settings: Readonly<Record<string, unknown>> },
): number | undefined {
  const asked = wholeNumber("window", window);
  checkWindow(asked);
  return asked ?? (isWindow(settings.window) ? settings.window : undefined);
}

export function requiredOption(command: string, option: string, value: string | undefined): string {
  if (value !== undefined && value !== "") return value;
  throw new Problem("usage", `charter ${command} needs --${option}.`, `See charter ${command} --help.`);
}

export function noMoreWords(command: string, positionals: readonly string[]): void {
  if (positionals.length > 0)
    throw new Problem(
      "usage",
      `charter ${command} does not understand “${positionals[0]}”.`,
      `See charter ${command} --help.`,
    );
}
