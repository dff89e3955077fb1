import { z } from "@hono/zod-openapi";
import { traits } from "./charter.ts";
import { time } from "./name.ts";
import { more, total } from "./page.ts";

const settings = z.record(z.string(), z.unknown()).openapi({
  description: "The operator's facts for the charter: originals, limits, a time zone. docs/facts.md lists them.",
  example: { zone: "Europe/Berlin" },
});
const model = z.string().nullable().openapi({
  description: "As provider/model; null is the server's own default.",
  example: "anthropic/claude-sonnet-4-5",
});
const models = z.union([model, z.array(z.string()).min(1)]).openapi({
  description:
    "As provider/model; null is the server's own default. In a list, the first is used, and the next on an outage. A single name replaces the first and keeps the others.",
  example: ["anthropic/claude-sonnet-4-5", "openai/gpt-5"],
});
const frozen = z
  .enum(["amendments", "agent"])
  .nullable()
  .openapi({ description: "What the operator has stopped: all amendments, or the agent itself." });

export const notice = z
  .object({ code: z.string(), section: z.string().optional(), message: z.string() })
  .openapi("Notice", { description: "Something the operator should know." });

const facts = {
  name: z.string().openapi({ example: "ada" }),
  charter: z.string().openapi({ example: "assistant" }),
  model,
  fallbacks: z.array(z.string()).readonly().optional().openapi({
    description: "The models that are asked, in this order, where the first cannot answer.",
  }),
  settings,
  frozen,
  createdAt: time,
  updatedAt: time,
  label: z.string().optional().openapi({
    description: "What people call it, where it has a label. The name stays what it is.",
    example: "Front desk",
  }),
  version: z.string().openapi({
    description: "The version of charter, models, settings and label; a new one when any of them changes.",
    example: "9f86d081884c7d65",
  }),
  removedAt: time.optional(),
  needs: traits.needs.optional(),
  served: traits.served.optional().openapi({
    description:
      "Whether it takes turns on this server; other agents run in a directory, at a terminal. Left out, like `needs`, if its charter cannot be loaded.",
  }),
};

export const agent = z
  .object({ ...facts, notices: z.array(notice).readonly().optional() })
  .openapi("Agent", { description: "A named configuration that can take turns." });

export const agentWithSections = z
  .object({
    ...facts,
    sections: z
      .array(z.object({ section: z.string(), revision: z.int() }))
      .readonly()
      .openapi({ description: "Those that were ever amended, and how often." }),
    answersWith: z
      .object({
        model: z.string().nullable().openapi({ description: "As provider/model; null where none can be asked." }),
        standIn: z.boolean().openapi({ description: "A script answers in a model's place." }),
        hint: z.string().optional().openapi({ description: "Of a stand-in: how to get a real model." }),
        problem: z.object({ code: z.string(), message: z.string(), hint: z.string() }).optional(),
      })
      .openapi({ description: "Who answers its next turn: its own model, or the server's default." }),
  })
  .openapi("AgentWithSections");

const week = z
  .object({
    turns: z.int(),
    users: z.int().openapi({ description: "How many different users they were for." }),
    cost: z.number().nullable().openapi({ description: "Of those with a price, in dollars; null where none has one." }),
    failed: z.int(),
  })
  .openapi("AgentWeek", { description: "The turns that began in the last seven days." });

export const agentList = z
  .object({
    agents: z
      .array(
        z.object({
          ...facts,
          amended: z.int().openapi({ description: "Amended sections." }),
          week,
          waiting: z.int().openapi({ description: "How many proposals, calls and tools wait for a person." }),
        }),
      )
      .readonly(),
    more,
    total,
  })
  .openapi("AgentList", { description: "What an operator is told." });

export const agentNames = z
  .object({ agents: z.array(z.object({ name: z.string(), label: facts.label })).readonly(), more, total })
  .openapi("AgentNames", { description: "What a user is told." });

const label = z.string().nullable().openapi({ description: "What people call it; null is its name." });

export const newAgent = z
  .strictObject({
    name: facts.name.openapi({
      description: "Letters, digits, “-”, “_” and “.”, with a letter or a digit at both ends.",
    }),
    charter: facts.charter,
    model: models.optional(),
    settings: settings.optional(),
    label: label.optional(),
  })
  .openapi("NewAgent", { example: { name: "ada", charter: "assistant" } });

export const agentChange = z
  .strictObject({
    charter: facts.charter.optional(),
    model: models.optional(),
    settings: settings.optional(),
    replace: z
      .boolean()
      .optional()
      .openapi({ description: "The settings given are all there are, instead of being merged." }),
    label: label.optional(),
    version: z.string().optional().openapi({
      description: "The version you have read. If it is another one by now, nothing is changed (409 stale).",
    }),
  })
  .openapi("AgentChange", {
    description:
      "What is left out stays. Settings are merged into those there are: the fields of an object one by one, and null removes.",
    example: { model: "openai/gpt-5" },
  });

export const freezeRequest = z
  .strictObject({
    what: z.enum(["amendments", "agent"]).optional().openapi({
      description: "`amendments` (default), or `agent`: it takes no turns either.",
    }),
  })
  .openapi("FreezeRequest", { example: { what: "amendments" } });
