import { Problem } from "../prompt/problem.ts";
import { type Occurrence, type Span, why } from "../prompt/span.ts";
import { colours } from "./colour.ts";
import { loadGiven } from "./load.ts";
import { parseOptions, promptOptions, wholeNumber } from "./options.ts";
import { roomOf } from "./room.ts";
import { promptOf } from "./show.ts";

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("why", args, promptOptions);
  const [words, ...others] = positionals;
  if (words === undefined || words === "" || others.length > 0)
    throw new Problem(
      "usage",
      "charter why needs the words to ask about, in quotes.",
      'As in: charter why --charter sovereign "lower number wins"',
    );
  const given = await loadGiven("why", values);
  const prompt = await promptOf(
    given,
    await roomOf(given.charter, values, false),
    wholeNumber("time-limit", values["time-limit"]),
  );
  const found = why(prompt, words);
  if (values.json) process.stdout.write(`${JSON.stringify({ words, occurrences: found.map(occurrenceJson) })}\n`);
  else if (found.length > 0) process.stdout.write(found.map((one) => answer(one, prompt.text)).join("\n"));
  else process.stderr.write(`not-found: “${words}” is not in this prompt.\n  See it whole with charter show.\n`);
  return found.length > 0 ? 0 : 1;
}

function occurrenceJson({ start, end, spans }: Occurrence) {
  const { section, layer, source, revision } = spans[0] as Span;
  return { start, end, section, layer, source, revision, spans };
}

function answer({ start, end, spans }: Occurrence, text: string): string {
  const paint = colours(process.stdout);
  const before = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  const lineEnd = text.indexOf("\n", end);
  const after = text.slice(end, lineEnd === -1 ? text.length : lineEnd);
  const line = `${before}${paint.bold(text.slice(start, end))}${after}`;
  const owners = spans.map(({ section, layer, source, revision }) => {
    const written = revision === null ? "" : `, revision ${revision}`;
    return `  ${paint.cyan(section)} (layer ${layer}), from ${source}${written}`;
  });
  return `${start}–${end}  ${line}\n${owners.join("\n")}\n`;
}
