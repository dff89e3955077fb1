import { previewPrompt } from "../../host/preview.ts";
import { occurrenceText, sentText } from "../../operations/prompt/occurrence.ts";
import { checkAlone, sentIdentity, sentSources, whySent, wordSources } from "../../operations/prompt/why.ts";
import { type Occurrence, why } from "../../prompt/prompt.ts";
import { type Authors, authorsIn, copiesIn } from "../../store/amendments/amendments.ts";
import type { ParsedCommand } from "../command/parse-command.ts";
import { declaredTurnFor, type PromptOptions } from "../shared/declared-turn.ts";
import { roomOf } from "../shared/prompt-options.ts";
import { type StoreValues, withStore } from "../shared/store.ts";

type WhyValues = PromptOptions & { readonly words: string; readonly turn?: string; readonly agent?: string };

/** Finds a text in the prompt that `charter show` would print. */
export async function run(parsed: ParsedCommand): Promise<number> {
  const { json, database } = parsed;
  const values = parsed.input as WhyValues;
  const { words, turn } = values;
  if (turn !== undefined) return whyTurn({ ...values, database, turn }, json);
  const declaredTurn = await declaredTurnFor(parsed);
  const { scope } = declaredTurn;
  const prompt = await previewPrompt(declaredTurn, await roomOf(declaredTurn, values, false), values.timeLimit);
  const occurrences = why(prompt, words);
  const keptElsewhere =
    scope === undefined || occurrences.length === 0
      ? undefined
      : await withStore(parsed, async (store) => ({
          authors: await authorsIn(
            store.history,
            copiesIn(declaredTurn.charter, declaredTurn.turn),
            prompt.text,
            occurrences,
          ),
          identity: await sentIdentity(store, scope),
        }));
  const { authors = new Map<Occurrence, Authors>(), identity } = keptElsewhere ?? {};
  if (json) process.stdout.write(`${JSON.stringify(wordSources(words, occurrences, authors, identity))}\n`);
  else if (occurrences.length > 0) {
    process.stdout.write(occurrences.map((one) => occurrenceText(one, prompt.text, authors.get(one))).join("\n"));
    if (identity) process.stderr.write(`The last system prompt went ${identity.says} (turn ${identity.turn}).\n`);
  } else process.stderr.write(`not-found: “${words}” is not in this prompt.\n  See it whole with charter show.\n`);
  return occurrences.length > 0 ? 0 : 1;
}

/** Finds a text in what a turn sent; no prompt is assembled, and no charter is loaded. */
async function whyTurn(values: WhyValues & StoreValues & { readonly turn: string }, json: boolean): Promise<number> {
  const { words, turn, agent, database, ...others } = values;
  checkAlone(others);
  const sent = await withStore({ database }, (store) => whySent(store, { turn, words, agent }));
  const { found, missing } = sent;
  if (found.length === 0 && missing) throw missing;
  if (missing)
    process.stderr.write(`notice: ${missing.code}: Only the prompt was looked through. ${missing.message}\n`);
  if (json) process.stdout.write(`${JSON.stringify(sentSources(words, found))}\n`);
  else if (found.length === 0)
    process.stderr.write(
      `not-found: “${words}” is not in what “${turn}” sent.\n  See it whole with charter replay ${turn} --request.\n`,
    );
  for (const one of json ? [] : found)
    process.stdout.write(`${one.said ? one.slot : `slot ${one.slot}`}\n${sentText(one, sent.turn)}`);
  return found.length > 0 ? 0 : 1;
}
