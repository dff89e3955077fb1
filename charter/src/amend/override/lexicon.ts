import { intended } from "./misspelling.ts";
import { GAP, skeletonOf, splitWords, type Word } from "./normalise.ts";
import type { Phrases } from "./phrases.ts";

type Part = { readonly text: string; readonly bone: string; readonly stem: boolean };
type Term = { readonly parts: readonly Part[]; readonly steps: Set<number> };
type Step = { readonly id: number; readonly gap: number; readonly kind: "is" | "not" | "end" | "colon" };
export type Pattern = {
  readonly rule: string;
  readonly language: string;
  readonly imperative: boolean;
  readonly steps: readonly Step[];
  /** Steps that must be found after the first, at any distance. */
  readonly needed: readonly number[];
};

/** The steps that a word, and the words after it, match; each with the numbers of words it may take. */
export type Hits = ReadonlyMap<number, readonly number[]>;
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
export type Slot = "higher" | "named" | "rest";
const slots: readonly Slot[] = ["higher", "named", "rest"];

const kinds: Readonly<Record<string, Step["kind"]>> = { "!": "not", "=": "end", ":": "colon" };
const emptyIndex = (): Index => ({ exact: new Map(), stems: new Map(), lengths: new Map() });

/** Finds all terms of all patterns by their first word, in a few look-ups however many languages there are. */
export class Lexicon {
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
