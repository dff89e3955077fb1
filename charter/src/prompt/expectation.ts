import { kindOf } from "./argument.ts";
import type { Room } from "./assemble.ts";
import { countCharacters, lineCuts, lineEnd, preview } from "./character.ts";
import { fenced, quoted } from "./fence.ts";
import type { Cut, Omission } from "./plan.ts";
import { listed, Problem } from "./problem.ts";
import { type Occurrence, type Prompt, type Span, why } from "./prompt.ts";

/** The result of a check: what is wrong, in words, or undefined. */
export type Check = string | undefined;

/**
 * What can be expected of a prompt, by name: each function says in words what is wrong, or returns undefined. Tests throw it,
 * and `charter check` lists it.
 */
export function promptChecks(prompt: Prompt) {
  return {
    has: (text: string) => checkHas(prompt, text),
    hasNot: (text: string) => checkHasNot(prompt, text),
    before: (first: string, second: string) => checkBefore(prompt, first, second),
    order: (sections: readonly string[]) => checkOrder(prompt, sections),
    within: (room: Room) => checkWithin(prompt, room),
    cut: (section: string, told?: string) => checkCut(prompt, section, told),
    whole: (section: string) => checkWhole(prompt, section),
    omitted: (section: string, reason?: Omission["reason"]) => checkOmitted(prompt, section, reason),
    fenced: (text: string) => checkFenced(prompt, text),
    from: (text: string, source: string) => checkFrom(prompt, text, source),
  };
}

function checkHas(prompt: Prompt, text: string): Check {
  const fault = textFault(text);
  if (fault !== undefined) return fault;
  return occurrencesOf(prompt, text).length > 0 ? undefined : missingText(prompt, text);
}

function checkHasNot(prompt: Prompt, text: string): Check {
  const fault = textFault(text);
  if (fault !== undefined) return fault;
  const places = occurrencesOf(prompt, text).map((place) => placeWords(prompt, place));
  if (places.length === 0) return;
  return `The prompt of “${prompt.charter}” has “${preview(text, 200)}” ${places.slice(0, 3).join("\nand ")}${
    places.length > 3 ? `\nand in ${places.length - 3} more places.` : "."
  }`;
}

function checkBefore(prompt: Prompt, first: string, second: string): Check {
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

function checkFrom(prompt: Prompt, text: string, source: string): Check {
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

/** Describes a prompt in a sentence or two: its sections, and those that are not in it. */
function overview({ sections, cuts, omitted }: Prompt): string {
  const cut = new Set(cuts.map(({ section }) => section));
  const shown = sections.map(({ name }) => `“${name}”${cut.has(name) ? " (cut)" : ""}`);
  const gone = omitted
    .filter(({ name }) => !sections.some((section) => section.name === name))
    .map(({ name, reason }) => `“${name}” (${reasonWords[reason]})`);
  return `Its sections are ${shown.join(", ") || "none"}.${gone.length > 0 ? ` Not in it: ${gone.join(", ")}.` : ""}`;
}

const reasonWords = {
  empty: "nothing to say",
  unavailable: "could not be read",
  "gave-way": "trimmed to fit",
  "not-in-edition": "not in this edition",
} as const;

function checkOrder(prompt: Prompt, names: readonly string[]): Check {
  if (!Array.isArray(names))
    return `An order is a list of sections, and it is ${kindOf(names)}: order(["safety", "goals"]).`;
  if (names.length < 2) return "An order has two sections at least. Say which.";
  for (const name of names) {
    const missing = checkStands(prompt, name);
    if (missing !== undefined) return missing;
  }
  const order = prompt.sections.map(({ name }) => name).filter((name) => names.includes(name));
  if (order.length === names.length && order.every((name, index) => name === names[index])) return;
  return `The sections are in the order ${listed(order)}, not ${listed(names)}.`;
}

function checkCut(prompt: Prompt, name: string, told?: string): Check {
  const cuts = prompt.cuts.filter(({ section }) => section === name);
  if (cuts.length === 0) return checkStands(prompt, name) ?? `“${name}” was not cut: all of it is in the prompt.`;
  if (told === undefined) return;
  const { sections, spans, text } = prompt;
  const isTold = spans.some(
    ({ section, source, trust, start, end }) =>
      section === name && source === "charter" && trust === "own" && text.slice(start, end).includes(told),
  );
  if (isTold) return;
  const row = sections.find((section) => section.name === name);
  const shown = row ? `\nThe section reads “${preview(text.slice(row.start, row.end), 400)}”.` : "";
  return `“${name}” was cut, and the model is not told “${told}”.${shown}`;
}

function checkWhole(prompt: Prompt, name: string): Check {
  const cuts = prompt.cuts.filter(({ section }) => section === name);
  if (cuts.length === 0) return checkStands(prompt, name);
  return `“${name}” is not complete: ${cuts.map(cutWords).join(" ")}`;
}

function checkOmitted(prompt: Prompt, name: string, reason?: Omission["reason"]): Check {
  const omission = prompt.omitted.find((omitted) => omitted.name === name);
  if (omission === undefined) {
    return prompt.sections.some((section) => section.name === name)
      ? `“${name}” is in the prompt.\n${overview(prompt)}`
      : checkStands(prompt, name);
  }
  if (reason === undefined || omission.reason === reason) return;
  return `“${name}” is not in the prompt for another reason than “${reason}”: ${reasonOf(omission)}.`;
}

/** Checks that a section is in the prompt. */
function checkStands(prompt: Prompt, name: string): Check {
  if (prompt.sections.some((section) => section.name === name)) return;
  const omission = prompt.omitted.find((omitted) => omitted.name === name);
  const why = omission ? `: ${reasonOf(omission)}` : "";
  return `There is no section “${name}” in the prompt of “${prompt.charter}”${why}.\n${overview(prompt)}`;
}

function reasonOf({ reason }: Omission): string {
  return `${reasonWords[reason]} (“${reason}”)`;
}

function cutWords({ form, kept, missing, unit, because }: Cut): string {
  const units = unit === "characters" || unit === "parts" ? unit : `parts of the kind “${unit}”`;
  const gone = form === "dropped" ? "all of its parts" : `${missing} of ${kept + missing} ${units}`;
  return `it is without ${gone}. ${because}`;
}

function checkWithin(prompt: Prompt, room: Room): Check {
  const { tokens, chars, tokenizer } = room;
  if (tokens === undefined && chars === undefined)
    throw new Problem(
      "bad-limit",
      "The prompt should be within a limit, and none was given.",
      "Give within({ tokens, tokenizer }) or within({ chars }), as assemble takes it.",
    );
  if (tokens !== undefined && tokenizer === undefined)
    throw new Problem(
      "no-tokenizer",
      "A limit in tokens was asked for and no tokenizer was given.",
      "Pass one as `tokenizer`, or give the limit in characters.",
    );
  return checkChars(prompt, chars) ?? checkTokens(prompt, room);
}

function checkChars({ charter, text, sections }: Prompt, limit: number | undefined): Check {
  const total = countCharacters(text);
  if (limit === undefined || total <= limit) return;
  const sizes = sections.map(({ name, start, end }) => ({ name, size: countCharacters(text.slice(start, end)) }));
  return `The prompt of “${charter}” has ${total} characters, ${total - limit} more than ${limit}.\n${largestText(sizes)}`;
}

function checkTokens(prompt: Prompt, { tokens: limit, tokenizer }: Room): Check {
  if (limit === undefined || tokenizer === undefined) return;
  const { total, exact, sections } = prompt.tokens(tokenizer);
  if (total <= limit) return;
  const sizes = prompt.sections.map(({ name }, index) => ({ name, size: sections[index] ?? 0 }));
  const count = `${exact ? "" : "about "}${total} tokens, counted by “${tokenizer.name}”`;
  const doubt = exact ? "" : " That is an estimate.";
  return `The prompt of “${prompt.charter}” has ${count}, ${total - limit} more than ${limit}.${doubt}\n${largestText(sizes)}`;
}

function largestText(sizes: readonly { readonly name: string; readonly size: number }[]): string {
  const shown = sizes
    .toSorted((one, other) => other.size - one.size)
    .slice(0, 3)
    .map(({ name, size }) => `“${name}” ${size}`);
  return `Largest: ${shown.join(", ")}.`;
}

/** Checks that a text is in the prompt, everywhere as a stranger's and behind a fence. The spans know whose words it is. */
function checkFenced(prompt: Prompt, text: string): Check {
  const missing = checkHas(prompt, text);
  if (missing !== undefined) return missing;
  for (const place of occurrencesOf(prompt, text)) {
    const wrong = outsideFence(prompt, place);
    if (wrong !== undefined)
      return `“${preview(text, 200)}” is outside a fence, ${placeWords(prompt, place)}.\n${wrong}`;
  }
  return;
}

/** Says why a place is in no fence. */
function outsideFence(prompt: Prompt, place: Occurrence): Check {
  const trusted = place.spans.find(({ trust }) => trust !== "foreign");
  if (trusted) return `The prompt takes it for ${ownerWords(trusted)}, not for a stranger's.`;
  const { starts, ends } = lineCuts(prompt.text);
  for (const [index, lineStart] of starts.entries()) {
    const lineEnd = ends[index] as number;
    if (lineEnd <= place.start || lineStart >= place.end) continue;
    // Strangers' own stretch of the line is what must show a fence: our words before it do not count.
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

/** Returns where the run of strangers' spans begins that holds a place. */
function foreignFrom({ spans }: Prompt, at: number): number {
  let from = at;
  for (const { start, end, trust } of spans) {
    if (start > at) break;
    if (trust !== "foreign") from = end;
    else if (from > start) from = start;
  }
  return from;
}

/** Tells whether this stretch of a line lies within a JSON string in it. */
function isInString(line: string, start: number, end: number): boolean {
  for (const { 0: string, index } of line.matchAll(/"(?:[^"\\]|\\.)*"/g))
    if (index <= start && end <= index + string.length) return true;
  return false;
}

/** Finds every place in a prompt where a text stands, as it is or as a fence shows it, in the order of the prompt. */
function occurrencesOf(prompt: Prompt, text: string): Occurrence[] {
  return formsOf(text)
    .flatMap((form) => why(prompt, form))
    .sort((one, other) => one.start - other.start);
}

/** Lists the forms of a text: as it is and, where they differ, behind `> ` and in a JSON string. */
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

/** Says why a text cannot be searched for. */
export function textFault(text: unknown): string | undefined {
  if (typeof text !== "string")
    return "Only a text can be looked for. For a pattern, use your test runner's own assertion.";
  return text === "" ? "An empty text is everywhere. Say which text is meant." : undefined;
}

/** Says where something stands, for a message: `in “goals”, line 4: “Help people.”` */
function placeWords(prompt: Prompt, { start, spans }: Occurrence): string {
  const line = prompt.text.slice(0, start).split("\n").length;
  const from = prompt.text.lastIndexOf("\n", start - 1) + 1;
  const end = prompt.text.indexOf("\n", start);
  const words = prompt.text.slice(from, end === -1 ? undefined : end);
  return `in “${spans[0]?.section}”, line ${line}: “${preview(words, 120)}”`;
}

/** Finds the line of a text that is most like the words, by their pairs of letters; undefined if none is much like them. */
export function nearestLine(text: string, words: string): string | undefined {
  const wanted = pairsOf(words);
  let nearest: string | undefined;
  let best = 0.35;
  for (const line of text.split(lineEnd)) {
    const likeness = likenessOf(pairsOf(line), wanted);
    if (likeness <= best) continue;
    best = likeness;
    nearest = line.trim();
  }
  return nearest;
}

/** Lists the pairs of neighbouring letters; case and white space do not count. */
function pairsOf(words: string): ReadonlySet<string> {
  const letters = [...words.slice(0, 1000).toLowerCase().replace(/\s+/g, "")];
  return new Set(letters.map((letter, index) => letter + (letters[index + 1] ?? "")));
}

/** Returns the likeness, from 0, nothing in common, to 1, the same pairs. */
function likenessOf(some: ReadonlySet<string>, others: ReadonlySet<string>): number {
  if (some.size + others.size === 0) return 0;
  let common = 0;
  for (const pair of some) if (others.has(pair)) common++;
  return (2 * common) / (some.size + others.size);
}
