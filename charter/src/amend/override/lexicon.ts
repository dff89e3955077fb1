import { GAP, skeletonOf, type Word, wordsOf } from "./normalise.ts";
import type { Phrases } from "./phrases.ts";

type Part = { readonly text: string; readonly bone: string; readonly stem: boolean };
type Term = { readonly parts: readonly Part[]; readonly steps: Set<number> };
type Step = { readonly id: number; readonly gap: number; readonly kind: "is" | "not" | "end" | "colon" };
export type Pattern = {
  readonly rule: string;
  readonly language: string;
  readonly imperative: boolean;
  readonly steps: readonly Step[];
};

/** The steps which the words from some place on spell out, each with the numbers of words it may take. */
export type Hits = ReadonlyMap<number, readonly number[]>;
const noHits: Hits = new Map();

type Index = {
  readonly exact: Map<string, Term[]>;
  readonly stems: Map<string, Term[]>;
  readonly lengths: Map<string, Set<number>>;
};

const kinds: Readonly<Record<string, Step["kind"]>> = { "!": "not", "=": "end", ":": "colon" };
const emptyIndex = (): Index => ({ exact: new Map(), stems: new Map(), lengths: new Map() });

/** All terms of all patterns, found by their first word in a few look-ups however many languages there are. */
export class Lexicon {
  readonly patterns = new Map<number, Pattern[]>();
  readonly #terms = new Map<string, Term>();
  readonly #plain = emptyIndex();
  readonly #folded = emptyIndex();
  readonly #lists = new Map<string, number>();

  add(phrases: Phrases): void {
    for (const [rule, sources] of Object.entries(phrases.rules)) {
      for (const source of sources) {
        const pattern = this.#compile(rule, source, phrases);
        const first = pattern.steps[0]?.id ?? -1;
        this.patterns.set(first, [...(this.patterns.get(first) ?? []), pattern]);
      }
    }
  }

  /** A step of its own for a plain list of terms, such as the words that negate. */
  list(terms: string): number {
    const known = this.#lists.get(terms);
    if (known !== undefined) return known;
    const id = this.#lists.size;
    this.#lists.set(terms, id);
    for (const source of terms.split(" ")) this.#term(source).steps.add(id);
    return id;
  }

  hits(words: readonly Word[], at: number): Hits {
    const word = words[at];
    if (word === undefined) return noHits;
    const terms = new Set<Term>();
    collect(this.#plain, word.plain, terms);
    if (word.folded !== word.plain) collect(this.#folded, word.folded, terms);
    if (terms.size === 0) return noHits;
    const found = new Map<number, number[]>();
    for (const term of terms) {
      if (!follows(term, words, at)) continue;
      const { length } = term.parts;
      for (const step of term.steps) {
        const lengths = found.get(step);
        if (lengths === undefined) found.set(step, [length]);
        else if (!lengths.includes(length)) lengths.push(length);
      }
    }
    return found;
  }

  /** The known words which a text without spaces is made of, or nothing when it is a word like any other. */
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
        (name.startsWith("@") ? (phrases.lists[name.slice(1)] ?? "") : name).split(" "),
      );
      steps.push({ id: this.list(terms.join(" ")), gap, kind });
      gap = -1;
    }
    return { rule, language: phrases.language, imperative: source.startsWith("^"), steps };
  }

  #term(source: string): Term {
    const known = this.#terms.get(source);
    if (known !== undefined) return known;
    const parts = source.split("_").flatMap((piece): Part[] => {
      const stem = piece.endsWith("*");
      return Array.from(wordsOf(piece.replace("*", "")), ({ plain }) => {
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

function collect(index: Index, key: string, found: Set<Term>): void {
  for (const term of index.exact.get(key) ?? []) found.add(term);
  for (const length of index.lengths.get(key.slice(0, 2)) ?? []) {
    if (length > key.length) continue;
    for (const term of index.stems.get(key.slice(0, length)) ?? []) found.add(term);
  }
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
