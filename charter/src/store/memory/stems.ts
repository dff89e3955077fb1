import { stemmer as arabic } from "@orama/stemmers/arabic";
import { stemmer as danish } from "@orama/stemmers/danish";
import { stemmer as dutch } from "@orama/stemmers/dutch";
import { stemmer as english } from "@orama/stemmers/english";
import { stemmer as finnish } from "@orama/stemmers/finnish";
import { stemmer as french } from "@orama/stemmers/french";
import { stemmer as german } from "@orama/stemmers/german";
import { stemmer as greek } from "@orama/stemmers/greek";
import { stemmer as hungarian } from "@orama/stemmers/hungarian";
import { stemmer as italian } from "@orama/stemmers/italian";
import { stemmer as norwegian } from "@orama/stemmers/norwegian";
import { stemmer as portuguese } from "@orama/stemmers/portuguese";
import { stemmer as romanian } from "@orama/stemmers/romanian";
import { stemmer as russian } from "@orama/stemmers/russian";
import { stemmer as spanish } from "@orama/stemmers/spanish";
import { stemmer as swedish } from "@orama/stemmers/swedish";
import { stemmer as turkish } from "@orama/stemmers/turkish";
import { folded, type Word, wordsOf } from "../texts/text.ts";

/** Maximum number of characters of a word in the index; longer words are cut to half of it. */
const maxWordChars = 100;

/**
 * Returns what a note is found by, in the order of its words: each as it is written, and its stems. If the language of the note
 * does not show, a word has the stems of every language its script is used for.
 */
export function stemsOf(text: string): string {
  const words = wordsOf(text);
  const likely = likelyLanguages(words);
  const known = new Map<string, readonly string[]>();
  const stems = (word: Word) => [...new Set([indexed(word.folded), ...stemmed(word, likely)])];
  for (const word of words) if (!known.has(word.written)) known.set(word.written, stems(word));
  return words.flatMap(({ written }) => known.get(written) as readonly string[]).join(" ");
}

/** Returns the forms of a word that is looked for, with their weights: as it is written, or a stem. */
export function formsOf(word: Word, likely: readonly Language[]): ReadonlyMap<string, number> {
  const forms = new Map([[indexed(word.folded), 1]]);
  for (const stem of stemmed(word, likely)) if (!forms.has(stem)) forms.set(stem, 0.9);
  for (const stem of stemmed(word, languagesOfScript(word.folded))) if (!forms.has(stem)) forms.set(stem, 0.6);
  return forms;
}

function stemmed(word: Word, likely: readonly Language[]): string[] {
  if (word.written.length > maxWordChars || /\d/.test(word.folded)) return [];
  const possible = languagesOfScript(word.folded);
  const both = possible.filter((language) => likely.includes(language));
  // Names may be in another script than the rest: the first language of that script has to do.
  return (both.length > 0 ? both : possible.slice(0, 1)).map((language) => stemIn(language, word));
}

function stemIn(language: Language, { written, folded: plain }: Word): string {
  const [stem] = wordsOf(stemmers[language](written));
  return indexed(stem?.folded ?? plain);
}

function indexed(word: string): string {
  return word.length <= maxWordChars ? word : [...word].slice(0, maxWordChars / 2).join("");
}

const latin: readonly Language[] = [
  "english",
  "german",
  "french",
  "spanish",
  "portuguese",
  "italian",
  "dutch",
  "swedish",
  "danish",
  "norwegian",
  "finnish",
  "hungarian",
  "romanian",
  "turkish",
];

const byScript: readonly (readonly [RegExp, readonly Language[]])[] = [
  [/\p{Script=Latin}/u, latin],
  [/\p{Script=Cyrillic}/u, ["russian"]],
  [/\p{Script=Greek}/u, ["greek"]],
  [/\p{Script=Arabic}/u, ["arabic"]],
];

/** Returns the known languages that are written in a word's script. */
function languagesOfScript(word: string): readonly Language[] {
  return byScript.find(([script]) => script.test(word))?.[1] ?? [];
}

/**
 * Returns the languages a text is most likely in, by its commonest words: all that share the first place. A text without any of
 * these words may be in every language.
 */
function likelyLanguages(words: readonly Word[]): readonly Language[] {
  let best: Language[] = [];
  let most = 0;
  for (const [language, common] of stopWords) {
    const count = words.reduce((sum, { folded }) => sum + (common.has(folded) ? 1 : 0), 0);
    if (count > most) [best, most] = [[language], count];
    else if (count === most && count > 0) best.push(language);
  }
  return most === 0 ? [...stopWords.keys()] : best;
}

/** Stemmers by language, as Snowball has them: each returns a word without its ending. */
export const stemmers: Readonly<Record<Language, (word: string) => string>> = {
  arabic,
  danish,
  dutch,
  english,
  finnish,
  french,
  german,
  greek,
  hungarian,
  italian,
  norwegian,
  portuguese,
  romanian,
  russian,
  spanish,
  swedish,
  turkish,
};

/**
 * Commonest words of languages, folded: they show a language, and say little of what somebody looks for. The names are those of
 * the Snowball stemmers.
 */
const lists = {
  english: `the a an and or but of to in on at for with from by as is are was were be been am it its he she they them his
    her their we our you your my me i this that these those what which who whom whose when where why how do does did has
    have had will would can could should not no any there about into than then so if`,
  german: `der die das den dem des ein eine einen einem einer und oder aber von zu zum zur im in am an auf fur mit aus bei
    nach vor uber unter ist sind war waren sein hat haben hatte es er sie wir ihr ich du mein meine meinen meiner dein
    seine ihre unser was welche welcher welches wer wem wessen wann wo warum wie nicht kein keine als auch noch dass man
    wird werden kann soll mir mich ihm ihn`,
  french: `le la les l un une des du de d et ou mais a au aux en dans sur pour avec par sans sous chez est sont etait
    etaient etre ont avait avoir il elle ils elles nous vous je tu on mon ma mes ton ta tes son sa ses notre votre leur
    leurs ce cet cette ces que qu qui quoi quel quelle quels quelles quand comment pourquoi ne pas plus se s y lui me m
    n est-ce fait`,
  spanish: `el la los las un una unos unas de del y o pero a al en con por para sin sobre es son era eran ser esta estan
    ha han habia hay yo tu el ella nosotros ellos mi mis tu tus su sus nuestro este esta estos esa ese que quien quienes
    cual cuales cuando donde como porque no se le les lo me te muy mas`,
  portuguese: `o a os as um uma uns umas de do da dos das e ou mas ao aos em no na nos nas com por para sem sobre pelo
    pela sao era eram ser esta estao tem tinha ha eu tu ele ela nos eles elas meu minha meus minhas seu sua seus suas
    nosso este esta esse essa isso que quem qual quais quando onde como porque nao se lhe me te muito mais voce foi`,
  italian: `il lo la i gli le un uno una di del della dei delle dello e o ma a al alla ai alle in nel nella con per da dal
    dalla su sul sulla tra fra sono era erano essere ha hanno aveva io tu lui lei noi voi loro mio mia miei mie tuo suo
    sua suoi nostro questo questa quello che chi quale quali quando dove come perche non si ci mi ti piu`,
  dutch: `de het een en of maar van naar in op aan voor met uit bij door over is zijn was waren wordt heeft hebben had ik
    jij je u hij zij ze wij we mijn jouw uw haar hun ons onze dit dat deze die wat welke wie wanneer waar waarom hoe niet
    geen er ook nog als dan te om`,
  swedish: `en ett och eller men av till i pa for med fran om ar var vara blir har hade jag du han hon vi ni de dem min
    mitt mina din ditt hans hennes sin sitt var vart den det denna detta som vad vilken vilka vem nar varfor hur inte
    ingen att sig mig`,
  danish: `en et og eller men af til i pa for med fra om er var vaere bliver har havde jeg du han hun vi i de dem min mit
    mine din dit hans hendes sin sit vores den det denne dette som hvad hvilken hvilke hvem hvornar hvorfor hvor hvordan
    ikke ingen at sig mig`,
  norwegian: `en ei et og eller men av til i pa for med fra om er var vaere blir har hadde jeg du han hun vi dere de dem
    min mi mitt mine din ditt hans hennes sin sitt var den det denne dette som hva hvilken hvilke hvem nar hvorfor hvor
    hvordan ikke ingen a seg meg`,
  finnish: `ja tai mutta on oli olla ovat olivat ei eivat mina sina han me te he minun sinun hanen meidan se ne tama nama
    tuo mika mitka kuka missa milloin miksi miten kun jos kuin etta myos`,
  hungarian: `a az egy es vagy de hogy nem is van volt vannak voltak lesz en te o mi ti ok ez azok ezek mi ki mit hol
    mikor miert hogyan melyik ha mint csak meg neki ban ben`,
  romanian: `un o unei unui si sau dar de la in pe cu din pentru prin este sunt era erau fi are au avea eu tu el ea noi voi
    ei ele meu mea mei mele tau sau sa acest aceasta ce cine care cand unde cum nu se il ii lui al ale`,
  turkish: `bir ve veya ama ile icin bu su o ben sen biz siz onlar benim senin onun bizim ne kim hangi nerede ne zaman
    neden nasil mi mu degil var yok da de daha cok gibi olan`,
  russian: `и или но в во на с со к ко от до из за под над о об при для у по не ни это этот эта эти тот я ты он она оно
    мы вы они мои моя мое мои твои его ее их наш ваш свои что кто какои какая какие какое когда где почему как был была
    было были есть быть если уже еще только же ли бы мне меня ему еи`,
  greek: `ο η το οι τα του της των τον την και η αλλα σε στο στη στην στον με απο για προς ειναι ηταν εχει εχουν εγω εσυ
    αυτος αυτη αυτο εμεις εσεις μου σου τι ποιος ποια ποιο ποτε που γιατι πως δεν να θα ενα μια`,
  arabic: `في من على الى عن مع هو هي هم هن انا انت نحن هذا هذه ذلك تلك الذي التي ما ماذا متى اين لماذا كيف هل لا لم لن
    ان كان كانت و او ثم قد كل`,
} as const;

type Language = keyof typeof lists;

const stopWords: ReadonlyMap<Language, ReadonlySet<string>> = new Map(
  Object.entries(lists).map(([language, words]) => [language as Language, new Set(words.split(/\s+/))]),
);

/** Tells whether a word is common in one of these languages, so that it says little. */
function isCommon(word: string, languages: readonly Language[]): boolean {
  return languages.some((language) => stopWords.get(language)?.has(word));
}

/** A word or a quoted phrase of a search. */
export type SearchTerm = {
  /** Text as it was written, folded. */
  readonly text: string;
  readonly not?: true;
  /** Forms that a note with the word may have, and their weights; for a phrase, its words. */
  readonly forms: ReadonlyMap<string, number>;
  readonly phrase?: readonly string[];
};

/** Maximum number of words of a search, and of a phrase: the rest is left out. */
const maxTerms = 64;

/** Terms of a search: the wanted and the unwanted ones, and everything as it was written. */
export type SearchQuery = {
  readonly wanted: readonly SearchTerm[];
  readonly unwanted: readonly SearchTerm[];
  readonly written: readonly Pick<SearchTerm, "text" | "not">[];
};

/** Parses a search: "quoted words" stay together; -word excludes. Common words count only if there are no others. */
export function readQuery(query: string): SearchQuery {
  const likely = likelyLanguages(wordsOf(query));
  const written: Pick<SearchTerm, "text" | "not">[] = [];
  const terms: (Omit<SearchTerm, "forms"> & { readonly words: readonly Word[] })[] = [];
  for (const [, minus, phrase, word] of query.matchAll(/(-?)(?:"([^"]*)"|([^\s"]+))/g)) {
    const term = phrase ?? word ?? "";
    const text = folded(term).trim();
    if (text === "") continue;
    const not = minus === "-" ? ({ not: true } as const) : {};
    written.push({ text, ...not });
    const words = phrase === undefined ? wordsOf(term) : wordsOf(term).slice(0, maxTerms);
    if (phrase !== undefined && words.length > 1)
      terms.push({ text, ...not, phrase: words.map((one) => one.folded), words });
    else for (const one of words) terms.push({ text: one.folded, ...not, words: [one] });
  }
  const different = [
    ...new Map(terms.map((term) => [`${term.not ?? ""}${term.phrase ?? ""} ${term.text}`, term])).values(),
  ];
  const wanted = different.filter(({ not }) => !not);
  const telling = wanted.filter(({ text, phrase }) => phrase !== undefined || !isCommon(text, likely));
  const first = (some: typeof terms): SearchTerm[] =>
    some.slice(0, maxTerms).map(({ words, ...term }) => {
      const [only] = words;
      return {
        ...term,
        forms: only && !term.phrase ? formsOf(only, likely) : new Map(term.phrase?.map((one) => [one, 1])),
      };
    });
  return {
    wanted: first(telling.length > 0 ? telling : wanted),
    unwanted: first(different.filter(({ not }) => not)),
    written: written.slice(0, maxTerms),
  };
}
