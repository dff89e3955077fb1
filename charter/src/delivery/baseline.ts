import type { SectionText } from "../prompt/receipt.ts";

/** What a session's requests begin with: the stable words as first sent, and what was said of them since. */
export type Baseline = {
  readonly version: 1;
  /** The mark is derived from it. */
  readonly secret: string;
  /** The stable sections' words, each without the separator after it. */
  readonly words: readonly SectionText[];
  readonly updates: readonly Update[];
  /** The digest of the tools that were offered: they stand before everything else in a provider's cache. */
  readonly offers: string;
  /** What came before the turns whose words are still sent. */
  readonly summary: Summary | null;
};

/** A section's new words, said in the history before the request of this step. Without words it is gone. */
export type Update = {
  readonly turn: string;
  readonly step: number;
  readonly section: string;
  readonly text: string;
  readonly words: SectionText | null;
};

/** A compacted history: everything up to a turn, in the agent's own words. */
export type Summary = { readonly text: string; readonly until: string; readonly tainted: boolean };

/** The words a session last said of a section; null when it said that they are gone. */
export function lastSaid(baseline: Baseline, section: string): SectionText | null | undefined {
  const update = baseline.updates.findLast((one) => one.section === section);
  return update ? update.words : baseline.words.find(({ name }) => name === section);
}

/** A baseline out of a store, where it is one. */
export function baselineOf(value: unknown): Baseline | null {
  const found = value as Baseline | null | undefined;
  return found?.version === 1 && Array.isArray(found.words) && Array.isArray(found.updates) ? found : null;
}
