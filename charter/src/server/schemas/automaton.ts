import { z } from "@hono/zod-openapi";
import { conversationList } from "./conversation.ts";
import { turn } from "./lists/turn-list.ts";
import { time } from "./name.ts";
import { section } from "./section.ts";

const micros = (description: string) => z.int().openapi({ description: `${description}, in millionths of a dollar.` });

const life = {
  agent: z.string(),
  state: z.string().nullable().openapi({
    description: "Where it is in its life; null of one that never lived by itself.",
    example: "Idle",
  }),
  stateAt: time.nullable(),
  turn: z.string().nullable().openapi({ description: "The turn that brought it there." }),
  tier: z.string().openapi({ description: "How it is off: Normal, LowCycles, Critical or OutOfCycles." }),
  asleepUntil: time.nullable().openapi({ description: "Till then, or till it is woken, it takes no turns." }),
  turns: z.int().openapi({ description: "How many turns it has begun." }),
  ownTurnAt: time.nullable().openapi({ description: "When its last turn by itself began." }),
  nextOwnTurnAt: time.nullable().openapi({
    description: "When its next turn by itself is due; null: it takes none now, or this server does not know.",
  }),
  runner: z.string().nullable().openapi({ description: "The process that lives for it; null: none does now." }),
};

const balances = z
  .object({
    granted: micros("All it was granted; null: nothing ever").nullable(),
    spent: micros("What it spent since the first grant"),
    balance: micros("What was granted less what was spent; null: unknown").nullable(),
    unknown: z.enum(["never-granted", "no-price"]).nullable().openapi({ description: "Why the balance is not known." }),
    reserve: micros("What is kept back"),
    need: micros("What the next turn may cost: a quarter more than the dearest tenth of the last, on average"),
    burnPerHour: micros("What the turns of the last 24 hours cost, by the hour; null: unknown").nullable(),
    runwayHours: z.number().nullable().openapi({ description: "How long the balance lasts so; null: unknown." }),
  })
  .openapi("Balances", { description: "What an agent has to live on." });

export const automaton = z
  .object({ ...life, balances })
  .openapi("Automaton", { description: "The life of an agent that lives by itself." });

const transition = z
  .object({
    from: z.string(),
    to: z.string(),
    cause: z.string(),
    turn: z.string().nullable(),
    at: time,
    fault: z.boolean().openapi({ description: "Nothing like it was foreseen in that state." }),
  })
  .openapi("Transition", { description: "One change of an agent's state." });

export const lifeSnapshot = z
  .object({
    ...life,
    at: time,
    frozen: z.enum(["amendments", "agent"]).nullable(),
    balances,
    waiting: z.int().openapi({ description: "Messages in its inbox that wait." }),
    layers: z.array(section).readonly().openapi({ description: "Its sections, in the order of the prompt." }),
    conversations: conversationList.shape.conversations,
    recentTurns: z.array(turn).readonly().openapi({ description: "The newest 20, newest first." }),
    transitions: z.array(transition).readonly().openapi({ description: "The newest 50, newest first." }),
  })
  .openapi("LifeSnapshot", { description: "All of an agent's life at once." });

export const sleepRequest = z
  .strictObject({
    until: z.string().optional().openapi({ description: "An ISO 8601 time; without one, until it is woken." }),
  })
  .openapi("SleepRequest", { example: { until: "2026-02-19T08:00:00Z" } });

export const grantRequest = z
  .strictObject({ micros: z.int().openapi({ description: "How much more it may spend, in millionths of a dollar." }) })
  .openapi("GrantRequest", { example: { micros: 5_000_000 } });
