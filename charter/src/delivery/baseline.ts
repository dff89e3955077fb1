import type { Edition } from "../prompt/charter.ts";
import type { SectionText } from "../prompt/receipt.ts";
import { introduced } from "./slot.ts";

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
  /** The edition of the prompt that was sent last. */
  readonly edition?: Edition;
  /** Live sections that count as stable, and in how many turns in a row their text changed, up to which turn. */
  readonly changes?: Readonly<Record<string, { readonly turn: string; readonly turns: number }>>;
  /** What was said before the turns that are still sent, if the history was compacted. */
  readonly summary: Summary | null;
};

/** A message of the history that tells what changed in a section. */
export type Update = {
  readonly turn: string;
  readonly step: number;
  readonly section: string;
  readonly text: string;
  /** Whose words the message consists of. Null: it says that the section no longer applies. */
  readonly told: ToldWords | null;
  /** The section's whole text from then on. Only the newest update of a section has it. */
  readonly words?: SectionText;
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
  /** The files that were read and changed in it, by their paths. */
  readonly files?: { readonly read: readonly string[]; readonly changed: readonly string[] };
  /** Something of it was left out and is in no notes: it is only on record. */
  readonly leftOut?: true;
};

/**
 * The turns that are sent besides a summary, as `store.sessions.history` is asked for them: those after it, and the one
 * it ends in where that one went on.
 */
export function turnsBeside(summary: Summary | null | undefined): { readonly after?: string; readonly from?: string } {
  if (!summary) return {};
  return summary.step === undefined ? { after: summary.until } : { from: summary.until };
}

/** Everything about the text of an update except the text. */
type ToldWords = Omit<SectionText, "name" | "text">;

/** The words a session last said of a section; null when it said that they are gone. */
export function lastSaid(baseline: Baseline, section: string): SectionText | null | undefined {
  const update = baseline.updates.findLast((one) => one.section === section);
  if (update) return update.told === null ? null : update.words;
  return baseline.words.find(({ name }) => name === section);
}

/** Updates with those of now. The words of earlier ones are needed no more where a later one tells of the section. */
export function withUpdates(earlier: readonly Update[], fresh: readonly Update[]): Update[] {
  const sections = new Set(fresh.map(({ section }) => section));
  return [...earlier.map((one) => (sections.has(one.section) ? withoutWords(one) : one)), ...fresh];
}

function withoutWords({ words: _, ...update }: Update): Update {
  return update;
}

/** Reads a baseline that came back from a store; null if it is none. */
export function baselineOf(value: unknown): Baseline | null {
  const found = value as Baseline | null | undefined;
  if (found?.version !== 1 || !Array.isArray(found.words) || !Array.isArray(found.updates)) return null;
  return found.updates.every(({ told }) => told !== undefined) ? found : withTold(found);
}

/** An earlier release kept the section's whole words with every update, each of which told all of them. */
type WholeUpdate = Omit<Update, "told" | "words"> & { readonly words: SectionText | null };

function withTold(found: Baseline): Baseline {
  const updates = (found.updates as readonly (Update | WholeUpdate)[]).map((one): Update => {
    if ("told" in one) return one;
    const { words, ...update } = one;
    if (words === null) return { ...update, told: null };
    const { name: _, text, ...told } = introduced(words, one.text.slice(0, one.text.length - words.text.length));
    return { ...update, told, words };
  });
  return { ...found, updates: updates.reduce<Update[]>((all, one) => withUpdates(all, [one]), []) };
}
