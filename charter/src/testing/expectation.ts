import { kindOf } from "../prompt/argument.ts";
import { lineEnd, preview } from "../prompt/character.ts";
import { fenced, quoted } from "../prompt/fence.ts";
import { type Occurrence, type Prompt, why } from "../prompt/prompt.ts";

/** A check: what is wrong, in words, or nothing. */
export type Check = string | undefined;

/** The checks of an expectation: for each of its methods, what is wrong when it is called so. */
type Checks<Expectation> = {
  readonly [Name in keyof Expectation]: Expectation[Name] extends (...given: infer Given) => unknown
    ? (...given: Given) => Check
    : never;
};

/** Checks as methods that throw what is wrong, and can be chained. */
export function expectationOf<Expectation extends object>(checks: Checks<Expectation>): Expectation {
  const methods: Record<string, (...given: unknown[]) => Expectation> = {};
  for (const [name, check] of Object.entries(checks) as [string, (...given: unknown[]) => Check][])
    methods[name] = function expected(...given) {
      const wrong = check(...given);
      if (wrong !== undefined) throw failure(wrong, expected);
      return methods as Expectation;
    };
  return methods as Expectation;
}

/** What a function was given, in the words of a message. */
export function givenAs(value: unknown): string {
  return value === undefined ? "nothing" : kindOf(value);
}

/**
 * What every runner shows as a failed test: an error with a message. Its stack begins where the test called `called`, so
 * that the line shown is the test's. It is no `AssertionError`: some runners would look for two values to compare.
 */
export function failure(message: string, called: (...given: never[]) => unknown): Error {
  const error = new Error(message);
  error.name = "ExpectationFailed";
  // The stack of some engines holds the name that was there when it was made; not every engine can cut it.
  (Error as { captureStackTrace?: (error: Error, above: unknown) => void }).captureStackTrace?.(error, called);
  return error;
}

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

/** The line of a text that is most like the words, by the letters that stand beside each other; none that is hardly like them. */
export function nearestLine(text: string, words: string): string | undefined {
  const wanted = pairsOf(words);
  let nearest: string | undefined;
  let most = 0.35;
  for (const line of text.split(lineEnd)) {
    const likeness = likenessOf(pairsOf(line), wanted);
    if (likeness <= most) continue;
    most = likeness;
    nearest = line.trim();
  }
  return nearest;
}

/** Of any two letters beside each other, which there are; case and white space do not count. */
function pairsOf(words: string): ReadonlySet<string> {
  const letters = [...words.slice(0, 1000).toLowerCase().replace(/\s+/g, "")];
  return new Set(letters.map((letter, index) => letter + (letters[index + 1] ?? "")));
}

/** From 0, nothing in common, to 1, the same pairs. */
function likenessOf(some: ReadonlySet<string>, others: ReadonlySet<string>): number {
  if (some.size + others.size === 0) return 0;
  let common = 0;
  for (const pair of some) if (others.has(pair)) common++;
  return (2 * common) / (some.size + others.size);
}
