import { countCharacters, invisible } from "../../prompt/character.ts";
import { sentencesOf } from "./sentences.ts";

/** A note, and the words of this turn's input that the person typed, where any are known to be. */
export type OwnWordsOptions = {
  readonly typed: string | undefined;
  readonly note: string;
  readonly key?: string | undefined;
};

/** Whether a note is the person's own words, or why it is not taken for such. */
type OwnWordsVerdict = { readonly own: true } | { readonly own: false; readonly because: string };

/**
 * So many characters somebody types for one message: five hundred take two to three minutes on a phone. What is longer
 * was pasted as a rule, and so may be anybody's.
 */
export const mostTyped = 500;

/** Marks that people put around others' words, and apostrophes that stand in no word. */
const quoting = /["„‚`´「」『』〈〉《》〝〞〟＂＇｀｢｣❛-❠❮❯⹂\p{Pi}]|(?!’)\p{Pf}|(?<!\p{L})['’]|['’](?!\p{L})/u;

/** Lines that quote, fence or forward (`> `, `~~~`, a mail's heading), and tags that do. */
const passedOn = new RegExp(
  [
    "^[ \\t]*(?:[>|＞]|&gt;|~~~|[-_=]{3,})",
    "^[ \\t]*(?:from|to|subject|sent|fwd?|re|aw|wg|von|an|betreff|gesendet|de|para|asunto|objet|tr|rv)[ \\t]*:",
    "<(?:blockquote|q|pre|code)\\b|\\[quote",
  ].join("|"),
  "imu",
);

const hidden = new RegExp(invisible.source, "u");

/**
 * Whether a note that is saved while others' words are in the turn is the person's own nevertheless: whole sentences
 * they typed in this turn, unchanged, one after the other. A part of a sentence is not (“never pay X” holds “pay X”).
 * Wherever there is a doubt, it is not.
 */
export function judgeOwnWords({ typed, note, key }: OwnWordsOptions): OwnWordsVerdict {
  const not = (because: string): OwnWordsVerdict => ({ own: false, because });
  if (typed === undefined) return not("nothing of the input is known to be typed by the user");
  if (countCharacters(typed) > mostTyped)
    return not(`the input has more than ${mostTyped} characters, so it may have been pasted`);
  if (hidden.test(typed) || hidden.test(note)) return not("there are characters that no eye sees");
  if (quoting.test(typed) || passedOn.test(typed)) return not("the input quotes or passes on what others said");
  if (!isRunOf(sentencesOf(typed), note))
    return not("it is not whole sentences that the user typed in this turn, unchanged");
  if (key !== undefined && !wordsOf(note).has(key.toLowerCase())) return not("its key is not one of its own words");
  return { own: true };
}

/** Whether the text is some of the sentences, one after the other. */
function isRunOf(sentences: readonly string[], text: string): boolean {
  const wanted = spaced(text);
  const parts = sentences.map(spaced);
  if (wanted === "") return false;
  return parts.some((_, from) => parts.some((_, to) => to >= from && parts.slice(from, to + 1).join(" ") === wanted));
}

/** Where lines are broken says nothing. */
function spaced(text: string): string {
  return text.trim().replace(/[ \t\r\n]+/g, " ");
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().split(/[^\p{L}\p{N}]+/u));
}
