import type { SentOccurrence, Utterance } from "../../agent/replay.ts";
import type { Occurrence } from "../../prompt/prompt.ts";
import type { Author, Authors } from "../../store/amendments/amendments.ts";
import { colours, oneLine } from "../print/columns.ts";

/** Formats an occurrence of words in what a turn sent. */
export function sentText({ said, ...one }: SentOccurrence, turn: string): string {
  return occurrenceText({ ...one, ...(said ? { utterance: utteranceText(said, turn) } : {}) }, one.text, one.authors);
}

/** Formats where words stand, in their line, and who wrote each part of them. */
export function occurrenceText(
  { start, end, spans, utterance }: Occurrence & { readonly utterance?: string },
  text: string,
  authors: Authors = [],
): string {
  const paint = colours(process.stdout);
  const before = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  const lineEnd = text.indexOf("\n", end);
  const after = text.slice(end, lineEnd === -1 ? text.length : lineEnd);
  const safe = (words: string) => (process.stdout.isTTY ? oneLine(words) : words);
  const line = `${safe(before)}${paint.bold(safe(text.slice(start, end)))}${safe(after)}`;
  const owners = spans.map(({ section, layer, source, revision }, at) => {
    const written = revision === null ? "" : `, revision ${revision}`;
    return `  ${paint.cyan(section)} (layer ${layer}), from ${safe(source)}${written}\n${authorLine(authors[at])}`;
  });
  const others = utterance === undefined ? "" : `  ${utterance}: not the charter's words\n`;
  return `${start}–${end}  ${line}\n${owners.join("")}${others}`;
}

function authorLine(author: Author | undefined): string {
  if (author === undefined) return "";
  if (author === "original") return "    in its original\n";
  const { revision, operation, actor, turn, at, reason } = author;
  const when = `${at.slice(0, 10)} ${at.slice(11, 19)} UTC${turn === null ? "" : `, turn ${turn}`}`;
  const reasonText = reason === null ? "" : `: ${oneLine(reason)}`;
  return `    by the ${actor} (revision ${revision}, ${operation}), ${when}${reasonText}\n`;
}

/** Sentence that says who wrote text that is not the charter's. `sentBy` is the turn that sent it. */
function utteranceText({ what, turn, tool, schedule }: Utterance, sentBy: string): string {
  const when = turn === sentBy ? "in this turn" : `in turn ${turn}`;
  const texts: Readonly<Record<Utterance["what"], string>> = {
    input: `said by the user ${when}`,
    answer: `said by the model ${when}`,
    call: `what the model called the tool ${tool} with ${when}`,
    result: `a result of the tool ${tool} ${when}`,
    note: `said by Charter about what came ${when}`,
    summary: "in the summary of what was said before",
    schedule: `sent into the chat by the schedule “${schedule}” ${when}`,
    changed: "put in the place of earlier messages: by a hook, or when the history was shortened",
    tool: `how the tool ${tool} is described to the model`,
  };
  return texts[what];
}
