import type { SectionText } from "../prompt/receipt.ts";

/**
 * What the requests of a session start with: the stable text as first sent, and the updates sent since. Store it with
 * the session, as it is; `deliver` returns the next one.
 */
export type Baseline = {
  readonly version: 1;
  /** The mark of the session is derived from it. */
  readonly secret: string;
  /** The stable sections, each without the separator after it. */
  readonly words: readonly SectionText[];
  readonly updates: readonly Update[];
  /** The digest of the tools that were offered: providers cache them before everything else. */
  readonly offers: string;
  /** What was said before the turns that are still sent, if the history was compacted. */
  readonly summary: Summary | null;
};

/** A section's new text, sent as a message of the history. Without `words` the section no longer applies. */
export type Update = {
  readonly turn: string;
  readonly step: number;
  readonly section: string;
  readonly text: string;
  readonly words: SectionText | null;
};

/**
 * A compacted history: everything up to the turn `until`, in the model's words. With `step` that turn was compacted
 * while it ran: everything before it and its steps up to this one are summed up, and its input still stands.
 */
export type Summary = {
  readonly text: string;
  readonly until: string;
  readonly tainted: boolean;
  readonly step?: number;
};

/** The words a session last said of a section; null when it said that they are gone. */
export function lastSaid(baseline: Baseline, section: string): SectionText | null | undefined {
  const update = baseline.updates.findLast((one) => one.section === section);
  return update ? update.words : baseline.words.find(({ name }) => name === section);
}

/** Reads a baseline that came back from a store; null if it is none. */
export function baselineOf(value: unknown): Baseline | null {
  const found = value as Baseline | null | undefined;
  return found?.version === 1 && Array.isArray(found.words) && Array.isArray(found.updates) ? found : null;
}
