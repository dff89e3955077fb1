import type { CommandName } from "../../operations/commands.ts";
import { operationsOf } from "../../operations/load.ts";
import { type ParsedCommand, parseCommand } from "./parse-command.ts";

/** Handler of a command that talks, serves, or works on files. Its arguments are parsed like those of all others. */
export type CommandHandler = (parsed: ParsedCommand) => Promise<number>;

/** Runs a command with its arguments. */
export async function runCommand(
  command: CommandName,
  {
    args,
    handlers,
  }: {
    readonly args: readonly string[];
    readonly handlers: Readonly<Record<string, () => Promise<{ readonly run: CommandHandler }>>>;
  },
): Promise<number> {
  const { readText } = await import("../../sources/input-file.ts");
  const operations = await operationsOf(command);
  const parsed = parseCommand(command, operations, { args, readFile: readText });
  const handler = handlers[parsed.operation.name];
  return handler ? (await handler()).run(parsed) : (await import("./perform.ts")).runDeclared(parsed);
}
