import { z } from "@hono/zod-openapi";
import { event } from "./event.ts";
import { usage } from "./lists/turn-query.ts";
import { scope, time } from "./name.ts";
import { more, total } from "./page.ts";

const count = z.number().nullable();

const billing = z.object({ read: z.number(), written: z.number(), fresh: z.number() }).openapi("Billing", {
  description: "Tokens by what they are billed as: read from the cache, written to it, or neither.",
});

const sampleSection = z
  .object({
    name: z.string(),
    layer: z.string(),
    slot: z.string().openapi({
      description:
        "Where it was: `system`, `update` (in the history), `state` (at the end), or `compaction` (the request for a summary).",
    }),
    mutability: z.enum(["fixed", "live", "amendable"]),
    stability: z.enum(["stable", "event", "state"]),
    trust: z.enum(["own", "user", "foreign"]),
    revision: z.int().nullable(),
    digest: z.string(),
    tokens: count,
    cut: z.boolean().openapi({ description: "It was trimmed to fit." }),
    predicted: billing.nullable(),
    billed: billing.nullable().openapi({
      description: "Its share of what the provider counted, by its place; null where the provider counted nothing.",
    }),
  })
  .openapi("SampleSection");

const broke = z
  .object({
    what: z.enum(["opened", "cold", "tools", "section", "folded", "compacted"]).openapi({
      description:
        "Why less was read from the cache than the request before had left there: the session was new; too much time had passed; the tools changed; a section before the dynamic state changed; updates were moved into the prefix; the history was compacted.",
    }),
    section: z.string().nullable(),
    revision: z.int().nullable(),
    actor: z.enum(["agent", "user", "operator"]).nullable().openapi({ description: "Who changed it." }),
    turn: z.string().nullable().openapi({ description: "The turn it was changed in." }),
    reason: z.string().nullable(),
    says: z.string().openapi({ description: "The same in a sentence." }),
  })
  .openapi("CacheBreak", { description: "What caused the cache miss, and who." });

const missed = z.boolean().openapi({
  description:
    "A cache miss: by the provider's count less was read from its cache than the request before had left there. It is worked out once, when the step ends.",
});

const cache = z
  .object({
    state: z
      .enum(["uncounted", "unreported", "no-cache", "all-read", "part-read", "written", "too-short", "none-read"])
      .openapi({
        description:
          "By the provider's own count: nothing was counted; it does not say what it read; no cache is known; all, a part or nothing was read, though some was written; the request was too short, its tools included; or nothing was read.",
      }),
    says: z.string().openapi({ description: "The same in a sentence or two." }),
  })
  .openapi("CacheUse", { description: "How much was read from the provider's cache, and why not more." });

const tokenCount = z
  .object({
    counted: count.openapi({ description: "All of the request, as counted here." }),
    tokenizer: z
      .object({ name: z.string(), exact: z.boolean() })
      .nullable()
      .openapi({ description: "Exact: it is the model's own. Otherwise the count is estimated." }),
    billed: count.openapi({ description: "As the provider counted." }),
    says: z.string().nullable().openapi({ description: "Both in a sentence, and why they differ." }),
  })
  .openapi("TokenCount", { description: "The tokens of a request, counted here and billed by the provider." });

const sampleStep = z
  .object({
    step: z.int(),
    at: time,
    predicted: billing.nullable(),
    usage: usage.nullable(),
    cost: count,
    total: count.openapi({ description: "Tokens of the whole request, as predicted." }),
    tools: count.openapi({ description: "Tokens of the tools that were offered." }),
    toolsBilled: billing.nullable(),
    history: z
      .object({ tokens: count, messages: z.int(), billed: billing.nullable() })
      .nullable()
      .openapi({ description: "Without the updates in it: those are among the sections." }),
    sections: z.array(sampleSection).readonly(),
    count: tokenCount,
    broke: broke.nullable(),
    missed,
    cache: cache.nullable().openapi({ description: "Null where the model is not known." }),
    erased: z.boolean(),
  })
  .openapi("SampleStep");

const share = z
  .object({
    part: z.enum(["tools", "section", "history"]),
    name: z.string().nullable().openapi({ description: "The section's." }),
    mutability: z.enum(["fixed", "live", "amendable"]).nullable(),
    ...billing.shape,
  })
  .openapi("Share", { description: "What a turn was billed for one part of its requests, wherever it was in them." });

const facts = {
  turn: z.string(),
  scope,
  session: z.string().nullable(),
  channel: z.string().nullable(),
  state: z.enum(["running", "answered", "failed", "interrupted", "erased"]),
  tainted: z.boolean(),
  startedAt: time,
  endedAt: time.nullable(),
  input: z.string().openapi({ description: "Its first 200 characters." }),
  receiver: z.string().nullable(),
  edition: z.enum(["full", "compact"]).nullable(),
  predicted: billing.nullable().openapi({ description: "All steps together." }),
  usage: usage.openapi({ description: "As the provider counted, all steps together." }),
  cost: count.openapi({
    description:
      "In dollars, second opinions its tools asked for included; null where a price is not known, or nothing was counted.",
  }),
  shares: z.array(share).readonly().openapi({
    description:
      "The provider's count of all steps together, by what it was for: their sum is `usage`. Empty where nothing was counted.",
  }),
  ownOrder: z
    .object({ ...billing.shape, cost: count })
    .nullable()
    .openapi({
      description: "What the same steps would have been billed as, in the charter's own order as one string.",
    }),
  broke: broke.nullable().openapi({ description: "Of its first step with a cache miss whose cause is known." }),
  missed: missed.openapi({ description: "One of its steps had a cache miss." }),
  cache: cache.nullable().openapi({ description: "All steps together; null where nothing was sent." }),
  amended: z
    .array(
      z.object({ section: z.string(), revision: z.int().nullable(), actor: z.enum(["agent", "user", "operator"]) }),
    )
    .readonly(),
  refused: z.int().openapi({ description: "How many proposals were refused in it." }),
  held: z.int().openapi({ description: "How many proposals and calls were held in it." }),
};

const sampleInList = z
  .object({
    ...facts,
    steps: z.int(),
    tools: count.openapi({ description: "Tokens of the tools in its last step." }),
    history: count.openapi({ description: "Tokens of the history in its last step, without the updates in it." }),
    sections: z.array(sampleSection).readonly().openapi({ description: "As its last step sent them." }),
  })
  .openapi("SampleSummary");

export const sampleList = z
  .object({ samples: z.array(sampleInList).readonly(), more, total })
  .openapi("SampleList", { description: "A core sample of each turn: what it sent, in layers." });

const since = z
  .object({
    turn: z.string().openapi({ description: "The session's turn before." }),
    amendments: z
      .array(
        z.object({
          scope,
          section: z.string(),
          revision: z.int(),
          actor: z.enum(["agent", "user", "operator"]),
          turn: z.string().nullable().openapi({ description: "In which turn." }),
          reason: z.string().nullable(),
          at: time,
        }),
      )
      .readonly(),
  })
  .openapi("AmendmentsSince", {
    description: "The amendments made since the session's turn before began, as far as they were sent with this one.",
  });

export const sample = z
  .object({
    ...facts,
    since: since.nullable().openapi({ description: "Null without a session, and in its first turn." }),
    steps: z.array(sampleStep).readonly(),
    events: z.array(event).readonly().openapi({ description: "What happened in it, in order." }),
  })
  .openapi("Sample", { description: "One turn, step by step: sent, predicted, billed, and what caused a cache miss." });

const costDay = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/, "must be a day, as in 2026-02-18")
  .openapi({ example: "2026-02-18" });

export const costQuery = {
  from: costDay.optional().openapi({ description: "The first day (UTC); left out, from the beginning." }),
  to: costDay.optional().openapi({ description: "The last day (UTC), included; left out, until today." }),
};

const costSums = {
  cost: z.number().openapi({ description: "In dollars, of everything whose price is known." }),
  input: z.int().openapi({ description: "Input tokens as the providers counted them." }),
  read: z.int().openapi({ description: "Of those, read from the cache." }),
  written: z.int().openapi({ description: "Of those, written to the cache." }),
  output: z.int(),
};

const costTurns = {
  turns: z.int().openapi({ description: "Turns that started in it." }),
  priced: z.int().openapi({ description: "Turns among them whose cost is known." }),
};

export const cost = z
  .object({
    agent: z.string(),
    user: z.string().nullable(),
    from: z.string().nullable(),
    to: z.string().nullable(),
    total: z.object({ ...costTurns, ...costSums }),
    days: z.array(z.object({ day: z.string(), ...costTurns, ...costSums })).readonly(),
    models: z
      .array(z.object({ model: z.string(), ...costSums }))
      .readonly()
      .openapi({ description: "By the model that was paid; second opinions included." }),
  })
  .openapi("Cost", { description: "What an agent spent: sums over all turns in the range, by day and by model." });
