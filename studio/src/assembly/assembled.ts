import type { Cut, Notice, Omission, SectionSpan } from "charter";
import type { NextRequestAnswer } from "charter/answers";
import type { CacheRule } from "../strata/layout.ts";

/** For whom, where, when, in which edition and room a prompt is assembled. What is left out is as the next turn has it. */
export type Wanted = {
  readonly agent: string;
  readonly user?: string | undefined;
  readonly channel?: string | undefined;
  readonly at?: string | undefined;
  readonly edition?: "full" | "compact" | undefined;
  readonly tokens?: number | undefined;
};

/** What the worker says of what was gathered, besides the prompt made of it. */
export type About = {
  readonly receiver: {
    readonly name: string;
    readonly slots: "layered" | "one-string";
    readonly window: number | null;
    readonly cacheMin: number | null;
  };
  /** What the tools come to, which stand before the prompt in every request. */
  readonly toolTokens: number;
  readonly channels: readonly string[];
  /** Who may change some section of it. */
  readonly editors: readonly string[];
  readonly at: string;
  readonly edition: "full" | "compact";
  /** The charter's own limit in tokens for this edition, where it has one. */
  readonly limit: number | undefined;
};

/** A prompt that was assembled here, in the browser, by the very code the server has. */
export type Assembled = {
  readonly about: About;
  readonly edition: "full" | "compact";
  readonly text: string;
  readonly tokens: { readonly total: number; readonly tokenizer: string; readonly exact: boolean };
  readonly sections: readonly (SectionSpan & { readonly tokens: number })[];
  /** In the order in which they gave way. */
  readonly cuts: readonly Cut[];
  readonly omitted: readonly Omission[];
  readonly notices: readonly Notice[];
};

/** Between which limits, in tokens, something can be seen: the least that fits, and the whole prompt. */
export type Range = { readonly least: number; readonly whole: number };

/** A section of a prompt that stands in its text, and where the receiver gets it: a stratum of the picture as it is. */
export type Placed = Assembled["sections"][number] & { readonly cut: boolean; readonly tail: boolean };

/**
 * The sections in the order they are delivered. A layered receiver gets what moves, and other people's text, as messages; one
 * that takes a single string gets the charter's own order, and whatever stands after the first thing that moves is not cached
 * either. Other people's text is a message there, too.
 */
export function placedSections({ sections, cuts, about }: Assembled): readonly Placed[] {
  const cut = new Set(cuts.map(({ section }) => section));
  const layered = about.receiver.slots === "layered";
  const isForeign = ({ trust }: Assembled["sections"][number]) => trust === "foreign";
  const moves = ({ mutability, stability }: Assembled["sections"][number]) =>
    mutability !== "fixed" && stability !== "stable";
  const first = sections.findIndex((one) => moves(one) && !isForeign(one));
  const placed = sections.map((section, index) => ({
    ...section,
    cut: cut.has(section.name),
    tail: isForeign(section) || (layered ? moves(section) : first !== -1 && index >= first),
  }));
  const isLast = (one: Placed) => (layered ? one.tail : isForeign(one));
  return [...placed.filter((one) => !isLast(one)), ...placed.filter(isLast)];
}

/** How the prefix of such a prompt is cached. */
export function cacheRuleOf({ about }: Pick<Assembled, "about">): CacheRule {
  return { min: about.receiver.cacheMin, tools: about.toolTokens };
}

/** The cuts that say how a section is in the end: what was trimmed of one that was left out later is not told. */
export function finalCuts(cuts: readonly Cut[]): readonly Cut[] {
  const dropped = new Map(cuts.flatMap(({ section, form, kept }, at) => (isAll(form, kept) ? [[section, at]] : [])));
  return cuts.filter(({ section }, at) => at >= (dropped.get(section) ?? 0));
}

const isAll = (form: Cut["form"], kept: number) => form === "dropped" && kept === 0;

/** The sections of what goes out now, as a picture: the prefix, then what follows the cached part. */
export function nowStrata({ parts }: Pick<NextRequestAnswer, "parts">) {
  const order = { system: 0, update: 1, foreign: 1, compaction: 2, state: 2 } as const;
  return [...parts]
    .sort((one, other) => order[one.slot] - order[other.slot])
    .flatMap(({ slot, sections }) =>
      sections.map((section) => ({ ...section, tail: slot !== "system", isUpdate: slot === "update" })),
    );
}
