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
  empty: "It would be left out: its source was looked at, and there is nothing.",
  unavailable: "It would be left out: its source could not be looked at.",
  "gave-way": "It would give way: there is no room for it.",
  "not-in-edition": "It is not part of this edition.",
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
