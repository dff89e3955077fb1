import { countCharacters, invisible } from "../prompt/character.ts";

/** A note, and the words of this turn's input that the person typed, where any are known to be. */
export type OwnWordsOptions = {
  readonly typed: string | undefined;
  readonly note: string;
  readonly key?: string | undefined;
};

/** The decision that a note is the person's own words, or why it is not taken for such. */
type OwnWordsVerdict = { readonly own: true } | { readonly own: false; readonly because: string };

/**
 * Maximum number of characters that count as typed: five hundred take two to three minutes on a phone. A longer text was usually
 * pasted, and may be anybody's.
 */
export const maxTypedChars = 500;

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
 * Decides whether a note that is saved while others' words are in the turn is the person's own nevertheless: whole sentences they
 * typed in this turn, unchanged, one after the other. A part of a sentence is not (“never pay X” holds “pay X”). In doubt, it is
 * not.
 */
export function judgeOwnWords({ typed, note, key }: OwnWordsOptions): OwnWordsVerdict {
  const notOwn = (because: string): OwnWordsVerdict => ({ own: false, because });
  if (typed === undefined) return notOwn("nothing of the input is known to be typed by the user");
  if (countCharacters(typed) > maxTypedChars)
    return notOwn(`the input has more than ${maxTypedChars} characters, so it may have been pasted`);
  if (hidden.test(typed) || hidden.test(note)) return notOwn("there are characters that no eye sees");
  if (quoting.test(typed) || passedOn.test(typed)) return notOwn("the input quotes or passes on what others said");
  if (!isRunOf(sentencesOf(typed), note))
    return notOwn("it is not whole sentences that the user typed in this turn, unchanged");
  if (key !== undefined && !wordsOf(note).has(key.toLowerCase())) return notOwn("its key is not one of its own words");
  return { own: true };
}

/** Tells whether the text is some of the sentences, one after the other. */
function isRunOf(sentences: readonly string[], text: string): boolean {
  const wanted = spaced(text);
  const parts = sentences.map(spaced);
  if (wanted === "") return false;
  return parts.some((_, from) => parts.some((_, to) => to >= from && parts.slice(from, to + 1).join(" ") === wanted));
}

/** Normalises white space, since line breaks carry no meaning here. */
function spaced(text: string): string {
  return text.trim().replace(/[ \t\r\n]+/g, " ");
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().split(/[^\p{L}\p{N}]+/u));
}

/** Characters a text may consist of to be split: Latin letters (none that look like a mark), figures, plain marks, one line. */
const plain = /^[A-Za-zÀ-ÖØ-öø-ƿǄ-ɏḀ-ỿ0-9 ,.!?;'’/&%+€$£-]*$/u;

/** A sign that ends a sentence, one alone, after a word and before a capital. */
const ends = /(?<=\p{Script=Latin})[.!?](?= +\p{Lu})/gu;

/** Abbreviations: words that such a sign follows within a sentence. Those of two letters, or without a vowel, never end one. */
const shortened = new Set(
  [
    "etc inc corp prof rev gen col capt cmdr sen gov hon pres rep sec supt insp adm maj mme mlle sig dott avv arch ing mag dipl fam",
    "ave art abs fig vol tel ext est dept univ assoc bros approx esp incl excl max min avg temp ref par chap cap pag pág núm aprox",
    "usw evtl inkl exkl geb gest ehem sog allg einschl ausschl abzgl eigtl urspr evt env éd resp jährl monatl tägl vorm nachm",
    "jan feb mar apr jun jul aug sep sept oct okt nov dec dez mon tue tues wed thu thur thurs fri sat sun yahoo",
  ].flatMap((line) => line.split(" ")),
);

/**
 * Splits a text into its sentences, unchanged. It is split only where a part cannot be mistaken: a text with other signs (colons,
 * brackets, dashes, line breaks, other scripts) counts as one sentence.
 */
export function sentencesOf(text: string): readonly string[] {
  const whole = text.trim();
  if (!plain.test(whole) || / -|- |^-/.test(whole)) return [whole];
  const sentences: string[] = [];
  let from = 0;
  for (const { index } of whole.matchAll(ends)) {
    if (!endsSentence(whole.slice(from, index))) continue;
    sentences.push(whole.slice(from, index + 1).trim());
    from = index + 1;
  }
  return [...sentences, whole.slice(from).trim()];
}

/** Tells whether the sign after these words ends a sentence, and not an abbreviation, an ordinal, an initial or a name. */
function endsSentence(words: string): boolean {
  const [word = ""] = /[^ ]*$/.exec(words) ?? [];
  const [last = ""] = /[^-/'’]*$/.exec(word) ?? [];
  if (!/^\p{Script=Latin}{3,}$/u.test(last) || /^[IVXLCDM]+$/.test(last)) return false;
  const hasVowel = /[aeiouy]/i.test(last.normalize("NFD"));
  return hasVowel && !shortened.has(last.toLowerCase());
}
