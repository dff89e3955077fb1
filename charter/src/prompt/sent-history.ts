/** The conversation that was sent with a prompt, by length and digest. Its text is stored with the turns. */
export type SentHistory = {
  readonly messages: number;
  readonly digest: string;
  readonly tokens: number | null;
  /** After so many messages there was a cache breakpoint. */
  readonly breakpoints: readonly number[];
  /** What its messages are made of, if whoever sent them said so. */
  readonly source?: HistorySource;
};

/**
 * Which recorded turns the messages of a request are made of, so that they can be made again. Sections that stand among
 * them (updates) are not counted: those are slots of the receipt.
 */
export type HistorySource = {
  /** The first turn of the session that it began with; none: its own turn is all there was. */
  readonly from?: string;
  /** So many turns before its own said something. */
  readonly turns: number;
  /** Turns from there on that had said nothing by then: they came to nothing, or had not ended. */
  readonly without?: readonly string[];
  /** So many messages are of its own turn. */
  readonly own: number;
  /** The summary it began with: its text by digest, the turn it ends with, and in which step of that turn. */
  readonly summary?: { readonly digest: string; readonly until: string; readonly step?: number };
  /** What a hook, or whoever shortened it, put in the place of `drop` messages, by digest; without one they were left out. */
  readonly changed?: { readonly at: number; readonly drop: number; readonly digest?: string };
  /** The role of words of the system among the messages. */
  readonly voice: "system" | "user";
};

/** A text that a receipt names. `section` is a section's name, or says what else of a request it is. */
type TextName = { readonly section: string; readonly whose: "agent" | "user"; readonly digest: string };

/** What the texts of a request are called that are no section's; no section has a name with a blank in it. */
export const besidesSections = {
  offers: "the tools",
  output: "the format",
  summary: "the summary",
  changed: "the messages",
} as const;

/** The parts of a receipt that name texts. */
type Naming = {
  readonly slots: readonly { readonly sections: readonly (Omit<TextName, "section"> & { readonly name: string })[] }[];
  readonly offers?: string;
  readonly output?: string;
  readonly history?: SentHistory;
};

/** Every text that a receipt names: what has to be kept as long as it is. */
export function textsNamed({ slots, offers, output, history }: Naming): TextName[] {
  const { summary, changed } = history?.source ?? {};
  const own = (section: string, digest: string | undefined): TextName[] =>
    digest === undefined ? [] : [{ section, whose: "user", digest }];
  return [
    ...slots.flatMap(({ sections }) => sections.map(({ name, whose, digest }) => ({ section: name, whose, digest }))),
    ...own(besidesSections.offers, offers),
    ...own(besidesSections.output, output),
    ...own(besidesSections.summary, summary?.digest),
    ...own(besidesSections.changed, changed?.digest),
  ];
}

/** What of a request is no section's: the tools as JSON, whether they may be called, how long its answer may be, what its history names by digest. */
export type RequestTexts = {
  readonly offers: { readonly digest: string; readonly text: string };
  readonly toolChoice?: "none";
  readonly answerTokens?: number;
  readonly output?: { readonly digest: string; readonly text: string };
  readonly summary?: string;
  readonly changed?: string;
};

/** Tools may be declared for one user, and what was said is: all of it is theirs. */
export function requestTexts(
  { offers, output, summary, changed }: RequestTexts,
  history: SentHistory | undefined,
): (TextName & { readonly text: string })[] {
  const { source } = history ?? {};
  const own = (
    section: string,
    digest: string | undefined,
    text: string | undefined,
  ): (TextName & { readonly text: string })[] =>
    digest === undefined || text === undefined ? [] : [{ section, whose: "user", digest, text }];
  return [
    ...own(besidesSections.offers, offers.digest, offers.text),
    ...own(besidesSections.output, output?.digest, output?.text),
    ...own(besidesSections.summary, source?.summary?.digest, summary),
    ...own(besidesSections.changed, source?.changed?.digest, changed),
  ];
}
