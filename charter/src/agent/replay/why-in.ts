import type { Scope } from "../../amend/amendment.ts";
import type { Message, ToolOffer } from "../../delivery/model.ts";
import { badArgument, isText, kindOf } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import type { SentSlot } from "../../prompt/receipt.ts";
import { type Occurrence, type Span, why } from "../../prompt/span.ts";
import { type Authors, authorsIn } from "../../store/amendments/written-by.ts";
import type { Store } from "../../store/store.ts";
import type { ReplayedStep } from "../../store/turns/steps.ts";
import { type MessageOrigin, replayMessages } from "./replay-request.ts";

/**
 * A place in what a turn sent. Words of the charter have spans, with the amendment that wrote each part where there is one;
 * all others are `said`.
 */
export type SentOccurrence = Occurrence & {
  /** The slot of the prompt they are in; `messages` and `tools` are the rest of the request. */
  readonly slot: string;
  /** The text the offsets are of: that slot, a message, a result, a tool's description. */
  readonly text: string;
  /** Of each span: the amendment that wrote it, "original", or nothing where none did; empty where that is so of all. */
  readonly authors: Authors;
  readonly said?: Utterance;
};

/** Whose words are that are not the charter's, and in which turn they were said. */
export type Utterance = {
  readonly what: Exclude<MessageOrigin["kind"], "section" | "results"> | "call" | "result" | "tool";
  readonly turn: string | null;
  /** The tool that was called, gave the result, or is described. */
  readonly tool?: string;
  readonly schedule?: string;
};

/** What `whyIn` is asked: words, and the turn that sent them; its last step, unless given. */
export type WhyQuery = { readonly turn: string; readonly words: string; readonly step?: number };

type WhyStore = Pick<Store, "turns" | "steps" | "sessions" | "history">;

/**
 * Says where words that a turn sent came from: of the charter's, section, source, revision and trust, and the amendment that
 * wrote them; of others, who said them in which turn. It is answered from the turn's receipt, whatever its charter has become
 * since. A Problem where words are not found, and not all that was sent is on record.
 */
export async function whyIn(store: WhyStore, asked: WhyQuery): Promise<readonly SentOccurrence[]> {
  const { turn, words, step } = Object(asked) as WhyQuery;
  if (!isText(turn) || !isText(words))
    throw badArgument(`What whyIn was asked is ${kindOf(asked)}.`, "Give whyIn(store, { turn, words }).");
  const { scope } = await store.turns.get(turn);
  const { found, missing } = await whyInStep(store, { ...(await store.steps.replay(turn, step)), scope }, words);
  if (found.length === 0 && missing) throw missing;
  return found;
}

type WhyAnswer = {
  readonly found: readonly SentOccurrence[];
  /** Why messages and tools could not be looked at. */
  readonly missing?: Problem;
};

/** The same of a step that was replayed. */
export async function whyInStep(
  store: WhyStore,
  step: ReplayedStep & { readonly scope: Scope },
  words: string,
): Promise<WhyAnswer> {
  const ofCharter = await inSlots(store, step, words);
  try {
    const { tools, messages } = await replayMessages(store, step);
    const others = [...tools.map(toolText), ...messages.flatMap(({ message, origin }) => textsIn(message, origin))];
    const said = others.flatMap(({ slot, text, said }) =>
      why({ text, spans: [{ ...nobody, end: text.length }] }, words).map(
        ({ start, end }): SentOccurrence => ({ slot, start, end, spans: [], authors: [], text, said }),
      ),
    );
    return { found: [...ofCharter, ...said] };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { found: ofCharter, missing: error };
  }
}

/** Where words are looked for that are no section's. */
const nobody: Span = { start: 0, end: 0, section: "", layer: "", source: "", revision: null, trust: "own" };

async function inSlots(
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

type SaidText = { readonly slot: string; readonly text: string; readonly said: Utterance };

function toolText({ name, description, input }: ToolOffer): SaidText {
  const text = [name, description, JSON.stringify(input)].join("\n");
  return { slot: "tools", text, said: { what: "tool", turn: null, tool: name } };
}

/** The texts of a message, each with whose it is; sections among the messages are slots of the receipt. */
function textsIn(message: Message, { kind, ...about }: MessageOrigin): SaidText[] {
  if (kind === "section") return [];
  const said = (text: string, what: Utterance["what"], tool?: string): SaidText => ({
    slot: "messages",
    text,
    said: { what, ...about, ...(tool === undefined ? {} : { tool }) },
  });
  if (message.role === "tool") return message.results.map(({ name, output }) => said(output, "result", name));
  const words = said(message.text, kind === "results" ? "changed" : kind);
  if (message.role !== "assistant") return [words];
  return [words, ...message.calls.map(({ name, input }) => said(input, "call", name))];
}
