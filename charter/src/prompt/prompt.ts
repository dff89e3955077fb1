import { badArgument } from "./argument.ts";
import type { Edition } from "./charter.ts";
import { inTokens, type ShownSections, sizesApart, sizeTogether } from "./fit.ts";
import type { Cut, Omission, Rendering } from "./plan.ts";
import type { Notice, Part, Trust } from "./reading.ts";
import { piecesOf, textOf } from "./rendering.ts";
import { mutabilityName, type Stability } from "./section.ts";
import { countPieces, type Tokenizer } from "./tokens.ts";

/**
 * SHA-256 of a text's UTF-8 bytes, in lower-case hex. It is passed in, since the core uses no Node modules;
 * `charter/store` exports one.
 */
export type Sha256 = (text: string) => string;

/** The tokens of a prompt, in total and by section. */
export type TokenCount = {
  readonly total: number;
  readonly tokenizer: string;
  readonly exact: boolean;
  /** Tokens of each section, in order; they add up to the total. */
  readonly sections: readonly number[];
};

/**
 * The assembled system prompt of one turn, without the user's message. `text` is what a model reads; the other fields
 * say where each part of it came from, and what is missing.
 *
 * Spans, tokens and the digest are computed when asked for. The spans cover the whole text.
 */
export type Prompt = {
  readonly charter: string;
  readonly edition: Edition;
  readonly text: string;
  /** The range of each section in the text. */
  readonly sections: readonly SectionSpan[];
  /** The ranges of the text, each with who wrote it. */
  readonly spans: readonly Span[];
  /** The parts that were trimmed to fit. */
  readonly cuts: readonly Cut[];
  /** Sections that are not in it, and why. */
  readonly omitted: readonly Omission[];
  readonly notices: readonly Notice[];
  readonly tokens: (tokenizer: Tokenizer) => TokenCount;
  readonly digest: (sha256: Sha256) => string;
};

export function createPrompt(
  about: Pick<Prompt, "charter" | "edition" | "text" | "cuts" | "omitted" | "notices">,
  shown: ShownSections,
  fitted?: { readonly by: Tokenizer; readonly total: number },
): Prompt {
  let counted: { by: Tokenizer; count: TokenCount } | undefined;
  let digest: { by: Sha256; digest: string } | undefined;
  const prompt: Omit<Prompt, "sections" | "spans"> = {
    ...about,
    tokens(tokenizer) {
      if (counted?.by !== tokenizer) {
        const total = fitted?.by === tokenizer ? fitted.total : sizeTogether(shown, inTokens(tokenizer));
        counted = { by: tokenizer, count: countTokens(shown, tokenizer, total) };
      }
      return counted.count;
    },
    digest(sha256) {
      if (digest?.by !== sha256) digest = { by: sha256, digest: sha256(about.text) };
      return digest.digest;
    },
  };
  return withLazy<Prompt>(prompt, promptFields, shown);
}

const lazyBasis = Symbol("what its lazy fields are made of");

type LazyFields = readonly (readonly [name: string, getter: PropertyDescriptor])[];

/** Makes getters for fields that are worked out when they are first asked for. */
function lazyFields<From>(workers: Readonly<Record<string, (from: From) => unknown>>): LazyFields {
  return Object.entries(workers).map(([name, workOut]) => {
    const known = new WeakMap<object, unknown>();
    const get = function (this: { readonly [lazyBasis]: From }) {
      if (!known.has(this)) known.set(this, workOut(this[lazyBasis]));
      return known.get(this);
    };
    return [name, { enumerable: true, get }];
  });
}

/**
 * Adds shared getters: V8 keeps them with the hidden shape of an object. With closures every prompt would have a shape of its
 * own, which holds its text until a full collection.
 */
function withLazy<T extends object>(rest: object, fields: LazyFields, from: unknown): T {
  Object.defineProperty(rest, lazyBasis, { value: from });
  for (const [name, getter] of fields) Object.defineProperty(rest, name, getter);
  return rest as T;
}

function sectionSpans({ renderings, separators, ends }: ShownSections): SectionSpan[] {
  return renderings.map((rendering, index) => ({
    ...sectionFacts(rendering),
    start: ends[index - 1] ?? 0,
    end: ends[index] as number,
    gap: (separators[index] as string).length,
  }));
}

/** What a section is, wherever it stands. */
type SectionFacts = Omit<SectionSpan, "start" | "end" | "gap">;

const knownFacts = new WeakMap<Rendering, SectionFacts>();

function sectionFacts(rendering: Rendering): SectionFacts {
  const known = knownFacts.get(rendering);
  if (known) return known;
  const { planned, parts } = rendering;
  const sources = new Set(parts.filter((part) => part.kind !== "told").map((part) => part.source ?? "source"));
  const facts = {
    name: planned.section.name,
    layer: planned.layer.name,
    mutability: mutabilityName(planned.mutability),
    stability: planned.stability,
    trust: widestTrust(rendering),
    source: [...(planned.section.words === undefined ? [] : ["charter"]), ...sources].join(", ") || "charter",
    revision:
      typeof planned.mutability === "object"
        ? (parts.find((part) => part.revision !== undefined)?.revision ?? 0)
        : null,
  };
  knownFacts.set(rendering, facts);
  return facts;
}

/** Returns the trust of the least trusted words in a section. */
function widestTrust({ planned, parts }: Rendering): Trust {
  const trusts = parts.map((part) => partTrust(part, planned.trust));
  return trusts.includes("foreign")
    ? "foreign"
    : planned.trust === "own" && trusts.includes("user")
      ? "user"
      : planned.trust;
}

function partTrust(part: Part, section: Trust): Trust {
  return part.fenced ? "foreign" : (part.trust ?? section);
}

function spansOf({ renderings, separators }: ShownSections): Span[] {
  const spans: Span[] = [];
  let start = 0;
  for (const [index, rendering] of renderings.entries()) {
    const { name: section, layer } = sectionFacts(rendering);
    for (const { length, ...author } of authorsOf(rendering, separators[index] as string)) {
      spans.push({ start, end: start + length, section, layer, ...author });
      start += length;
    }
  }
  return spans;
}

/** A range of a section, by its length, and who wrote it. */
export type SentSpan = Pick<Span, "source" | "revision" | "trust" | "part"> & { readonly length: number };

/** Lists who wrote a section, range by range, with the separator after it. */
function authorsOf(rendering: Rendering, separator: string): SentSpan[] {
  const { planned, parts } = rendering;
  const hasOpening = planned.opening[rendering.edition] !== "" ? 1 : 0;
  const spans: SentSpan[] = [];
  for (const [index, { text }] of piecesOf(rendering, separator).entries()) {
    const part = parts[index - hasOpening];
    appendSpan(spans, {
      length: text.length,
      source: part ? (part.source ?? "source") : "charter",
      revision: part?.revision ?? null,
      trust: part ? partTrust(part, planned.trust) : "own",
      ...(part?.id === undefined ? {} : { part: part.id }),
    });
  }
  return spans;
}

/** Appends a span of a text; where its author wrote the text before it as well, that span becomes longer. */
export function appendSpan(spans: SentSpan[], span: SentSpan): void {
  const last = spans.at(-1);
  if (last && authorFields.every((field) => last[field] === span[field]))
    spans[spans.length - 1] = { ...last, length: last.length + span.length };
  else spans.push(span);
}

const authorFields = ["source", "revision", "trust", "part"] as const;

/** A section of a prompt by itself: what it is, its text with the separator after it, who wrote it, and its tokens. */
type SectionWords = SectionFacts & {
  readonly text: string;
  readonly spans: readonly SentSpan[];
  readonly tokens: number | null;
};

const knownWords = new WeakMap<Rendering, { readonly separator: string; readonly words: SectionWords }>();

/** Lists the sections of a prompt one by one. A section that is as it was in an earlier prompt is the same object. */
export function sectionTexts(prompt: Prompt, tokenizer?: Tokenizer): SectionWords[] {
  const shares = tokenizer && prompt.tokens(tokenizer).sections;
  const { [lazyBasis]: shown } = prompt as Prompt & { readonly [lazyBasis]?: ShownSections };
  if (shown)
    return shown.renderings.map((rendering, index) =>
      shownWords(rendering, shown.separators[index] as string, shares?.[index] ?? null),
    );
  // A prompt that somebody copied has its fields alone.
  const spans = Map.groupBy(prompt.spans, ({ section }) => section);
  return prompt.sections.map(({ start, end, gap: _, ...facts }, index) => ({
    ...facts,
    text: prompt.text.slice(start, end),
    spans: (spans.get(facts.name) ?? []).map(({ start, end, section: _, layer: __, ...author }) => ({
      length: end - start,
      ...author,
    })),
    tokens: shares?.[index] ?? null,
  }));
}

function shownWords(rendering: Rendering, separator: string, tokens: number | null): SectionWords {
  const known = knownWords.get(rendering);
  if (known?.separator === separator && known.words.tokens === tokens) return known.words;
  const text = textOf(rendering, separator);
  const words = { ...sectionFacts(rendering), text, spans: authorsOf(rendering, separator), tokens };
  knownWords.set(rendering, { separator, words });
  return words;
}

type CountBasis = { readonly shown: ShownSections; readonly tokenizer: Tokenizer };

/**
 * Counts tokens by section when asked: each section's own count, kept with its rendering, unless tokens cannot be counted
 * separately between two sections.
 */
function countTokens(shown: ShownSections, tokenizer: Tokenizer, total: number): TokenCount {
  const count: Omit<TokenCount, "sections"> = { total, tokenizer: tokenizer.name, exact: tokenizer.exact };
  return withLazy<TokenCount>(count, countFields, { shown, tokenizer });
}

function tokenShares({ shown, tokenizer }: CountBasis): number[] {
  const sizes = sizesApart(shown, inTokens(tokenizer));
  if (sizes) return sizes;
  const { renderings, separators } = shown;
  const bySection = renderings.map((rendering, index) => piecesOf(rendering, separators[index] as string));
  const owners = bySection.flatMap((pieces, section) => pieces.map(() => section));
  const sections: number[] = new Array(renderings.length).fill(0);
  let index = 0;
  countPieces(bySection.flat(), tokenizer, (share) => {
    const owner = owners[index++] as number;
    sections[owner] = (sections[owner] as number) + share;
  });
  return sections;
}

const promptFields = lazyFields({ sections: sectionSpans, spans: spansOf });
const countFields = lazyFields({ sections: tokenShares });

/** A range of a prompt's text and who wrote it. Offsets are JavaScript string indices. */
export type Span = {
  readonly start: number;
  readonly end: number;
  readonly section: string;
  readonly layer: string;
  readonly source: string;
  readonly revision: number | null;
  readonly trust: Trust;
  /** The part's id, where it has one. */
  readonly part?: string;
};

/**
 * A section in a prompt: where it is and what it is. Its range includes the separator after it, which has `gap`
 * characters.
 */
export type SectionSpan = {
  readonly name: string;
  readonly layer: string;
  readonly mutability: "fixed" | "live" | "amendable";
  readonly stability: Stability;
  readonly trust: Trust;
  readonly start: number;
  readonly end: number;
  readonly gap: number;
  readonly source: string;
  readonly revision: number | null;
};

/** A place in a prompt where a text was found, with every span that wrote a part of it. */
export type Occurrence = { readonly start: number; readonly end: number; readonly spans: readonly Span[] };

/**
 * Finds a text in a prompt and says who wrote it: section, source, revision and trust, for every place it occurs in.
 */
export function why(prompt: { readonly text: string; readonly spans: readonly Span[] }, words: string): Occurrence[] {
  const occurrences: Occurrence[] = [];
  if (typeof prompt?.text !== "string" || typeof words !== "string")
    throw badArgument(
      "why was given no prompt, or no words.",
      "Give why(prompt, words): what assemble made, and a piece of its text.",
    );
  if (words === "") return occurrences;
  let first = 0;
  for (let start = prompt.text.indexOf(words); start !== -1; start = prompt.text.indexOf(words, start + 1)) {
    const end = start + words.length;
    while ((prompt.spans[first] as Span).end <= start) first++;
    let last = first;
    while (last < prompt.spans.length && (prompt.spans[last] as Span).start < end) last++;
    occurrences.push({ start, end, spans: prompt.spans.slice(first, last) });
  }
  return occurrences;
}

/** Lists a prompt's facts for scripts and pages: the contract other languages work against. */
export function promptFacts(prompt: Prompt, tokenizer: Tokenizer, sha256: Sha256) {
  const { total, tokenizer: name, exact, sections } = prompt.tokens(tokenizer);
  return {
    text: prompt.text,
    digest: prompt.digest(sha256),
    edition: prompt.edition,
    tokens: { total, tokenizer: name, exact },
    sections: prompt.sections.map(({ start, end, gap: _, source, revision, ...section }, index) => ({
      ...section,
      start,
      end,
      tokens: sections[index] as number,
      source,
      revision,
    })),
    cuts: prompt.cuts,
    omitted: prompt.omitted,
    notices: prompt.notices,
  };
}
