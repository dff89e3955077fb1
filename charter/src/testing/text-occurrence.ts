import { lineEnd, preview } from "../prompt/character.ts";
import { fenced, quoted } from "../prompt/fence.ts";
import type { Prompt } from "../prompt/prompt.ts";
import { type Occurrence, why } from "../prompt/span.ts";

/** Every place in a prompt where a text stands, as it is or as a fence shows it, in the order of the prompt. */
export function occurrencesOf(prompt: Prompt, text: string): Occurrence[] {
  return formsOf(text)
    .flatMap((form) => why(prompt, form))
    .sort((one, other) => one.start - other.start);
}

/** A text as it is; and, where that is something else, as it stands behind `> ` and in a JSON string. */
export function formsOf(text: string): readonly string[] {
  const inString = quoted(text).slice(1, -1);
  return [...new Set([text, behindMarks(text), inString])];
}

function behindMarks(text: string): string {
  const given = text.split(lineEnd).length;
  const lines = fenced(text, "x").split("\n").slice(-given);
  const block = lines.join("\n").replace(/^> ?/, "");
  return block === text.trimEnd() ? text : block;
}

/** Why a text cannot be looked for. */
export function textFault(text: unknown): string | undefined {
  if (typeof text !== "string")
    return "Only a text can be looked for. For a pattern, use your test runner's own assertion.";
  return text === "" ? "An empty text is everywhere. Say which text is meant." : undefined;
}

/** Where something stands, for a message: `in “goals”, line 4: “Help people.”` */
export function placeWords(prompt: Prompt, { start, spans }: Occurrence): string {
  const line = prompt.text.slice(0, start).split("\n").length;
  const from = prompt.text.lastIndexOf("\n", start - 1) + 1;
  const end = prompt.text.indexOf("\n", start);
  const words = prompt.text.slice(from, end === -1 ? undefined : end);
  return `in “${spans[0]?.section}”, line ${line}: “${preview(words, 120)}”`;
}
