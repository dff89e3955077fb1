import { countCharacters } from "../prompt/character.ts";
import { Problem } from "../prompt/problem.ts";
import type { Prompt } from "../prompt/prompt.ts";
import type { Room } from "../prompt/room.ts";
import type { Check } from "./expectation.ts";

export function checkWithin(prompt: Prompt, room: Room): Check {
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
  return `The prompt of “${charter}” has ${total} characters, ${total - limit} more than ${limit}.\n${largest(sizes)}`;
}

function checkTokens(prompt: Prompt, { tokens: limit, tokenizer }: Room): Check {
  if (limit === undefined || tokenizer === undefined) return;
  const { total, exact, sections } = prompt.tokens(tokenizer);
  if (total <= limit) return;
  const sizes = prompt.sections.map(({ name }, index) => ({ name, size: sections[index] ?? 0 }));
  const count = `${exact ? "" : "about "}${total} tokens, counted by “${tokenizer.name}”`;
  const doubt = exact ? "" : " That is an estimate.";
  return `The prompt of “${prompt.charter}” has ${count}, ${total - limit} more than ${limit}.${doubt}\n${largest(sizes)}`;
}

function largest(sizes: readonly { readonly name: string; readonly size: number }[]): string {
  const named = sizes
    .toSorted((one, other) => other.size - one.size)
    .slice(0, 3)
    .map(({ name, size }) => `“${name}” ${size}`);
  return `Largest: ${named.join(", ")}.`;
}
