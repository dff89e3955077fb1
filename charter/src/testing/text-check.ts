import { preview } from "../prompt/character.ts";
import { listed } from "../prompt/problem.ts";
import type { Prompt } from "../prompt/prompt.ts";
import type { Check } from "./expectation.ts";
import { nearestLine } from "./nearest-line.ts";
import { occurrencesOf, placeWords, textFault } from "./text-occurrence.ts";

export function checkHas(prompt: Prompt, text: string): Check {
  const fault = textFault(text);
  if (fault !== undefined) return fault;
  return occurrencesOf(prompt, text).length > 0 ? undefined : missingText(prompt, text);
}

export function checkHasNot(prompt: Prompt, text: string): Check {
  const fault = textFault(text);
  if (fault !== undefined) return fault;
  const places = occurrencesOf(prompt, text).map((place) => placeWords(prompt, place));
  if (places.length === 0) return;
  return `The prompt of “${prompt.charter}” has “${preview(text, 200)}” ${places.slice(0, 3).join("\nand ")}${
    places.length > 3 ? `\nand in ${places.length - 3} more places.` : "."
  }`;
}

export function checkBefore(prompt: Prompt, first: string, second: string): Check {
  const missing = checkHas(prompt, first) ?? checkHas(prompt, second);
  if (missing !== undefined) return missing;
  const last = occurrencesOf(prompt, first).at(-1);
  const next = occurrencesOf(prompt, second)[0];
  if (!last || !next || last.end <= next.start) return;
  return [
    `“${preview(first, 200)}” does not come before “${preview(second, 200)}”:`,
    `the first is ${placeWords(prompt, last)},`,
    `the second ${placeWords(prompt, next)}.`,
  ].join("\n");
}

export function checkFrom(prompt: Prompt, text: string, source: string): Check {
  const missing = checkHas(prompt, text);
  if (missing !== undefined) return missing;
  for (const place of occurrencesOf(prompt, text)) {
    const others = new Set(place.spans.map((span) => span.source).filter((name) => name !== source));
    if (others.size > 0)
      return `“${preview(text, 200)}” is from ${listed(others)}, not from “${source}”, ${placeWords(prompt, place)}.`;
  }
  return;
}

function missingText(prompt: Prompt, text: string): string {
  const nearest = nearestLine(prompt.text, text);
  return [
    `The prompt of “${prompt.charter}” does not have “${preview(text, 200)}”.`,
    ...(nearest === undefined ? [] : [`The nearest line is “${preview(nearest, 200)}”.`]),
    overview(prompt),
  ].join("\n");
}

/** What a prompt is made of, in a sentence or two: its sections, and what is not in it. */
export function overview({ sections, cuts, omitted }: Prompt): string {
  const cut = new Set(cuts.map(({ section }) => section));
  const shown = sections.map(({ name }) => `“${name}”${cut.has(name) ? " (cut)" : ""}`);
  const gone = omitted
    .filter(({ name }) => !sections.some((section) => section.name === name))
    .map(({ name, reason }) => `“${name}” (${reasonWords[reason]})`);
  return `Its sections are ${shown.join(", ") || "none"}.${gone.length > 0 ? ` Not in it: ${gone.join(", ")}.` : ""}`;
}

export const reasonWords = {
  empty: "nothing to say",
  unavailable: "could not be read",
  "gave-way": "trimmed to fit",
  "not-in-edition": "not in this edition",
} as const;
