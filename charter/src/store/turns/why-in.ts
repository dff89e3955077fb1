import type { Scope } from "../../amend/amendment.ts";
import { badArgument, isText, kindOf } from "../../prompt/argument.ts";
import type { SentSlot } from "../../prompt/receipt.ts";
import { type Occurrence, type Span, why } from "../../prompt/span.ts";
import { type Authors, authorsIn } from "../amendments/written-by.ts";
import type { Store } from "../store.ts";
import type { ReplayedStep } from "./steps.ts";

/** A place in what a turn sent: the slot it is in, and who wrote each part of it, by the amendment where there is one. */
export type SentOccurrence = Occurrence & {
  readonly slot: string;
  /** The text of that slot, which the offsets are of. */
  readonly text: string;
  /** Of each span: the amendment that wrote it, "original", or nothing where none did. */
  readonly authors: Authors;
};

/** What `whyIn` is asked: words, and the turn that sent them; its last step, unless given. */
export type WhyQuery = { readonly turn: string; readonly words: string; readonly step?: number };

/**
 * Says where words that a turn sent came from: section, source, revision and trust, and the amendment that wrote them. It is
 * answered from the turn's receipt, whatever its charter has become since. Messages of the conversation are not looked at.
 */
export async function whyIn(
  store: Pick<Store, "turns" | "steps" | "history">,
  asked: WhyQuery,
): Promise<SentOccurrence[]> {
  const { turn, words, step } = Object(asked) as WhyQuery;
  if (!isText(turn) || !isText(words))
    throw badArgument(`What whyIn was asked is ${kindOf(asked)}.`, "Give whyIn(store, { turn, words }).");
  const { scope } = await store.turns.get(turn);
  return whyInStep(store, { ...(await store.steps.replay(turn, step)), scope }, words);
}

/** The same of a step that was replayed. */
export async function whyInStep(
  { history }: Pick<Store, "history">,
  { scope, receipt, slots }: Pick<ReplayedStep, "receipt" | "slots"> & { readonly scope: Scope },
  words: string,
): Promise<SentOccurrence[]> {
  const whose = new Map(receipt.slots.flatMap(({ sections }) => sections.map(({ name, whose }) => [name, whose])));
  const copyOf = (section: string) => (whose.get(section) === "user" ? scope : { agent: scope.agent });
  const found: SentOccurrence[] = [];
  for (const [index, { slot, text }] of slots.entries()) {
    const here = why({ text, spans: spansOf(receipt.slots[index] as SentSlot) }, words);
    const authors = await authorsIn(history, copyOf, text, here);
    found.push(...here.map((one) => ({ ...one, slot, text, authors: authors.get(one) ?? [] })));
  }
  return found;
}

function spansOf({ sections }: SentSlot): Span[] {
  let start = 0;
  return sections.flatMap(({ name, layer, spans }) =>
    spans.map(({ length, ...span }) => {
      const from = start;
      start += length;
      return { ...span, section: name, layer, start: from, end: start };
    }),
  );
}
