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
        "Where it stood: `system`, `update` (in the history), `state` (at the end), or `compaction` (what asked for a summary).",
    }),
    mutability: z.enum(["fixed", "live", "amendable"]),
    stability: z.enum(["stable", "event", "state"]),
    trust: z.enum(["own", "user", "foreign"]),
    revision: z.int().nullable(),
    digest: z.string(),
    tokens: count,
    cut: z.boolean().openapi({ description: "It gave something up to fit." }),
    predicted: billing.nullable(),
    billed: billing.nullable().openapi({
      description:
        "Its share of what the provider counted, by where it stood; null where the provider counted nothing.",
    }),
  })
  .openapi("SampleSection");

const broke = z
  .object({
    what: z.enum(["opened", "cold", "tools", "section", "folded", "compacted"]).openapi({
      description:
        "Why less was read from the cache than the request before had left there: the session was new; too much time had passed; the tools changed; a section before the tail changed; changes were folded into the prefix; the history was compacted.",
    }),
    section: z.string().nullable(),
    revision: z.int().nullable(),
    actor: z.enum(["agent", "user", "operator"]).nullable().openapi({ description: "Whose hand changed it." }),
    turn: z.string().nullable().openapi({ description: "In which turn." }),
    reason: z.string().nullable(),
    says: z.string().openapi({ description: "The same in a sentence." }),
  })
  .openapi("CacheBreak", { description: "What broke the cached prefix, and who." });

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
      .openapi({ description: "Without the updates that stand in it: those are among the sections." }),
    sections: z.array(sampleSection).readonly(),
    broke: broke.nullable(),
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
  .openapi("Share", { description: "What a turn was billed for one part of its requests, wherever it stood in them." });

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
  broke: broke.nullable().openapi({ description: "Of its first step that broke anything." }),
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

export const sample = z
  .object({
    ...facts,
    steps: z.array(sampleStep).readonly(),
    events: z.array(event).readonly().openapi({ description: "What happened in it, in order." }),
  })
  .openapi("Sample", { description: "One turn, step by step: sent, predicted, billed, and what broke the cache." });
