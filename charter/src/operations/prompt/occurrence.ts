import type { Occurrence } from "../../prompt/span.ts";
import type { Author, Authors } from "../../store/amendments/written-by.ts";
import { colours } from "../print/colour.ts";
import { oneLine } from "../print/columns.ts";

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
  const because = reason === null ? "" : `: ${oneLine(reason)}`;
  return `    by the ${actor} (revision ${revision}, ${operation}), ${when}${because}\n`;
}
