import { type Charter, findSection } from "./charter.ts";
import type { Cut, Omission } from "./cut.ts";
import type { Edition } from "./edition.ts";
import { lockDigest } from "./lock.ts";
import type { Notice } from "./notice.ts";
import type { Prompt, Sha256 } from "./prompt.ts";
import type { SectionSpan, Span } from "./span.ts";
import type { Tokenizer } from "./tokens.ts";

/** What a step keeps of what was sent: enough to rebuild the exact bytes, and to say whose they were. */
export type Receipt = {
  readonly charter: string;
  readonly edition: Edition;
  /** The digest of the charter's fixed words, as they were locked. */
  readonly lock: string;
  readonly receiver: string | null;
  readonly slots: readonly SentSlot[];
  readonly tokens: { readonly tokenizer: string; readonly exact: boolean; readonly total: number } | null;
  readonly cuts: readonly Cut[];
  readonly omitted: readonly Omission[];
  readonly notices: readonly Notice[];
};

/** Words the receiver read in one place, in order. A breakpoint stands after so many sections. */
export type SentSlot = {
  readonly slot: string;
  readonly digest: string;
  readonly sections: readonly SentSection[];
  readonly breakpoints: readonly number[];
};

export type SentSection = Omit<SectionSpan, "start" | "end"> & {
  readonly digest: string;
  /** Its text is the agent's common words, or this turn's user's. */
  readonly whose: "agent" | "user";
  readonly tokens: number | null;
  readonly spans: readonly SentSpan[];
};

export type SentSpan = Pick<Span, "source" | "revision" | "trust" | "part"> & { readonly length: number };

/** Where sections were placed. Without it everything stands in one string. */
export type Placement = {
  readonly slot: string;
  readonly sections: readonly string[];
  readonly breakpoints?: readonly number[];
};

export type Keeping = {
  readonly sha256: Sha256;
  readonly tokenizer?: Tokenizer;
  readonly receiver?: string;
  readonly placements?: readonly Placement[];
};

/** A text a receipt names by its digest. */
export type KeptText = {
  readonly section: string;
  readonly whose: "agent" | "user";
  readonly digest: string;
  readonly text: string;
};

export function receiptOf(
  charter: Charter,
  prompt: Prompt,
  keeping: Keeping,
): { readonly receipt: Receipt; readonly texts: readonly KeptText[] } {
  const { sha256, tokenizer, receiver = null } = keeping;
  const counted = tokenizer ? prompt.tokens(tokenizer) : undefined;
  const texts: KeptText[] = [];
  const spans = Map.groupBy(prompt.spans, ({ section }) => section);
  const sections = new Map(
    prompt.sections.map((section, index) => {
      const { start, end, ...about } = section;
      const text = prompt.text.slice(start, end);
      const digest = sha256(text);
      const whose = whoseWords(charter, section);
      texts.push({ section: section.name, whose, digest, text });
      const sent: SentSection = {
        ...about,
        digest,
        whose,
        tokens: counted?.sections[index] ?? null,
        spans: (spans.get(section.name) ?? []).map(sentSpan),
      };
      return [section.name, { sent, text }];
    }),
  );
  const everything: Placement = { slot: "system", sections: prompt.sections.map(({ name }) => name) };
  const slots = (keeping.placements ?? [everything]).map(({ slot, sections: names, breakpoints = [] }): SentSlot => {
    const placed = names.flatMap((name) => sections.get(name) ?? []);
    const digest = sha256(placed.map(({ text }) => text).join(""));
    return { slot, digest, sections: placed.map(({ sent }) => sent), breakpoints };
  });
  const { edition, cuts, omitted, notices } = prompt;
  const tokens = counted && { tokenizer: counted.tokenizer, exact: counted.exact, total: counted.total };
  const lock = lockDigest(charter, sha256);
  const receipt = { charter: charter.name, edition, lock, receiver, slots, tokens: tokens ?? null };
  return { receipt: { ...receipt, cuts, omitted, notices }, texts };
}

function sentSpan({ start, end, source, revision, trust, part }: Span): SentSpan {
  return { length: end - start, source, revision, trust, ...(part === undefined ? {} : { part }) };
}

/** Fixed words and the agent's own are everyone's; whatever a turn made afresh may speak of its user. */
function whoseWords(charter: Charter, { name, mutability }: SectionSpan): "agent" | "user" {
  if (mutability === "fixed") return "agent";
  if (mutability === "live") return "user";
  return findSection(charter, name).section.scope === "user" ? "user" : "agent";
}

/** The exact words of each slot, from the texts a receipt names. A text that is gone is the caller's to report. */
export function rebuild(
  { slots }: Receipt,
  textOf: (section: SentSection) => string,
): readonly { readonly slot: string; readonly text: string; readonly digest: string }[] {
  return slots.map(({ slot, sections, digest }) => ({ slot, digest, text: sections.map(textOf).join("") }));
}
