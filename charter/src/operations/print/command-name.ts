import { commands } from "../commands.ts";

/** How this process was started: all that says how the command is typed here. */
type StartedAs = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The file that was started, as it was named: a link in node_modules/.bin, or bin/charter.js. */
  readonly script: string;
};

/**
 * What is typed here to run the command: `npx charter` where npm or npx started it, since what they put on the PATH of
 * what they run is not on that of whoever reads; else `charter`.
 */
export function commandName({ env, script }: StartedAs): string {
  const byNpm = env.npm_command !== undefined || env.npm_lifecycle_event !== undefined;
  return byNpm || /[\\/]node_modules[\\/]\.bin[\\/]/.test(script) ? "npx charter" : "charter";
}

const spoken = new RegExp(
  `(?<![\\w./@-])(?<!npx )charter (?=(?:${[...Object.keys(commands), "help", "--help", "--version"].join("|")})\\b)`,
  "g",
);

/** The text with every command in it as it is typed here. Prose about “the charter” stays. */
export function withCommandName(text: string, name: string): string {
  return name === "charter" ? text : text.replace(spoken, `${name} `);
}

/** The name for this process. */
export function commandHere(): string {
  return commandName({ env: process.env, script: process.argv[1] ?? "" });
}

/** The text for this process. */
export function hintsHere(text: string): string {
  return withCommandName(text, commandHere());
}

/**
 * What a command is given to reach a database: nothing where it is the usual one. A way that is not for everybody's eyes
 * (to a database server, or of a machine that others reach) is left out: whoever started the server knows it.
 */
export function databaseOption(place: string, { usual, alone }: { usual: string; alone: boolean }): string {
  if (place === usual) return "";
  if (!alone || /:\/\/|:\d+\//.test(place) || !/\.\w+$/.test(place)) return "--database …";
  return `--database ${/^[\w./-]+$/.test(place) ? place : `'${place.replaceAll("'", "'\\''")}'`}`;
}
