import { previewPrompt } from "../../../host/preview.ts";
import { needsFiles } from "../../../host/snapshot.ts";
import type { Prompt } from "../../../prompt/prompt.ts";
import type { Tokenizer } from "../../../prompt/tokens.ts";
import { cutText } from "../../print/cut.ts";
import type { CountedTurn } from "../../shared/load-agent.ts";
import { loadDeclaredTurn, type PromptValues } from "../../shared/load-declared-turn.ts";
import {
  agentOptions,
  checkNoDirectory,
  checkSides,
  type DirectoryValues,
  directoryOptions,
  noMoreWords,
  parseOptions,
  promptOptions,
  wholeNumber,
} from "../../shared/options.ts";
import { roomOf } from "../../shared/room.ts";
import { textFor } from "../../terminal/plain-text.ts";

const options = { ...promptOptions, ...agentOptions, ...directoryOptions, table: { type: "boolean" } } as const;

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("show", args, options);
  noMoreWords("show", positionals);
  const given = await declaredTurnFor("show", values);
  const room = await roomOf(given, values, Boolean(values.json || values.table));
  const prompt = await previewPrompt(given, room, wholeNumber("time-limit", values["time-limit"]));
  if (values.json) {
    const [{ promptFacts }, { sha256 }] = await Promise.all([
      import("../../../prompt/prompt-facts.ts"),
      import("../../../store/texts/sha256.ts"),
    ]);
    process.stdout.write(`${JSON.stringify(promptFacts(prompt, room.tokenizer as Tokenizer, sha256))}\n`);
  } else if (values.table) {
    const { table } = await import("../../print/table.ts");
    process.stdout.write(table(prompt, room.tokenizer as Tokenizer, process.stdout));
  } else {
    process.stdout.write(textFor(process.stdout, prompt.text));
    if (process.stdout.isTTY) process.stdout.write("\n");
    await tellOperator(prompt);
  }
  return 0;
}

export type DeclaredTurnValues = PromptValues &
  DirectoryValues & { readonly [Name in keyof typeof agentOptions]?: string | undefined };

/** What a command assembles: a charter and its facts, a directory, or an agent of the database, which is loaded only then. */
export async function declaredTurnFor(command: string, values: DeclaredTurnValues): Promise<CountedTurn> {
  checkSides(values);
  const { agent, input } = values;
  if (agent !== undefined) return (await import("../../shared/load-agent.ts")).agentDeclaredTurn({ ...values, agent });
  const given = await loadDeclaredTurn(command, values);
  if (input === undefined && needsFiles(given))
    return (await import("../../shared/directory-turn.ts")).givenOfDirectory(values, given);
  checkNoDirectory(values, given.withFiles ? "--input tells of another" : "this charter reads none");
  return given;
}

/** What the operator should know, on standard error: standard output holds the prompt and nothing else. */
async function tellOperator({ cuts, notices }: Prompt): Promise<void> {
  for (const cut of cuts)
    process.stderr.write(`cut: “${cut.section}” is ${cut.form}: ${cutText(cut)}. ${cut.because}\n`);
  if (notices.length === 0) return;
  const { oneLine } = await import("../../print/columns.ts");
  for (const { code, message } of notices) process.stderr.write(`notice: ${code}: ${oneLine(message)}\n`);
}
