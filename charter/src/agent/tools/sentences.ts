/** So much a text may consist of to be parted: Latin letters (none that look like a mark), figures, plain marks, one line. */
const plain = /^[A-Za-zÀ-ÖØ-öø-ƿǄ-ɏḀ-ỿ0-9 ,.!?;'’/&%+€$£-]*$/u;

/** A sign that ends a sentence, one alone, after a word and before a capital. */
const ends = /(?<=\p{Script=Latin})[.!?](?= +\p{Lu})/gu;

/** Words that such a sign follows within a sentence. Those of two letters, or without a vowel, are never taken for an end. */
const shortened = new Set(
  [
    "etc inc corp prof rev gen col capt cmdr sen gov hon pres rep sec supt insp adm maj mme mlle sig dott avv arch ing mag dipl fam",
    "ave art abs fig vol tel ext est dept univ assoc bros approx esp incl excl max min avg temp ref par chap cap pag pág núm aprox",
    "usw evtl inkl exkl geb gest ehem sog allg einschl ausschl abzgl eigtl urspr evt env éd resp jährl monatl tägl vorm nachm",
    "jan feb mar apr jun jul aug sep sept oct okt nov dec dez mon tue tues wed thu thur thurs fri sat sun yahoo",
  ].flatMap((line) => line.split(" ")),
);

/**
 * The sentences of a text, as they stand in it. It is parted only where nobody could take the rest for a part: of a text
 * with other signs (colons, brackets, dashes, line breaks, other scripts) the whole is one.
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

/** Whether the sign after these words is more than that of an abbreviation, an ordinal, an initial or a name. */
function endsSentence(words: string): boolean {
  const [word = ""] = /[^ ]*$/.exec(words) ?? [];
  const [last = ""] = /[^-/'’]*$/.exec(word) ?? [];
  if (!/^\p{Script=Latin}{3,}$/u.test(last) || /^[IVXLCDM]+$/.test(last)) return false;
  const hasVowel = /[aeiouy]/i.test(last.normalize("NFD"));
  return hasVowel && !shortened.has(last.toLowerCase());
}
