import { checkText } from "../../prompt/argument.ts";
import { intended } from "./misspelling.ts";
import { GAP, skeletonOf, splitWords, tagText, type Word } from "./normalise.ts";
import { charterPhrases, english, type Phrases } from "./phrases.ts";
import { languages, vocabularies } from "./vocabularies.ts";
import { type HigherSections, isAddressed, isHonest, isImperative, isWarning } from "./warning.ts";

/** A text that tries to override higher layers: its range, in UTF-16 units, and the rule that found it. */
export type Override = { readonly start: number; readonly end: number; readonly rule: string };

type Guard = { readonly not: number; readonly notAfter: number; readonly ask: number };

/** All phrases, compiled, and the word lists that are looked up by themselves. */
type Known = {
  readonly lexicon: Lexicon;
  readonly guards: ReadonlyMap<string, Guard>;
  readonly englishWords: number;
  readonly fillers: number;
};

let compiled: Known | undefined;

/** Compiles the phrases on the first scan: a program that scans nothing does not wait for it. */
function compile(): Known {
  const lexicon = new Lexicon();
  for (const phrases of [english, charterPhrases, ...languages]) lexicon.add(phrases);
  const guards = new Map<string, Guard>();
  for (const [language, { not, notAfter, ask }] of Object.entries(vocabularies)) {
    guards.set(language, {
      not: lexicon.list(not),
      notAfter: notAfter === undefined ? -1 : lexicon.list(notAfter),
      ask: lexicon.list(ask),
    });
  }
  const { drop = "", cut = "", order = "", prior = "" } = english.lists;
  const englishWords = lexicon.list([drop, cut, order, prior].join(" "));
  return { lexicon, guards, englishWords, fillers: lexicon.list(fillers) };
}

const fillers =
  "the of all any every my your our these those this that such a an and or other about completely totally entirely single each please just both also to me now immediately everything kindly ignore forget disregard override bypass whole entire set list fully absolutely ever including las los la el le les des de del di da do das dos os as o lo i gli todas todos toutes tout tous tutte tutti die der das den dem alle aller meine deine ihre vos tes mis sus tus suas ces queste estas que y e et und ou oder het van na im на о об про τις τους τα την το τη όλες όλους όλα";
const unspaced = new Set(["zh", "ja", "ko", "th"]);
const crossing = GAP.stop | GAP.item;
const ending = GAP.stop | GAP.item | GAP.comma | GAP.colon | GAP.line | GAP.quote;
const maxWordsBehind = 200;
const maxWordsAhead = 80;
/** Maximum number of words that a pattern spans. */
const maxPatternWords = 64;

// Marks that claim a mode; a quotation mark beside one makes it a mention.
const marks =
  /(?<![`"'])[<[](?:system|admin|developer|god|debug|root)[ _-](?:mode|override)[^\]>\n]{0,20}[>\]](?![`"'])/giu;

/**
 * Finds the first text that tells the model to ignore what comes before it, unless it only warns of such text. With `higher`,
 * text that names those sections is found as well. The guard `noOverride` uses this check.
 */
export function findOverride(text: string, higher?: HigherSections): Override | undefined {
  checkText("findOverride", text);
  return findOverrides(text, higher).next().value ?? undefined;
}

/** Finds every override, in the order of the text. */
export function* findOverrides(text: string, higher?: HigherSections): Generator<Override, undefined> {
  const smuggled = tagText(text);
  if (smuggled !== undefined) yield* scan(smuggled, higher);
  yield* scan(text, higher);
  for (const { index, 0: mark } of text.matchAll(marks))
    yield { start: index, end: index + mark.length, rule: "mode-mark" };
  return undefined;
}

function* scan(text: string, higher: HigherSections | undefined): Generator<Override> {
  let page = new Page(higher);
  for (const word of splitWords(text)) {
    page.add(word);
    if (page.words.length < 4096) continue;
    yield* page.search(page.words.length - maxWordsAhead);
    page = page.turned();
  }
  yield* page.search(page.words.length);
}

/** A window of words. Words farther back than any warning reaches are dropped, so that a long text needs little memory. */
class Page {
  readonly words: Word[] = [];
  readonly #known: Known;
  readonly #hits: (Hits | undefined)[] = [];
  readonly #higher: HigherSections | undefined;
  /** Number of times each step is found in the words after the next one, as far as a pattern reaches. */
  readonly #soon: Int32Array;
  #counted = 0;
  #next = 0;
  /** Index after the last word that is already part of an override. */
  #past = 0;

  constructor(higher: HigherSections | undefined) {
    compiled ??= compile();
    this.#known = compiled;
    this.#higher = higher;
    this.#soon = new Int32Array(compiled.lexicon.size);
  }

  add(word: Word): void {
    const { length } = word.plain;
    const glued = length >= 10 && length <= 256 && length === word.folded.length && !/\d/u.test(word.plain);
    const parts =
      glued && (length >= 16 || this.#known.lexicon.hits([word], 0).size === 0)
        ? this.#known.lexicon.segments(word)
        : [word];
    for (const part of parts) this.words.push(part);
  }

  turned(): Page {
    const page = new Page(this.#higher);
    const from = this.words.length - maxWordsAhead - maxWordsBehind;
    for (const word of this.words.slice(from)) page.words.push(word);
    page.#next = maxWordsBehind;
    page.#counted = maxWordsBehind;
    page.#past = this.#past - from;
    return page;
  }

  *search(limit: number): Generator<Override> {
    for (; this.#next < limit; this.#next += 1) {
      this.#count(this.#next);
      const override = this.#next < this.#past ? undefined : this.#foundAt(this.#next);
      if (override !== undefined) yield override;
    }
  }

  #foundAt(from: number): Override | undefined {
    for (const [step, lengths] of this.#at(from)) {
      for (const pattern of this.#known.lexicon.patterns.get(step) ?? []) {
        if (!pattern.needed.every((id) => (this.#soon[id] ?? 0) > 0)) continue;
        const gaps = new Set<number>();
        const to = this.#after(pattern, 1, from, lengths, gaps);
        if (to < 0) continue;
        if (this.#higher !== undefined && isHonest(this.#higher, pattern.rule, this.words, from, to)) continue;
        if (pattern.rule === "unrestricted" && pattern.language === "en" && !isAddressed(this.words, from, to))
          continue;
        if (pattern.imperative && !isImperative(this.words, from)) continue;
        const inEnglish =
          pattern.language === "en" ||
          (this.#has(from, this.#known.englishWords) && this.#has(to - 1, this.#known.englishWords));
        if (inEnglish && isWarning(this.words, from, to, pattern.rule)) continue;
        // Chinese and Japanese share words, so either may be found in the other.
        const spoken = unspaced.has(pattern.language) ? unspaced : [pattern.language];
        if ([...spoken].some((language) => this.#warns(language, from, to, gaps))) continue;
        this.#past = to;
        return {
          start: this.words[from]?.start ?? 0,
          end: this.words[to - 1]?.end ?? 0,
          rule: `${pattern.rule}:${pattern.language}`,
        };
      }
    }
    return undefined;
  }

  /** Moves the window that `#soon` counts in, so that patterns whose words are missing are not tried. */
  #count(from: number): void {
    for (; this.#counted <= from + maxPatternWords && this.#counted < this.words.length; this.#counted += 1)
      for (const step of this.#at(this.#counted).keys()) this.#soon[step] = (this.#soon[step] ?? 0) + 1;
    for (const step of this.#at(from).keys()) this.#soon[step] = (this.#soon[step] ?? 0) - 1;
  }

  #at(index: number): Hits {
    const known = this.#hits[index];
    if (known !== undefined) return known;
    const hits = this.#named(index, this.#known.lexicon.hits(this.words, index));
    this.#hits[index] = hits;
    return hits;
  }

  /** Adds the charter's names at this place to the lexicon's matches. */
  #named(index: number, hits: Hits): Hits {
    const references = this.#higher?.references(this.words, index) ?? [];
    if (references.length === 0) return hits;
    const all = new Map(hits);
    for (const reference of references) {
      const higher = this.#higher?.isHigher(reference) === true;
      const slots: readonly Slot[] = !higher ? ["rest"] : reference.plain ? ["named"] : ["named", "higher"];
      for (const slot of slots)
        for (const step of this.#known.lexicon.slots.get(slot) ?? [])
          all.set(step, [...(all.get(step) ?? []), reference.length]);
    }
    return all;
  }

  #has(index: number, step: number): boolean {
    return this.#at(index).has(step);
  }

  #after(pattern: Pattern, number: number, at: number, lengths: readonly number[], gaps: Set<number>): number {
    for (const length of lengths) {
      const to = this.#follow(pattern, number, at + length, gaps);
      if (to >= 0) return to;
    }
    return -1;
  }

  /** Returns the place after the last step when the rest of the pattern follows from here, or -1. */
  #follow(pattern: Pattern, number: number, from: number, gaps: Set<number>): number {
    const step = pattern.steps[number];
    if (step === undefined) return from;
    const gap = this.words[from]?.gap ?? GAP.stop;
    if (step.kind === "colon") return (gap & GAP.colon) === 0 ? -1 : this.#follow(pattern, number + 1, from, gaps);
    if (step.kind !== "is") {
      const met = (step.kind === "end" && (gap & ending) !== 0) || ((gap & crossing) === 0 && this.#has(from, step.id));
      return met === (step.kind === "end") ? this.#follow(pattern, number + 1, from, gaps) : -1;
    }
    const stride = unspaced.has(pattern.language) ? 4 : 1;
    let others = 0;
    for (let at = from; at < from + 8; at += 1) {
      const word = this.words[at];
      if (word === undefined || (word.gap & crossing) !== 0) return -1;
      const to = this.#after(pattern, number + 1, at, this.#at(at).get(step.id) ?? [], gaps);
      if (to >= 0) {
        for (let skipped = from; skipped < at; skipped += 1) gaps.add(skipped);
        return to;
      }
      if (step.gap < 0) return -1;
      if (!this.#has(at, this.#known.fillers)) others += 1;
      if (others > step.gap * stride) return -1;
    }
    return -1;
  }

  #warns(language: string, from: number, to: number, gaps: ReadonlySet<number>): boolean {
    const guard = this.#known.guards.get(language);
    if (guard === undefined) return false;
    const wide = unspaced.has(language);
    for (const skipped of gaps) if (this.#has(skipped, guard.not)) return true;
    for (let at = to; at < to + (wide ? 5 : 2); at += 1)
      if (guard.notAfter >= 0 && this.#has(at, guard.notAfter)) return true;
    for (let at = from; at >= 0 && from - at < (wide ? 40 : 20); at -= 1) {
      if (at < from && this.#has(at, guard.ask)) return true;
      if (at < from && from - at <= (wide ? 8 : 4) && this.#has(at, guard.not)) return true;
      if (((this.words[at]?.gap ?? 0) & crossing) !== 0) break;
    }
    return false;
  }
}

type Part = { readonly text: string; readonly bone: string; readonly stem: boolean };
type Term = { readonly parts: readonly Part[]; readonly steps: Set<number> };
type Step = { readonly id: number; readonly gap: number; readonly kind: "is" | "not" | "end" | "colon" };
type Pattern = {
  readonly rule: string;
  readonly language: string;
  readonly imperative: boolean;
  readonly steps: readonly Step[];
  /** Steps that must be found after the first, at any distance. */
  readonly needed: readonly number[];
};

/** The steps that a word, and the words after it, match; each with the numbers of words it may take. */
type Hits = ReadonlyMap<number, readonly number[]>;
const noHits: Hits = new Map();

type Meaning = { readonly folded: string; readonly alone: Hits; readonly long: readonly Term[] };
const maxMeanings = 10_000;
const maxCachedChars = 40;

type Index = {
  readonly exact: Map<string, Term[]>;
  readonly stems: Map<string, Term[]>;
  readonly lengths: Map<string, Set<number>>;
};

/**
 * Lists that a charter fills: names of higher sections (`higher` is unmistakable, `named` may be an everyday word), and of the
 * rest.
 */
type Slot = "higher" | "named" | "rest";
const slots: readonly Slot[] = ["higher", "named", "rest"];

const kinds: Readonly<Record<string, Step["kind"]>> = { "!": "not", "=": "end", ":": "colon" };
const emptyIndex = (): Index => ({ exact: new Map(), stems: new Map(), lengths: new Map() });

/** Finds all terms of all patterns by their first word, in a few look-ups however many languages there are. */
class Lexicon {
  readonly patterns = new Map<number, Pattern[]>();
  readonly #terms = new Map<string, Term>();
  readonly #plain = emptyIndex();
  readonly #folded = emptyIndex();
  readonly #lists = new Map<string, number>();
  readonly #meanings = new Map<string, Meaning>();
  /** Steps that need the names of a charter's sections, by the name of their list. */
  readonly slots = new Map<Slot, Set<number>>(slots.map((slot) => [slot, new Set()]));

  add(phrases: Phrases): void {
    for (const [rule, sources] of Object.entries(phrases.rules)) {
      for (const source of sources) {
        const pattern = this.#compile(rule, source, phrases);
        const first = pattern.steps[0]?.id ?? -1;
        this.patterns.set(first, [...(this.patterns.get(first) ?? []), pattern]);
      }
    }
  }

  /** Number of steps; their ids are the numbers below it. */
  get size(): number {
    return this.#lists.size;
  }

  /** Registers a plain list of terms as a step, such as the words that negate. */
  list(terms: string): number {
    const known = this.#lists.get(terms);
    if (known !== undefined) return known;
    const id = this.#lists.size;
    this.#lists.set(terms, id);
    this.#meanings.clear();
    for (const source of terms.split(" ")) {
      const slot = slots.find((name) => source === `@${name}`);
      if (slot === undefined) this.#term(source).steps.add(id);
      else this.slots.get(slot)?.add(id);
    }
    return id;
  }

  hits(words: readonly Word[], at: number): Hits {
    const word = words[at];
    if (word === undefined) return noHits;
    const { alone, long } = this.#meaning(word);
    let found: Map<number, number[]> | undefined;
    for (const term of long) {
      if (!follows(term, words, at)) continue;
      found ??= new Map(Array.from(alone, ([step, lengths]) => [step, [...lengths]]));
      addTerm(found, term);
    }
    return found ?? alone;
  }

  /** Returns the terms that a word is, and those it may begin. Meanings are cached by word. */
  #meaning(word: Word): Meaning {
    const known = this.#meanings.get(word.plain);
    if (known !== undefined && known.folded === word.folded) return known;
    let terms = collect(this.#plain, word.plain, undefined);
    if (word.folded !== word.plain) terms = collect(this.#folded, word.folded, terms);
    if (terms === undefined) {
      const key = intended(word.plain);
      if (key !== undefined) terms = collect(this.#plain, key, undefined);
    }
    const alone = new Map<number, number[]>();
    const long: Term[] = [];
    for (const term of terms ?? []) {
      if (term.parts.length > 1) long.push(term);
      else addTerm(alone, term);
    }
    const meaning: Meaning = { folded: word.folded, alone: alone.size === 0 ? noHits : alone, long };
    if (this.#meanings.size >= maxMeanings) this.#meanings.clear();
    if (word.plain.length <= maxCachedChars) this.#meanings.set(word.plain, meaning);
    return meaning;
  }

  /** Splits a text without spaces into the known words in it; a word like any other is returned whole. */
  segments(word: Word): readonly Word[] {
    const found: Word[] = [];
    for (let at = 0; at < word.folded.length; ) {
      let length = Math.min(14, word.folded.length - at);
      while (length > 2 && !this.#folded.exact.has(word.folded.slice(at, at + length))) length -= 1;
      if (length <= 2) {
        at += 1;
        continue;
      }
      const folded = word.folded.slice(at, at + length);
      found.push({ ...word, plain: word.plain.slice(at, at + length), folded, gap: found.length === 0 ? word.gap : 0 });
      at += length;
    }
    return found.length > 2 ? found : [word];
  }

  #compile(rule: string, source: string, phrases: Phrases): Pattern {
    const steps: Step[] = [];
    let gap = -1;
    for (const piece of source.replace(/^\^/u, "").split(" ")) {
      if (piece.startsWith("~")) {
        gap = Number(piece.slice(1));
        continue;
      }
      const kind = kinds[piece.slice(0, 1)] ?? "is";
      const names = (kind === "is" ? piece : piece.slice(1)).split("|");
      const terms = names.flatMap((name) =>
        (name.startsWith("@") ? (phrases.lists[name.slice(1)] ?? name) : name).split(" "),
      );
      steps.push({ id: this.list(terms.join(" ")), gap, kind });
      gap = -1;
    }
    const needed = steps.slice(1).flatMap(({ id, kind }) => (kind === "is" ? [id] : []));
    return { rule, language: phrases.language, imperative: source.startsWith("^"), steps, needed };
  }

  #term(source: string): Term {
    const known = this.#terms.get(source);
    if (known !== undefined) return known;
    const parts = source.split("_").flatMap((piece): Part[] => {
      const stem = piece.endsWith("*");
      return Array.from(splitWords(piece.replace("*", "")), ({ plain }) => {
        return { text: plain, bone: /^[a-z]+$/u.test(plain) ? skeletonOf(plain) : plain, stem };
      });
    });
    const term: Term = { parts, steps: new Set() };
    this.#terms.set(source, term);
    const first = parts[0];
    if (first !== undefined) {
      enter(this.#plain, first.text, first.stem, term);
      enter(this.#folded, first.bone, first.stem, term);
    }
    return term;
  }
}

function enter(index: Index, key: string, stem: boolean, term: Term): void {
  const map = stem ? index.stems : index.exact;
  map.set(key, [...(map.get(key) ?? []), term]);
  if (!stem) return;
  const lead = key.slice(0, 2);
  index.lengths.set(lead, (index.lengths.get(lead) ?? new Set()).add(key.length));
}

function addTerm(found: Map<number, number[]>, { parts, steps }: Term): void {
  for (const step of steps) {
    const lengths = found.get(step);
    if (lengths === undefined) found.set(step, [parts.length]);
    else if (!lengths.includes(parts.length)) lengths.push(parts.length);
  }
}

function collect(index: Index, key: string, found: Set<Term> | undefined): Set<Term> | undefined {
  let all = found;
  const exact = index.exact.get(key);
  if (exact !== undefined) {
    all ??= new Set();
    for (const term of exact) all.add(term);
  }
  const lengths = index.lengths.get(key.slice(0, 2));
  if (lengths === undefined) return all;
  for (const length of lengths) {
    if (length > key.length) continue;
    const stems = index.stems.get(key.slice(0, length));
    if (stems === undefined) continue;
    all ??= new Set();
    for (const term of stems) all.add(term);
  }
  return all;
}

function follows(term: Term, words: readonly Word[], at: number): boolean {
  return term.parts.every(({ text, bone, stem }, number) => {
    if (number === 0) return true;
    const word = words[at + number];
    if (word === undefined || (word.gap & (GAP.stop | GAP.item)) !== 0) return false;
    if (stem) return word.plain.startsWith(text) || word.folded.startsWith(bone);
    return word.plain === text || word.folded === bone;
  });
}
