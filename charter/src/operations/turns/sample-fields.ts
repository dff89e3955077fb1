import { more, scope, total } from "../common-fields.ts";
import { anything, flag, list, number, object, oneOf, record, text, time, whole } from "../field.ts";
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
    "Where it was: `system`, `update` (in the history), `state` (at the end), or `compaction` (the request for a summary).",
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
    "Why less was read from the cache than the request before had left there: the session was new; too much time had passed; the tools changed; a section before the dynamic state changed; updates were moved into the prefix; the history was compacted.",
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
