import { previewPrompt } from "../../../host/preview.ts";
import { Problem } from "../../../prompt/problem.ts";
import { type Occurrence, type Span, why } from "../../../prompt/span.ts";
import { type Authors, occurrenceText } from "../../shared/occurrence.ts";
import { agentOptions, directoryOptions, parseOptions, promptOptions, wholeNumber } from "../../shared/options.ts";
import { roomOf } from "../../shared/room.ts";
import type { StoreValues } from "../../shared/store.ts";
import { declaredTurnFor } from "./show.ts";

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("why", args, { ...promptOptions, ...agentOptions, ...directoryOptions });
  const [words, ...others] = positionals;
  if (words === undefined || words === "" || others.length > 0)
    throw new Problem(
      "usage",
      "charter why needs the words to ask about, in quotes.",
      'As in: charter why --charter sovereign "lower number wins"',
    );
  const given = await declaredTurnFor("why", values);
  const prompt = await previewPrompt(
    given,
    await roomOf(given, values, false),
    wholeNumber("time-limit", values["time-limit"]),
  );
  const found = why(prompt, words);
  const authors =
    values.agent === undefined
      ? new Map<Occurrence, Authors>()
      : await (await import("../../shared/written-by.ts")).authorsOf(values, given, prompt.text, found);
  const identity = found.length === 0 ? undefined : await identityOf(values);
  if (values.json) {
    const occurrences = found.map((one) => occurrenceJson(one, authors.get(one)));
    process.stdout.write(`${JSON.stringify({ words, occurrences, ...(identity ? { identity } : {}) })}\n`);
  } else if (found.length > 0) {
    process.stdout.write(found.map((one) => occurrenceText(one, prompt.text, authors.get(one))).join("\n"));
    if (identity) process.stderr.write(`The last system prompt went ${identity.says} (turn ${identity.turn}).\n`);
  } else process.stderr.write(`not-found: “${words}” is not in this prompt.\n  See it whole with charter show.\n`);
  return found.length > 0 ? 0 : 1;
}

/** Where the agent's last system prompt went; nothing for a charter that is no agent's. */
async function identityOf(
  values: StoreValues & { readonly agent?: string | undefined; readonly user?: string | undefined },
) {
  const { agent, user } = values;
  if (agent === undefined) return undefined;
  const [{ withStore }, { sentIdentity }] = await Promise.all([
    import("../../shared/store.ts"),
    import("../../shared/find-step.ts"),
  ]);
  return withStore(values, (store) => sentIdentity(store, { agent, ...(user === undefined ? {} : { user }) }));
}

/** Each span with the amendment that wrote it; `null`: it is in the original. */
function occurrenceJson({ start, end, spans }: Occurrence, authors: Authors = []) {
  const withAuthor = (span: Span, author: Authors[number]) =>
    author === undefined ? span : { ...span, amendment: author === "original" ? null : author };
  return { start, end, spans: spans.map((span, at) => withAuthor(span, authors[at])) };
}
