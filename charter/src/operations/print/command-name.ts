import { commands } from "../commands.ts";

/** Environment and script of this process, which say how the command is typed here. */
type StartedAs = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** File that was started, as it was named: a link in node_modules/.bin, or bin/charter.js. */
  readonly script: string;
};

/**
 * Name to type for the command: `npx charter` where npm or npx started it, because the PATH they set is not the reader's; else
 * `charter`.
 */
export function commandName({ env, script }: StartedAs): string {
  const byNpm = env.npm_command !== undefined || env.npm_lifecycle_event !== undefined;
  return byNpm || /[\\/]node_modules[\\/]\.bin[\\/]/.test(script) ? "npx charter" : "charter";
}

const spoken = new RegExp(
  `(?<![\\w./@-])(?<!npx )charter (?=(?:${[...Object.keys(commands), "help", "--help", "--version"].join("|")})\\b)`,
  "g",
);

/** Rewrites every command in a text as it is typed here. Prose about “the charter” stays. */
export function withCommandName(text: string, name: string): string {
  return name === "charter" ? text : text.replace(spoken, `${name} `);
}

/** Name of the command in this process. */
export function commandHere(): string {
  return commandName({ env: process.env, script: process.argv[1] ?? "" });
}

/** Rewrites a text for this process. */
export function hintsHere(text: string): string {
  return withCommandName(text, commandHere());
}

/**
 * Options a command needs to reach a database: none for the usual one. A location that not everyone should see (a database
 * server, or anything on a machine that others reach) is left out; whoever started the server knows it.
 */
export function databaseOption(place: string, { usual, alone }: { usual: string; alone: boolean }): string {
  if (place === usual) return "";
  if (!alone || /:\/\/|:\d+\//.test(place) || !/\.\w+$/.test(place)) return "--database …";
  return `--database ${/^[\w./-]+$/.test(place) ? place : `'${place.replaceAll("'", "'\\''")}'`}`;
}
