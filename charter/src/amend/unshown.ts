import { checkNeeded, isNumber } from "../prompt/argument.ts";
import { countCharacters } from "../prompt/character.ts";
import { grouped } from "../prompt/problem.ts";
import type { Section } from "../prompt/section.ts";

/** How much of an accepted text the prompt shows, where the section shows only its first characters. */
export type UnshownText = { readonly shown: number; readonly missing: number };

export function unshownText({ limit }: Pick<Section, "limit">, text: string): UnshownText | undefined {
  if (!limit) return undefined;
  const missing = countCharacters(text) - limit.chars;
  return missing > 0 ? { shown: limit.chars, missing } : undefined;
}

/** Says so in one sentence, for whoever wrote it. */
export function unshownSentence(given: UnshownText): string {
  const aCount = [isNumber, "Give a verdict's `unshown`."] as const;
  checkNeeded<UnshownText>("unshownSentence", given, { shown: aCount, missing: aCount });
  const { shown, missing } = given;
  return `Only the first ${grouped(shown)} characters are shown in the prompt; ${grouped(missing)} more are stored, but not shown. Make it shorter.`;
}
