import { countCharacters, invisible } from "../prompt/character.ts";

/** The use that is made of words: each has lead-ins of its own, and a reminder says its time beside its words. */
type WordsUse = "note" | "reminder" | "instruction";

/** Words that somebody means to keep, and the words of this turn's input that the person typed, where any are known to be. */
export type OwnWordsOptions = {
  readonly typed: string | undefined;
  readonly words: string;
  readonly use: WordsUse;
  readonly key?: string | undefined;
};

/** The decision that words are the person's own, or why they are not taken for such. */
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
 * Decides whether words that are kept while others' words are in the turn are the person's own nevertheless: whole sentences they
 * typed in this turn, unchanged, one after the other. A part of a sentence is not (“never pay X” holds “pay X”), except what is
 * left of it after a known lead-in (“Remember that …”). In doubt, they are not.
 */
export function judgeOwnWords({ typed, words, use, key }: OwnWordsOptions): OwnWordsVerdict {
  const notOwn = (because: string): OwnWordsVerdict => ({ own: false, because });
  if (typed === undefined) return notOwn("nothing of the input is known to be typed by the user");
  if (countCharacters(typed) > maxTypedChars)
    return notOwn(`the input has more than ${maxTypedChars} characters, so it may have been pasted`);
  if (hidden.test(typed) || hidden.test(words)) return notOwn("there are characters that no eye sees");
  if (quoting.test(typed) || passedOn.test(typed)) return notOwn("the input quotes or passes on what others said");
  if (!isRunOf(sentencesOf(typed), words, use))
    return notOwn("it is not whole sentences that the user typed in this turn, unchanged");
  if (key !== undefined && !wordsOf(words).has(key.toLowerCase())) return notOwn("its key is not one of its own words");
  return { own: true };
}

/**
 * Tells whether a change only adds lines at the end of a text, and each of them is the person's own words. A line that is lost or
 * moved is not theirs to lose: others' words may be why.
 */
export function addsOwnWords(
  { before, after }: { readonly before: string; readonly after: string },
  typed: string | undefined,
): boolean {
  const kept = before.trimEnd();
  const rest = after.slice(kept.length);
  if (!after.startsWith(kept) || (kept !== "" && !/^[ \t]*\r?\n/.test(rest))) return false;
  const added = rest.split("\n").filter((line) => line.trim() !== "");
  const isOwn = (line: string) =>
    judgeOwnWords({ typed, words: line.trim().replace(/^[-*•] +/, ""), use: "instruction" }).own;
  return added.length > 0 && added.every(isOwn);
}

/** Tells whether the text is some of the sentences, one after the other. The first may lose its lead-in, a reminder its time. */
function isRunOf(sentences: readonly string[], text: string, use: WordsUse): boolean {
  const wanted = spaced(text);
  const isRun = (parts: readonly string[]) => {
    let run = "";
    for (const part of parts) {
      run = `${run} ${spaced(part)}`.trimStart();
      if (isSame(run, wanted, use)) return true;
      if (run.length > wanted.length + 1) return false;
    }
    return false;
  };
  return sentences.some((first, from) => {
    const others = sentences.slice(from + 1);
    return [[first], ...withoutLeadIn(first, use).map(sentencesOf)].some((opening) => isRun([...opening, ...others]));
  });
}

/** Compares words as they were typed with words as they are written down: with a capital, and a full stop or none. */
function isSame(typed: string, written: string, use: WordsUse): boolean {
  const plain = written.replace(/\.$/, "");
  const capital = typed.replace(/^[a-zà-öø-ÿ]/, (letter) => letter.toUpperCase());
  const whole = [typed, capital].find((one) => one.startsWith(plain));
  if (plain === "" || whole === undefined) return false;
  const rest = whole.slice(plain.length);
  return /^\.?$/.test(rest) || (use === "reminder" && /^ |^,/.test(rest) && /^[.!]?$/.test(afterTimes(rest)));
}

const listOf = (words: string) => `(?:${words.split(" ").join("|")})`;

/** Times as people say them. Where a reminder's words are judged they count for nothing: its time is said beside its words. */
const time = (() => {
  const day = `${listOf("mon tues wednes thurs fri satur sun")}day`;
  const part = listOf("morning afternoon evening night");
  const month = listOf("january february march april may june july august september october november december");
  const number = listOf("an? one two three four five six seven eight nine ten eleven twelve 1?\\d 2\\d 30");
  const date = "\\d{1,2}(?:st|nd|rd|th)?";
  const tag = listOf("montag dienstag mittwoch donnerstag freitag samstag sonntag");
  const jour = listOf("jours lundi mardi mercredi jeudi vendredi samedi dimanche");
  const dia = listOf("día lunes martes miércoles jueves viernes sábado domingo");
  const forms = [
    `today|tonight|daily|weekly|monthly|tomorrow(?: ${part})?|(?:this|next) (?:${part}|${day}|week|month|year)`,
    `(?:on |every |each )?${day}s?(?: ${part})?|every (?:other )?(?:${part}|day|weekday|week|month|year|hour)`,
    `in (?:half an|${number}) (?:minute|hour|day|week|month)s?|in the ${part}|on the ${date}|on ${month} ${date}`,
    `on (?:the )?${date}(?: of)? ${month}|at (?:noon|midnight|${number}(?:[:.]\\d\\d)?(?: ?[ap]m| o['’]clock)?)|\\d{1,2}:\\d\\d`,
    `heute(?: abend)?|morgen(?: früh| abend)?|übermorgen|täglich|(?:am|jeden) ${tag}|jeden (?:tag|morgen|abend|monat)`,
    "um \\d{1,2}(?:[:.]\\d\\d)?(?: uhr)?|in (?:\\d{1,3}|einer|einem) (?:minuten?|stunden?|tag(?:en)?|wochen?)",
    `aujourd['’]hui|ce soir|demain(?: matin| soir)?|(?:tous les |chaque )?${jour}|à \\d{1,2} ?h(?:eures)?(?: ?\\d\\d)?`,
    `hoy|mañana|todos los días|(?:el|cada) ${dia}|a las? \\d{1,2}(?:[:.]\\d\\d)?`,
  ];
  return new RegExp(`^,? ?(?:${forms.join("|")})(?![\\p{L}\\p{N}])`, "iu");
})();

/** Returns what comes after the times that a text begins with, three of them at most. */
function afterTimes(text: string): string {
  const skip = (rest: string) => rest.replace(time, "");
  return skip(skip(skip(text)));
}

/**
 * Openings of a sentence that fall away when the rest is written down, each in two parts: a reminder may say its time between
 * them. None of them says no.
 */
const leadIns: Readonly<Record<WordsUse, readonly (readonly [opening: RegExp, joint: RegExp])[]>> = (() => {
  const lead = (opening: string, joint: string) =>
    [new RegExp(`^(?:${opening})`, "i"), new RegExp(`^(?:${joint}) +(?=\\S)`, "i")] as const;
  const note = [
    lead(
      "(?:please,? )?(?:remember|note|keep in mind|don['’]t forget|do not forget|make a note)",
      "(?:,? please)?(?:[:,]| that)",
    ),
    lead("(?:bitte )?(?:merke? dir|denke? daran|vergiss nicht|notiere?)", "(?: bitte)?(?::|, dass)"),
    lead("retiens|note|souviens-toi|n['’]oublie pas", " ?:| que"),
    lead("(?:por favor,? )?(?:recuerda|anota|no olvides)", ":| que"),
  ];
  const follow = [
    lead("from now on|in future|in the future|new rule|new instruction", "[:,]"),
    lead("ab jetzt|neue regel", ":"),
  ];
  const remind = [
    lead("(?:please,? )?(?:remind me|set (?:me )?a reminder)", ":|,? (?:to|that|of|about)"),
    lead("(?:can|could|will|would) you (?:please )?remind me", " (?:to|that|of|about)"),
    lead("(?:bitte )?erinner[en]? mich(?: bitte)?", ":| an| daran,"),
    lead("rappelle-moi", " ?:| de| que"),
    lead("(?:por favor,? )?recuérdame", ":| que"),
  ];
  return { note, instruction: [...note, ...follow], reminder: [...note, ...remind] };
})();

/** Returns what a sentence says after a known lead-in; nothing where it has none. What a polite question asks for is no question. */
function withoutLeadIn(text: string, use: WordsUse): string[] {
  const whole = text.trim();
  const isReminder = use === "reminder";
  const starts = isReminder ? [whole, afterTimes(whole).replace(/^,? /, "")] : [whole];
  return starts.flatMap((start) =>
    leadIns[use].flatMap(([opening, joint]) => {
      const [said] = opening.exec(start) ?? [];
      if (said === undefined) return [];
      const left = start.slice(said.length);
      const rest = (isReminder ? [left, afterTimes(left)] : [left]).find((one) => joint.test(one))?.replace(joint, "");
      if (rest === undefined) return [];
      return [/ you /i.test(said) ? rest.replace(/\?$/, "") : rest];
    }),
  );
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
function sentencesOf(text: string): readonly string[] {
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
