import { z } from "@hono/zod-openapi";
import { allNeeds } from "../../agent/declaration.ts";
import { time } from "./name.ts";

/** What a charter says of itself. */
export const traits = {
  needs: z
    .array(z.enum(allNeeds))
    .readonly()
    .openapi({ description: "What it needs besides its settings.", example: ["inbox", "notes"] }),
  served: z.boolean().openapi({
    description: "Whether it takes turns on this server; other agents run in a directory, at a terminal.",
  }),
};

export const charterList = z
  .object({
    charters: z
      .array(
        z.object({
          name: z.string().openapi({ example: "assistant" }),
          says: z.string().openapi({ description: "What it is for, in a sentence." }),
          ...traits,
          template: z.record(z.string(), z.unknown()).openapi({
            description: "Settings for a new agent, to be changed before it is added.",
          }),
          reads: z
            .array(z.string())
            .readonly()
            .openapi({
              description: "The settings it reads besides those all charters do, by their paths.",
              example: ["original.soul"],
            }),
        }),
      )
      .readonly(),
    usual: z.string().openapi({ description: "The default charter.", example: "assistant" }),
  })
  .openapi("CharterList", { description: "The charters an agent can be given over the network." });

const modelName = z.string().openapi({ description: "As an agent names it.", example: "anthropic/claude-sonnet-5-5" });
const problem = z
  .object({ code: z.string(), message: z.string(), hint: z.string() })
  .openapi("ModelProblem", { description: "Why a model cannot be asked, or did not answer, and what to do." });
const price = z
  .object({ input: z.number(), read: z.number(), write: z.number(), output: z.number() })
  .openapi({ description: "Dollars per million tokens." });

const knownModel = z
  .object({
    name: modelName,
    provider: z.string().openapi({ description: "The protocol it is asked by.", example: "anthropic" }),
    own: z.boolean().openapi({ description: "It is described in models.json or charter.config.ts." }),
    key: z.enum(["present", "missing", "not-needed"]).openapi({ description: "Whether its API key is set." }),
    standIn: z.boolean().openapi({ description: "It is a script in place of a model." }),
    window: z.int().nullable().openapi({ description: "The most tokens of a request, where that is known." }),
    price: price.nullable(),
    problem: problem.nullable().openapi({ description: "What keeps it from being asked. No model is asked for that." }),
    tested: z
      .object({ at: time, ok: z.boolean(), problem: problem.optional() })
      .nullable()
      .openapi({ description: "What its last test came to, since the server was started." }),
  })
  .openapi("KnownModel");

export const modelList = z
  .object({
    models: z.array(knownModel).readonly(),
    usual: z
      .array(z.string())
      .readonly()
      .openapi({ description: "The models of agents that name none, first the one that is asked first." }),
    place: z.string().openapi({ description: "Where models and their keys are set." }),
  })
  .openapi("ModelList", {
    description:
      "Models of your own, those that agents use, and those of providers that are known by name. Agents may name other models of these providers as well.",
  });

export const modelTestRequest = z
  .strictObject({ model: z.string().min(1).max(200).openapi({ description: "The name of one model." }) })
  .openapi("ModelTestRequest", { example: { model: "stand-in/scripted" } });

export const modelTest = z
  .object({
    model: modelName,
    ok: z.boolean().openapi({ description: "It answered." }),
    problem: problem.optional(),
    notes: z.array(z.string()).readonly().openapi({ description: "What else was found out, a sentence each." }),
    tookMs: z.int(),
  })
  .openapi("ModelTest");
