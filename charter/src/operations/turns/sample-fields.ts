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
import {
  anything,
  flag,
  list,
  more,
  number,
  object,
  oneOf,
  record,
  scope,
  text,
  time,
  total,
  whole,
} from "../field.ts";
import { turnState, usage } from "./turn-fields.ts";

const count = number().nullable();
const actor = oneOf(["agent", "user", "operator"]);
const mutability = oneOf(["fixed", "live", "amendable"]);

const tokens = { read: number(), written: number(), fresh: number() };
const billing = object(tokens).named(
  "Billing",
  "Tokens by what they are billed as: read from the cache, written to it, or neither.",
);

const sampleSection = object({
  name: text(),
  layer: text(),
  slot: text(
    "Where it was: `system`, `update` (in the history), `foreign` (untrusted text beside a prompt in one string), `compaction` (the request for a summary), or `state` (at the end, in earlier versions).",
  ),
  mutability,
  stability: oneOf(["stable", "event", "state"]),
  trust: oneOf(["own", "user", "foreign"]),
  revision: whole().nullable(),
  digest: text(),
  tokens: count,
  cut: flag("It was trimmed to fit."),
  predicted: billing.nullable(),
  billed: billing
    .nullable()
    .says("Its share of what the provider counted, by its place; null where the provider counted nothing."),
}).named("SampleSection");

const broke = object({
  what: oneOf(["opened", "cold", "tools", "section", "folded", "compacted"]).says(
    "Why less was read from the cache than the request before had left there: the session was new; too much time had passed; the tools changed; a section of the prefix changed; updates were moved into the prefix; the history was compacted.",
  ),
  section: text().nullable(),
  revision: whole().nullable(),
  actor: actor.nullable().says("Who changed it."),
  turn: text("The turn it was changed in.").nullable(),
  reason: text().nullable(),
  says: text("The same in a sentence."),
}).named("CacheBreak", "What caused the cache miss, and who.");

const missed = flag(
  "A cache miss: by the provider's count less was read from its cache than the request before had left there. It is worked out once, when the step ends.",
);

const cache = object({
  state: oneOf([
    "uncounted",
    "unreported",
    "no-cache",
    "all-read",
    "part-read",
    "written",
    "too-short",
    "none-read",
  ]).says(
    "By the provider's own count: nothing was counted; it does not say what it read; no cache is known; all, a part or nothing was read, though some was written; the request was too short, its tools included; or nothing was read.",
  ),
  says: text("The same in a sentence or two."),
}).named("CacheUse", "How much was read from the provider's cache, and why not more.");

const tokenCount = object({
  counted: count.says("All of the request, as counted here."),
  tokenizer: object({ name: text(), exact: flag() })
    .nullable()
    .says("Exact: it is the model's own. Otherwise the count is estimated."),
  billed: count.says("As the provider counted."),
  says: text("Both in a sentence, and why they differ.").nullable(),
}).named("TokenCount", "The tokens of a request, counted here and billed by the provider.");

const sampleStep = object({
  step: whole(),
  at: time(),
  predicted: billing.nullable(),
  usage: usage.nullable(),
  cost: count,
  total: count.says("Tokens of the whole request, as predicted."),
  tools: count.says("Tokens of the tools that were offered."),
  toolsBilled: billing.nullable(),
  history: object({ tokens: count, messages: whole(), billed: billing.nullable() })
    .nullable()
    .says("Without the updates in it: those are among the sections."),
  sections: list(sampleSection),
  count: tokenCount,
  broke: broke.nullable(),
  missed,
  cache: cache.nullable().says("Null where the model is not known."),
  erased: flag(),
}).named("SampleStep");

const share = object({
  part: oneOf(["tools", "section", "history"]),
  name: text("The section's.").nullable(),
  mutability: mutability.nullable(),
  ...tokens,
}).named("Share", "What a turn was billed for one part of its requests, wherever it was in them.");

const facts = {
  turn: text(),
  scope,
  session: text().nullable(),
  channel: text().nullable(),
  state: turnState,
  tainted: flag(),
  startedAt: time(),
  endedAt: time().nullable(),
  input: text("Its first 200 characters."),
  receiver: text().nullable(),
  edition: oneOf(["full", "compact"]).nullable(),
  predicted: billing.nullable().says("All steps together."),
  usage: usage.says("As the provider counted, all steps together."),
  cost: count.says(
    "In dollars, second opinions its tools asked for included; null where a price is not known, or nothing was counted.",
  ),
  shares: list(share).says(
    "The provider's count of all steps together, by what it was for: their sum is `usage`. Empty where nothing was counted.",
  ),
  ownOrder: object({ ...tokens, cost: count })
    .nullable()
    .says("What the same steps would have been billed as, in the charter's own order as one string."),
  broke: broke.nullable().says("Of its first step with a cache miss whose cause is known."),
  missed: missed.says("One of its steps had a cache miss."),
  cache: cache.nullable().says("All steps together; null where nothing was sent."),
  amended: list(object({ section: text(), revision: whole().nullable(), actor: actor })),
  refused: whole("How many proposals were refused in it."),
  held: whole("How many proposals and calls were held in it."),
};

const sampleInList = object({
  ...facts,
  steps: whole(),
  tools: count.says("Tokens of the tools in its last step."),
  history: count.says("Tokens of the history in its last step, without the updates in it."),
  sections: list(sampleSection).says("As its last step sent them."),
}).named("SampleSummary");

export const sampleList = object({ samples: list(sampleInList), more, total }).named(
  "SampleList",
  "A core sample of each turn: what it sent, in layers.",
);

const since = object({
  turn: text("The session's turn before."),
  amendments: list(
    object({
      scope,
      section: text(),
      revision: whole(),
      actor: actor,
      turn: text("In which turn.").nullable(),
      reason: text().nullable(),
      at: time(),
    }),
  ),
}).named(
  "AmendmentsSince",
  "The amendments made since the session's turn before began, as far as they were sent with this one.",
);

const event = object({
  id: whole(),
  scope,
  at: time(),
  kind: text().example("amended"),
  turn: text().nullable(),
  detail: record(anything()),
}).named("Event", "Something that happened: an amendment, a refusal, a run that failed.");

export const sample = object({
  ...facts,
  since: since.nullable().says("Null without a session, and in its first turn."),
  steps: list(sampleStep),
  events: list(event).says("What happened in it, in order."),
}).named("Sample", "One turn, step by step: sent, predicted, billed, and what caused a cache miss.");

/** Positions of a charter's sections; none if the receipt is of another charter. */
export type SectionPlaces = { readonly charter: string; readonly of: (section: string) => number | undefined };

/** Facts of one step: what it was billed, what caused its cache miss, and what another order of sections would have cost. */
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

/** State of a session's cache: the last request that was answered, or `let go` if one was abandoned since. */
type CacheLeft = PriorRequest | "let go" | null;

/**
 * Creates a reader of steps, which come in order, after the last earlier one of each session. It returns the facts of steps of
 * the wanted turns.
 */
export function createStepReader(
  wanted: ReadonlySet<string>,
  places: SectionPlaces | null,
  models: ModelTable = {},
): (step: SampledStep) => StepFacts | undefined {
  const caches = new Map<string, CacheLeft>();
  const receivers = new Map<string, Receiver>();
  const receiverNamed = (name: string) => {
    const receiver = receivers.get(name) ?? knownReceiver(name, models);
    receivers.set(name, receiver);
    return receiver;
  };
  return (step) => {
    const { receipt, session, at, erasedAt } = step;
    const before = (session !== null && caches.get(session)) || null;
    const facts = wanted.has(step.turn) ? factsOf(step, before, receiverNamed, places) : undefined;
    const { usage, summary } = step.result ?? {};
    if (session !== null && receipt && usage)
      caches.set(session, { at, receipt, summarised: summary !== undefined && summary.trim() !== "" });
    else if (session !== null && erasedAt !== null) caches.set(session, "let go");
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
  const { usage: counted, opinions = [] } = taken.result ?? {};
  const usage = counted ? soundUsage(counted) : null;
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
  const miss = left === "let go" ? null : cacheBreak(before, now, receiver);
  return {
    step: taken,
    receiver,
    usage,
    layout: sentLayout(receipt),
    billed: usage && splitBill(receipt, usage),
    cost: stepCost({ usage, opinions }, receiver),
    // The provider's count decides: a step without a cache miss needs no explanation.
    cacheBreak: miss && isTold(miss, taken) && fitsCount(miss.what, { cache: receiver.cache, usage }) ? miss : null,
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

/**
 * Sentence on how a step met the cache, and why. `cause` comes from a caller who knows who made the change; null if the model is
 * unknown.
 */
export function stepCache({ receiver, usage }: StepFacts, cause: { readonly says: string } | null): CacheWords | null {
  if (!receiver) return null;
  const { name, cache } = receiver;
  return cacheWords({ receiver: name, cache, usage, cause, requests: 1 });
}

/** Tokens of a step as counted here, and as billed. */
function countOf({ step: { receipt }, layout, usage }: StepFacts) {
  const tokenizer = receipt?.tokens ? { name: receipt.tokens.tokenizer, exact: receipt.tokens.exact } : null;
  const facts = { counted: layout && tokensIn(layout), tokenizer, billed: usage?.input ?? null };
  return { ...facts, says: countWords({ ...facts, files: (receipt?.attachments?.all ?? []).length > 0 }) };
}

/** A step as the API shows it. Callers who know who made a change add the cause of a cache miss. */
export function shownStep(facts: StepFacts) {
  const { step: sampled, usage, layout, billed, cost } = facts;
  const { step, at, receipt, erasedAt, missed } = sampled;
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
    toolsBilled: billed?.tools ?? null,
    history: receipt?.history
      ? { tokens: of("history"), messages: receipt.history.messages, billed: billed?.history ?? null }
      : null,
    sections: receipt ? shownSections(receipt, billed) : [],
    missed,
    erased: erasedAt !== null,
  };
}

/** Sections of a receipt, in the order in which they were sent. */
function shownSections(receipt: Receipt, shares: Bill | null) {
  const cut = new Set(receipt.cuts.map(({ section }) => section));
  const sent = receipt.slots.flatMap(({ slot, sections }) => sections.map((section) => ({ slot, section })));
  const billedTo = new Map(shares?.sections.map(({ section, billed }) => [section, billed]));
  return sent.map(({ slot, section }) => {
    const { name, layer, mutability, stability, trust, revision, digest, tokens } = section;
    const about = { name, layer, slot, mutability, stability, trust, revision, digest, tokens };
    const bills = { predicted: section.predicted ?? null, billed: billedTo.get(section) ?? null };
    return { ...about, cut: cut.has(name), ...bills };
  });
}
