import { previewPrompt } from "../../host/preview.ts";
import { type Authors, occurrenceText } from "../../operations/prompt/occurrence.ts";
import { sentIdentity, wordSources } from "../../operations/prompt/why.ts";
import { authorsIn } from "../../operations/prompt/written-by.ts";
import { defined } from "../../prompt/argument.ts";
import { type Occurrence, why } from "../../prompt/span.ts";
import type { ParsedCommand } from "../command/parse-command.ts";
import { type DeclaredTurnValues, declaredTurnFor } from "../shared/declared-turn-for.ts";
import { roomOf } from "../shared/room.ts";
import { withStore } from "../shared/store.ts";

/** Finds words in the prompt that `charter show` would print. */
export async function run({ input, json, database }: ParsedCommand): Promise<number> {
  const values = { ...input, database } as DeclaredTurnValues & { readonly words: string };
  const { words, agent, user } = values;
  const given = await declaredTurnFor("why", values);
  const prompt = await previewPrompt(given, await roomOf(given, values, false), values.timeLimit);
  const found = why(prompt, words);
  const kept =
    agent === undefined || found.length === 0
      ? undefined
      : await withStore(values, async (store) => ({
          authors: await authorsIn(store.history, given, prompt.text, found),
          identity: await sentIdentity(store, { agent, ...defined({ user }) }),
        }));
  const { authors = new Map<Occurrence, Authors>(), identity } = kept ?? {};
  if (json) process.stdout.write(`${JSON.stringify(wordSources(words, found, authors, identity))}\n`);
  else if (found.length > 0) {
    process.stdout.write(found.map((one) => occurrenceText(one, prompt.text, authors.get(one))).join("\n"));
    if (identity) process.stderr.write(`The last system prompt went ${identity.says} (turn ${identity.turn}).\n`);
  } else process.stderr.write(`not-found: “${words}” is not in this prompt.\n  See it whole with charter show.\n`);
  return found.length > 0 ? 0 : 1;
}
