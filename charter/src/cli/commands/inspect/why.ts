import { previewPrompt } from "../../../host/preview.ts";
import { Problem } from "../../../prompt/problem.ts";
import { type Occurrence, type Span, why } from "../../../prompt/span.ts";
import { colours } from "../../print/colour.ts";
import { oneLine } from "../../print/columns.ts";
import { agentOptions, directoryOptions, parseOptions, promptOptions, wholeNumber } from "../../shared/options.ts";
import { roomOf } from "../../shared/room.ts";
import type { Author } from "../../shared/written-by.ts";
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
    await roomOf(given.charter, values, false),
    wholeNumber("time-limit", values["time-limit"]),
  );
  const found = why(prompt, words);
  const authors =
    values.agent === undefined
      ? new Map<Occurrence, Authors>()
      : await (await import("../../shared/written-by.ts")).authorsOf(values, given, prompt.text, found);
  if (values.json) {
    const occurrences = found.map((one) => occurrenceJson(one, authors.get(one)));
    process.stdout.write(`${JSON.stringify({ words, occurrences })}\n`);
  } else if (found.length > 0)
    process.stdout.write(found.map((one) => occurrenceText(one, prompt.text, authors.get(one))).join("\n"));
  else process.stderr.write(`not-found: “${words}” is not in this prompt.\n  See it whole with charter show.\n`);
  return found.length > 0 ? 0 : 1;
}

type Authors = readonly (Author | undefined)[];

/** Each span with the amendment that wrote it; `null`: it is in the original. */
function occurrenceJson({ start, end, spans }: Occurrence, authors: Authors = []) {
  const withAuthor = (span: Span, author: Author | undefined) =>
    author === undefined ? span : { ...span, amendment: author === "original" ? null : author };
  return { start, end, spans: spans.map((span, at) => withAuthor(span, authors[at])) };
}

/** Where the words stand, in their line, and whose each part of them is. */
export function occurrenceText({ start, end, spans }: Occurrence, text: string, authors: Authors = []): string {
  const paint = colours(process.stdout);
  const before = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  const lineEnd = text.indexOf("\n", end);
  const after = text.slice(end, lineEnd === -1 ? text.length : lineEnd);
  const shown = (words: string) => (process.stdout.isTTY ? oneLine(words) : words);
  const line = `${shown(before)}${paint.bold(shown(text.slice(start, end)))}${shown(after)}`;
  const owners = spans.map(({ section, layer, source, revision }, at) => {
    const written = revision === null ? "" : `, revision ${revision}`;
    return `  ${paint.cyan(section)} (layer ${layer}), from ${shown(source)}${written}\n${authorLine(authors[at])}`;
  });
  return `${start}–${end}  ${line}\n${owners.join("")}`;
}

function authorLine(author: Author | undefined): string {
  if (author === undefined) return "";
  if (author === "original") return "    in its original\n";
  const { revision, operation, actor, turn, at, reason } = author;
  const when = `${at.slice(0, 10)} ${at.slice(11, 19)} UTC${turn === null ? "" : `, turn ${turn}`}`;
  const because = reason === null ? "" : `: ${reason.replace(/\p{Cc}+/gu, " ")}`;
  return `    by the ${actor} (revision ${revision}, ${operation}), ${when}${because}\n`;
}
