import type { Cut, Notice, Omission, SectionSpan } from "charter";

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
