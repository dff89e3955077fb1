import { bodiesOf, joinWords } from "../delivery/baseline.ts";
import { inDollars, microsOf } from "../delivery/cost.ts";
import { type Delivery, prefixBreakpoints } from "../delivery/deliver.ts";
import type { Message, ModelRequest } from "../delivery/model.ts";
import { predict } from "../delivery/prediction.ts";
import { loadReceiverTokenizer, type Receiver } from "../delivery/receiver.ts";
import { assemble, boundsOf } from "../prompt/assemble.ts";
import { type Charter, type Edition, findSection, type PlacedSection } from "../prompt/charter.ts";
import { standingReading } from "../prompt/gather.ts";
import { planOf } from "../prompt/plan.ts";
import { rethrowUnlessProblem } from "../prompt/problem.ts";
import { type Readings, unavailable } from "../prompt/reading.ts";
import type { CacheTokens, SectionText } from "../prompt/receipt.ts";
import type { Section } from "../prompt/section.ts";
import type { Tokenizer } from "../prompt/tokens.ts";
import { copyScope } from "../store/scope.ts";
import type { Store } from "../store/store.ts";
import { sha256 } from "../store/texts/packing.ts";
import type { ReplayedStep } from "../store/turns/steps.ts";
import type { Turn } from "../store/turns/turn.ts";
import { type ReplayedParts, replayParts, requestFrom } from "./replay.ts";

/** A section, and the words it is tried with. Without words: as it was. */
type TrialInput = {
  readonly charter: Charter;
  readonly section: string;
  readonly text: string | undefined;
  /** Finds the receiver of a request by the name on its receipt. */
  readonly receiverOf: (name: string) => Promise<Receiver>;
};

/** Cost of a request: tokens, and dollars with nothing cached and with everything before it cached. */
export type TrialCost = { readonly tokens: number; readonly cold: number | null; readonly warm: number | null };

/** Limit that a request would exceed, and by how much. */
export type TrialExcess = {
  readonly what: "prompt" | "request";
  readonly unit: "tokens" | "characters";
  readonly limit: number;
  readonly by: number;
};

/** The first request of a past turn, made again as if the section had said so since its session began. */
export type TrialRequest = {
  readonly turn: Turn;
  readonly step: ReplayedStep;
  readonly request: ModelRequest;
  /** Says that the bytes differ from those that were sent. */
  readonly changed: boolean;
  /** Says that it was trimmed to fit: what was cut is on no receipt. */
  readonly cut: boolean;
  readonly before: TrialCost;
  readonly after: TrialCost;
  readonly over: TrialExcess | null;
};

/**
 * Reasons not to make a turn again: it was erased, its receipt deleted by retention or not recorded whole, or the charter has
 * changed around the section.
 */
export const trialGaps = ["erased", "let-go", "not-recorded", "charter-changed"] as const;

type TrialGap = (typeof trialGaps)[number];

/**
 * Makes a turn's first request again from its receipt, with other words in a section. No source is read, no hook or tool
 * runs. What cannot be made again is named, not guessed.
 */
export async function tryTurn(store: Store, turn: Turn, input: TrialInput): Promise<TrialRequest | TrialGap> {
  if (turn.state === "erased") return "erased";
  try {
    const step = await store.steps.replay(turn.id, 1);
    const parts = await replayParts(store, step);
    const receiver = await input.receiverOf(step.receipt.receiver ?? "");
    const tokenizer = await loadReceiverTokenizer(receiver.tokenizer);
    const { text } = input;
    const changed = text === undefined ? parts : await withWords(store, { step, parts, ...input, text, receiver });
    if (changed === undefined) return "charter-changed";
    const was = await requestFrom(store, step, parts);
    const request = changed === parts ? was : await requestFrom(store, step, changed);
    const costs = { charter: input.charter, receiver, tokenizer };
    const [before, after] = [costOfParts(was, parts, costs), costOfParts(request, changed, costs)];
    return {
      ...{ turn, step, request, before, after },
      changed: JSON.stringify(request) !== JSON.stringify(was),
      cut: step.receipt.cuts.length > 0,
      over: excessOf({ step, parts, changed, total: after.tokens }, costs),
    };
  } catch (error) {
    rethrowUnlessProblem(error);
    if (error.code === "erased") return "let-go";
    if (error.code === "request-unknown" || error.code === "unknown-turn" || error.code === "replay-mismatch")
      return "not-recorded";
    throw error;
  }
}

type Wording = TrialInput & {
  readonly step: ReplayedStep;
  readonly parts: ReplayedParts;
  readonly text: string;
  readonly receiver: Receiver;
};

/** The parts with the section's new words, and without the updates that told of it. Undefined: they cannot be placed. */
async function withWords(store: Store, wording: Wording): Promise<ReplayedParts | undefined> {
  const { charter, section: name, text, step, parts, receiver } = wording;
  const { edition, slots } = step.receipt;
  const found = findSection(charter, name);
  const { section } = found;
  const bodies = bodiesIn(charter, parts.system);
  if (!bodies) return undefined;
  const known = bodies.find((one) => one.name === name);
  const stood = known ? await wordsOf(store, found, known, parts) : (section.original ?? "");
  // Compare the old text as it would be shown now: a difference means that the charter has changed since, or a limit cut it.
  const shown = stood === undefined ? undefined : shownWords(charter, section, { edition, text: stood });
  if (shown?.text !== known?.text) return undefined;
  const now = shownWords(charter, section, { edition, text });
  const isUnchanged = now?.text === known?.text;
  const told = new Set(slots.flatMap((one) => (isUpdateOf(one, name) ? [one.message as number] : [])));
  if (isUnchanged && told.size === 0) return parts;
  const system = isUnchanged ? parts.system : joinWords(charter, placed(charter, bodies, { name, now }));
  const before = (end: number) => [...told].filter((at) => at < end).length;
  return {
    ...parts,
    system,
    systemBreakpoints:
      system.length === parts.system.length ? parts.systemBreakpoints : prefixBreakpoints(charter, system, receiver),
    messages: parts.messages.filter((_, at) => !told.has(at)),
    breakpoints: [...new Set(parts.breakpoints.map((after) => after - before(after)))].filter((after) => after > 0),
  };
}

function isUpdateOf({ slot, sections, message }: ReplayedStep["receipt"]["slots"][number], name: string): boolean {
  return slot === "update" && message !== undefined && sections.some((one) => one.name === name);
}

/** Sections without what parts them. Undefined: they are parted otherwise than the charter does by now. */
function bodiesIn(charter: Charter, sections: readonly SectionText[]): SectionText[] | undefined {
  const { byName } = planOf(charter);
  const bodies: SectionText[] = [];
  for (const [at, words] of sections.entries()) {
    const next = sections[at + 1];
    const planned = byName.get(words.name);
    const gap = !next ? "" : !planned ? "\n\n" : next.layer === words.layer ? planned.within : planned.after;
    if (!words.text.endsWith(gap)) return undefined;
    bodies.push(gap === "" ? words : { ...words, text: words.text.slice(0, -gap.length) });
  }
  return bodies;
}

/** Returns the section's text at the revision that was first sent; undefined if it was erased. */
async function wordsOf(
  store: Store,
  placed: PlacedSection,
  { spans }: SectionText,
  { scope }: ReplayedParts,
): Promise<string | undefined> {
  const revision = Math.max(0, ...spans.map((span) => span.revision ?? 0));
  if (revision === 0) return placed.section.original ?? "";
  return (await store.history.at(copyScope(placed, scope), placed.section.name, revision))?.after ?? undefined;
}

type Showing = { readonly edition: Edition; readonly text: string };

/** A section as a prompt of its charter shows such words; undefined where it shows nothing. */
function shownWords(charter: Charter, section: Section, { edition, text }: Showing): SectionText | undefined {
  const reading = standingReading(section, { text, revision: 1 });
  const { alone, others } = withoutLimits(charter);
  const prompt = assemble(alone, { ...others, [section.name]: reading }, { edition });
  return bodiesOf(prompt, undefined).find(({ name }) => name === section.name);
}

type Unlimited = { readonly alone: Charter; readonly others: Readings };

const unlimited = new WeakMap<Charter, Unlimited>();

/** A charter in which nothing gives way, and in which nobody looked at anything: what is out of reach has no fallback. */
function withoutLimits(charter: Charter): Unlimited {
  const known = unlimited.get(charter);
  if (known) return known;
  const { limit: _, givesWay: __, ...alone } = charter;
  const read = [...planOf(charter).byName.values()].filter((planned) => planned.read);
  const others = Object.fromEntries(read.map(({ section }) => [section.name, unavailable("It is not looked at.")]));
  unlimited.set(charter, { alone, others });
  return { alone, others };
}

/** The sections with these words in it: where they stood, or where the charter has them; without it where it says nothing. */
function placed(
  charter: Charter,
  bodies: readonly SectionText[],
  { name, now }: { readonly name: string; readonly now: SectionText | undefined },
): readonly SectionText[] {
  const others = bodies.filter((one) => one.name !== name);
  if (!now) return others;
  const { byName } = planOf(charter);
  const place = (one: string) => byName.get(one)?.index ?? Number.POSITIVE_INFINITY;
  const at = others.findIndex((one) => place(one.name) > place(name));
  return at === -1 ? [...others, now] : [...others.slice(0, at), now, ...others.slice(at)];
}

type CostBasis = { readonly charter: Charter; readonly receiver: Receiver; readonly tokenizer: Tokenizer };

/** Predicts the cost as a turn does: with nothing cached, and with everything that the request before could leave in the cache. */
function costOfParts(
  request: ModelRequest,
  parts: ReplayedParts,
  { charter, receiver, tokenizer }: CostBasis,
): TrialCost {
  const { system, systemBreakpoints, messages, breakpoints } = parts;
  const counted = (words: SectionText): SectionText => ({ ...words, tokens: tokenizer.count(words.text) });
  const prefix = system.map(counted);
  const delivery: Delivery = {
    request,
    baseline: { version: 2, secret: "", words: [], updates: [], offers: "", summary: null },
    placements: [{ slot: "system", sections: prefix, breakpoints: systemBreakpoints }],
    ...{ history: messages, marks: breakpoints, said: [], added: [] },
    prefixChange: { how: "kept" },
  };
  const sent = Math.max(0, lastAnswer(messages));
  const reusable = {
    sections: prefix.length,
    messages: sent,
    breakpoints: prefixBreakpoints(charter, prefix, receiver),
  };
  const options = { tokenizer, sha256 };
  const cold = predict(delivery, receiver, { ...options, reusable: null });
  const warm = predict(delivery, receiver, { ...options, reusable });
  const dollars = ({ predicted }: { readonly predicted: CacheTokens }) =>
    receiver.price ? inDollars(microsOf(receiver.price, predicted)) : null;
  return { tokens: cold.total, cold: dollars(cold), warm: dollars(warm) };
}

function lastAnswer(messages: readonly Message[]): number {
  return messages.findLastIndex(({ role }) => role === "assistant");
}

type Excess = {
  readonly step: ReplayedStep;
  readonly parts: ReplayedParts;
  readonly changed: ReplayedParts;
  readonly total: number;
};

/** Measures the prompt with the section's new length against its limit, and the request against the model's window. */
function excessOf(
  { step: { receipt }, parts, changed, total }: Excess,
  { charter, receiver, tokenizer }: CostBasis,
): TrialExcess | null {
  const { tokens, chars } = boundsOf(charter, { edition: receipt.edition });
  const sum = (measure: (text: string) => number, { system }: ReplayedParts) =>
    system.reduce((all, { text }) => all + measure(text), 0);
  const more = (measure: (text: string) => number) => sum(measure, changed) - sum(measure, parts);
  const prompt = receipt.tokens ? receipt.tokens.total + more((text) => tokenizer.count(text)) : 0;
  if (tokens !== undefined && prompt > tokens)
    return { what: "prompt", unit: "tokens", limit: tokens, by: prompt - tokens };
  const letters = sum((text) => text.length, changed);
  if (chars !== undefined && letters > chars)
    return { what: "prompt", unit: "characters", limit: chars, by: letters - chars };
  const { window } = receiver;
  return window !== null && total > window
    ? { what: "request", unit: "tokens", limit: window, by: total - window }
    : null;
}
