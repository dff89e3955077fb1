/** What is needed of a prompt as the server shows it. */
export type PromptFacts = {
  readonly text: string;
  readonly sections: readonly {
    readonly name: string;
    readonly start: number;
    readonly end: number;
    readonly tokens: number;
    readonly source: string;
  }[];
  readonly omitted: readonly { readonly name: string; readonly reason: string }[];
};

export type LiveNow = {
  readonly text: string;
  readonly tokens: number;
  readonly sources: readonly string[];
  /** Why it is not there, where it is not. */
  readonly missing: string | undefined;
};

const reasons: Readonly<Record<string, string>> = {
  empty: "Empty, so it is left out.",
  unavailable: "Its source could not be read, so it is left out.",
  "gave-way": "Trimmed to fit.",
  "not-in-edition": "Not part of this edition.",
};

/** A section as it would stand in the next prompt: its words, and where they come from. */
export function liveIn(prompt: PromptFacts, section: string): LiveNow {
  const spans = prompt.sections.filter(({ name }) => name === section);
  const reason = prompt.omitted.find(({ name }) => name === section)?.reason;
  return {
    text: spans.map(({ start, end }) => prompt.text.slice(start, end)).join("\n"),
    tokens: spans.reduce((sum, { tokens }) => sum + tokens, 0),
    sources: [...new Set(spans.map(({ source }) => source))],
    missing: spans.length > 0 ? undefined : (reasons[reason ?? ""] ?? "It would not be in the next prompt."),
  };
}
