import { Problem } from "../../prompt/problem.ts";

/**
 * Words that every home keeps exactly as they are. One would drop what follows a NUL and another refuse it, and both
 * would quietly turn half a character into something else: so nobody gets that far.
 */
export function checkSoundText(text: string): void {
  const nul = text.indexOf("\0");
  if (nul === -1 && text.isWellFormed()) return;
  const at = nul === -1 ? text.search(/\p{Surrogate}/u) : nul;
  const what = nul === -1 ? "half a character (a lone surrogate)" : "a NUL character";
  const around = JSON.stringify(text.slice(Math.max(0, at - 20), at + 20));
  throw new Problem(
    "malformed-text",
    `A text to be kept or looked for holds ${what} at index ${at}: ${around}.`,
    "Fix the text where it comes from; Charter never repairs words silently.",
  );
}
