import { soundUsage } from "../../agent/turn/bill.ts";
import { type Bill, cacheTokensOf, type SentStretch, sentLayout, splitBill, tokensIn } from "../../delivery/bill.ts";
import {
  type CacheBreak,
  type CacheWords,
  cacheBreak,
  cacheWords,
  countWords,
  fitsCount,
  type PriorRequest,
} from "../../delivery/cache-break.ts";
import { stepCost } from "../../delivery/cost.ts";
import type { Usage } from "../../delivery/model.ts";
import { knownReceiver } from "../../delivery/models/find-model.ts";
import type { ModelTable } from "../../delivery/models/model-entry.ts";
import { ownOrder } from "../../delivery/own-order.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import type { CacheTokens, Receipt } from "../../prompt/receipt.ts";
import type { StepResult } from "../../prompt/step-result.ts";
import type { SampledStep } from "../../store/turns/steps.ts";

/** Where the sections of a charter stand, by its name; nothing where it is another charter than the receipt's. */
export type SectionPlaces = { readonly charter: string; readonly of: (section: string) => number | undefined };

/** What can be said of one step: what it was billed, what broke the cache before it, and what another order had cost. */
export type StepFacts = {
  readonly step: SampledStep;
  readonly receiver: Receiver | null;
  readonly layout: readonly SentStretch[] | null;
  readonly usage: Usage | null;
  readonly billed: Bill | null;
  readonly cost: number | null;
  readonly cacheBreak: CacheBreak | null;
  readonly ownOrder: (CacheTokens & { readonly cost: number | null }) | null;
};

/** What a session's cache was left with: the last request that was answered, or one that was let go since. */
type CacheLeft = PriorRequest | "let go" | null;

/** Told of steps in order, with the last before them in each session: gives the facts of those of the turns asked for. */
export function createStepReader(
  wanted: ReadonlySet<string>,
  places: SectionPlaces | null,
  models: ModelTable = {},
): (step: SampledStep) => StepFacts | undefined {
  const left = new Map<string, CacheLeft>();
  const receivers = new Map<string, Receiver>();
  const receiverNamed = (name: string) => {
    const receiver = receivers.get(name) ?? knownReceiver(name, models);
    receivers.set(name, receiver);
    return receiver;
  };
  return (step) => {
    const { receipt, session, at, erasedAt } = step;
    const before = (session !== null && left.get(session)) || null;
    const facts = wanted.has(step.turn) ? factsOf(step, before, receiverNamed, places) : undefined;
    const { usage, summary } = step.result ?? {};
    if (session !== null && receipt && usage)
      left.set(session, { at, receipt, summarised: summary !== undefined && summary.trim() !== "" });
    else if (session !== null && erasedAt !== null) left.set(session, "let go");
    return facts;
  };
}

function factsOf(
  taken: SampledStep,
  left: CacheLeft,
  receiverNamed: (name: string) => Receiver,
  places: SectionPlaces | null,
): StepFacts {
  const { receipt, at } = taken;
  const { usage: given, opinions = [] } = taken.result ?? {};
  const usage = given ? soundUsage(given) : null;
  const nothing = {
    step: taken,
    usage,
    receiver: null,
    layout: null,
    billed: null,
    cost: null,
    cacheBreak: null,
    ownOrder: null,
  };
  if (!receipt || receipt.receiver === null) return nothing;
  const receiver = receiverNamed(receipt.receiver);
  const [now, before] = [{ at, receipt }, left === "let go" ? null : left];
  const found = left === "let go" ? null : cacheBreak(before, now, receiver);
  return {
    step: taken,
    receiver,
    usage,
    layout: sentLayout(receipt),
    billed: usage && splitBill(receipt, usage),
    cost: stepCost({ usage, opinions }, receiver),
    // What the provider itself counted decides: where nothing was missed, nothing has to be explained.
    cacheBreak: found && isTold(found, taken) && fitsCount(found.what, { cache: receiver.cache, usage }) ? found : null,
    ownOrder: usage && places && inOwnOrder(before, { ...now, usage, receiver, places }, opinions),
  };
}

function isTold({ what }: CacheBreak, { missed }: SampledStep): boolean {
  return missed || what === "opened";
}

function inOwnOrder(
  before: PriorRequest | null,
  { usage, receiver, places, ...now }: PriorRequest & { usage: Usage; receiver: Receiver; places: SectionPlaces },
  opinions: NonNullable<StepResult["opinions"]>,
): StepFacts["ownOrder"] {
  if (now.receipt.charter !== places.charter) return null;
  const own = ownOrder(before, now, { receiver, usage, placeOf: places.of });
  if (!own) return null;
  const { read, written, fresh } = own;
  const counted = { input: read + written + fresh, read, written, output: usage.output };
  // Second opinions cost the same in any order.
  return { ...own, cost: stepCost({ usage: counted, opinions }, receiver) };
}

/** How a step met the cache, and why, by whoever knows whose hand it was; null where nobody knows the model. */
export function stepCache({ receiver, usage }: StepFacts, cause: { readonly says: string } | null): CacheWords | null {
  if (!receiver) return null;
  const { name, cache } = receiver;
  return cacheWords({ receiver: name, cache, usage, cause, requests: 1 });
}

/** The tokens of a step as they were counted here, and as they were billed. */
function countOf({ step: { receipt }, layout, usage }: StepFacts) {
  const tokenizer = receipt?.tokens ? { name: receipt.tokens.tokenizer, exact: receipt.tokens.exact } : null;
  const facts = { counted: layout && tokensIn(layout), tokenizer, billed: usage?.input ?? null };
  return { ...facts, says: countWords({ ...facts, files: (receipt?.attachments?.all ?? []).length > 0 }) };
}

/** As the API tells it; what broke the cache is added by whoever knows whose hand it was. */
export function shownStep(facts: StepFacts) {
  const { step: taken, usage, layout, billed: shares, cost } = facts;
  const { step, at, receipt, erasedAt, missed } = taken;
  const of = (what: SentStretch["what"]) => layout && tokensIn(layout.filter((one) => one.what === what));
  return {
    step,
    at,
    predicted: receipt?.predicted ?? null,
    usage: usage && cacheTokensOf(usage) ? usage : null,
    cost,
    total: layout && tokensIn(layout),
    count: countOf(facts),
    tools: of("tools"),
    toolsBilled: shares?.tools ?? null,
    history: receipt?.history
      ? { tokens: of("history"), messages: receipt.history.messages, billed: shares?.history ?? null }
      : null,
    sections: receipt ? shownSections(receipt, shares) : [],
    missed,
    erased: erasedAt !== null,
  };
}

/** In the order in which they were sent. */
function shownSections(receipt: Receipt, shares: Bill | null) {
  const cut = new Set(receipt.cuts.map(({ section }) => section));
  const sent = receipt.slots.flatMap(({ slot, sections }) => sections.map((section) => ({ slot, section })));
  const billedTo = new Map(shares?.sections.map(({ section, billed: share }) => [section, share]));
  return sent.map(({ slot, section }) => {
    const { name, layer, mutability, stability, trust, revision, digest, tokens } = section;
    const about = { name, layer, slot, mutability, stability, trust, revision, digest, tokens };
    const bills = { predicted: section.predicted ?? null, billed: billedTo.get(section) ?? null };
    return { ...about, cut: cut.has(name), ...bills };
  });
}
