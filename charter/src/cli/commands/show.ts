import { previewPrompt } from "../../host/preview.ts";
import { cutText, textFor } from "../../operations/print/plain-text.ts";
import { plainSha256 } from "../../prompt/digest.ts";
import { type Prompt, promptFacts } from "../../prompt/prompt.ts";
import type { Tokenizer } from "../../prompt/tokens.ts";
import type { ParsedCommand } from "../command/parse-command.ts";
import { declaredTurnFor, type PromptOptions } from "../shared/declared-turn.ts";
import { roomOf } from "../shared/prompt-options.ts";

/** Prints the prompt of an agent, of a charter with its facts, or of a directory. */
export async function run(parsed: ParsedCommand): Promise<number> {
  const { input, json } = parsed;
  const values: PromptOptions & { readonly table?: boolean } = input;
  const declaredTurn = await declaredTurnFor(parsed);
  const room = await roomOf(declaredTurn, values, json || values.table === true);
  const prompt = await previewPrompt(declaredTurn, room, values.timeLimit);
  if (json) process.stdout.write(`${JSON.stringify(promptFacts(prompt, room.tokenizer as Tokenizer, plainSha256))}\n`);
  else if (values.table) {
    const { table } = await import("../../operations/print/columns.ts");
    process.stdout.write(table(prompt, room.tokenizer as Tokenizer, process.stdout));
  } else {
    process.stdout.write(textFor(process.stdout, prompt.text));
    if (process.stdout.isTTY) process.stdout.write("\n");
    await tellOperator(prompt);
  }
  return 0;
}

/** Prints cuts and notices on standard error, because standard output holds the prompt alone. */
async function tellOperator({ cuts, notices }: Prompt): Promise<void> {
  for (const cut of cuts)
    process.stderr.write(`cut: “${cut.section}” is ${cut.form}: ${cutText(cut)}. ${cut.because}\n`);
  if (notices.length === 0) return;
  const { oneLine } = await import("../../operations/print/columns.ts");
  for (const { code, message } of notices) process.stderr.write(`notice: ${code}: ${oneLine(message)}\n`);
}
