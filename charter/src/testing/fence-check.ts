import { preview } from "../prompt/character.ts";
import { lineCuts } from "../prompt/line.ts";
import type { Prompt } from "../prompt/prompt.ts";
import type { Occurrence, Span } from "../prompt/span.ts";
import type { Check } from "./expectation.ts";
import { checkHas } from "./text-check.ts";
import { occurrencesOf, placeWords } from "./text-occurrence.ts";

/** Is a text in the prompt, and wherever it stands a stranger's, behind a fence? The spans know whose words they are. */
export function checkFenced(prompt: Prompt, text: string): Check {
  const missing = checkHas(prompt, text);
  if (missing !== undefined) return missing;
  for (const place of occurrencesOf(prompt, text)) {
    const wrong = outsideFence(prompt, place);
    if (wrong !== undefined)
      return `“${preview(text, 200)}” is outside a fence, ${placeWords(prompt, place)}.\n${wrong}`;
  }
  return;
}

/** Why a place is in no fence. */
function outsideFence(prompt: Prompt, place: Occurrence): Check {
  const trusted = place.spans.find(({ trust }) => trust !== "foreign");
  if (trusted) return `The prompt takes it for ${ownerWords(trusted)}, not for a stranger's.`;
  const { starts, ends } = lineCuts(prompt.text);
  for (const [index, lineStart] of starts.entries()) {
    const lineEnd = ends[index] as number;
    if (lineEnd <= place.start || lineStart >= place.end) continue;
    // Only what strangers' own stretch of the line shows counts as a fence: our words before it are none of it.
    const from = Math.max(lineStart, foreignFrom(prompt, place.start));
    const stretch = prompt.text.slice(from, lineEnd);
    const [start, end] = [Math.max(place.start, from) - from, Math.min(place.end, lineEnd) - from];
    const isQuoted = (from === lineStart && stretch.startsWith(">")) || isInString(stretch, start, end);
    if (!isQuoted) return "It is a stranger's, but neither behind “> ” nor in a JSON string on its line.";
  }
  return;
}

function ownerWords({ trust, source, section }: Span): string {
  if (trust === "user") return `the words of the agent or its user (source “${source}”)`;
  return `the words of the charter or its operator (source “${source}” of “${section}”)`;
}

/** Where the run of strangers' spans begins that a place stands in. */
function foreignFrom({ spans }: Prompt, at: number): number {
  let from = at;
  for (const { start, end, trust } of spans) {
    if (start > at) break;
    if (trust !== "foreign") from = end;
    else if (from > start) from = start;
  }
  return from;
}

/** Does this stretch of a line lie within a string of JSON in it? */
function isInString(line: string, start: number, end: number): boolean {
  for (const { 0: string, index } of line.matchAll(/"(?:[^"\\]|\\.)*"/g))
    if (index <= start && end <= index + string.length) return true;
  return false;
}
