import type { InputPart } from "../../agent/attachments.ts";
import { Problem } from "../../prompt/problem.ts";
import type { AskQuestion } from "./lines.ts";

/** Lines, the end, or what is said to the agent. */
export type SlashAnswer = readonly string[] | "leave" | { readonly input: readonly InputPart[] };

/**
 * A command typed in a conversation. It is given the words after its name, and where somebody sits there a way to ask
 * them, and gives the lines that answer it, or an input that is said to the agent.
 */
export type SlashCommand = {
  readonly name: string;
  /** What may follow the name, as the help shows it. */
  readonly usage?: string;
  readonly summary: string;
  readonly run: (words: string, ask?: AskQuestion) => Promise<SlashAnswer>;
};

/** Is this line a command? A path (“/etc/hosts”) is none. */
export function slashWords(line: string): { readonly name: string; readonly words: string } | undefined {
  const [, name, words = ""] = /^\/([A-Za-z]+)(?:\s+([\s\S]*))?$/.exec(line.trim()) ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), words: words.trim() };
}

export function findCommand(commands: readonly SlashCommand[], name: string): SlashCommand {
  const found = commands.find((one) => one.name === name);
  if (found) return found;
  throw new Problem(
    "usage",
    `There is no command /${name} here.`,
    `There are ${commands.map((one) => `/${one.name}`).join(", ")}. To say it to the agent, put a word before it.`,
  );
}

export function helpLines(commands: readonly SlashCommand[]): string[] {
  const calls = commands.map(({ name, usage: takes }) => `/${name}${takes ? ` ${takes}` : ""}`);
  const width = Math.max(...calls.map((call) => call.length));
  return commands.map(({ summary }, index) => `  ${(calls[index] as string).padEnd(width)}  ${summary}`);
}
