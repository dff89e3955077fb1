import { z } from "@hono/zod-openapi";
import { conversationList } from "./conversation.ts";
import { turn } from "./lists/turn-list.ts";
import { time } from "./name.ts";
import { section } from "./section.ts";

const micros = (description: string) => z.int().openapi({ description: `${description}, in millionths of a dollar.` });

const life = {
  agent: z.string(),
  state: z.string().nullable().openapi({
    description: "Its state; null if it never ran on its own.",
    example: "Idle",
  }),
  stateAt: time.nullable(),
  turn: z.string().nullable().openapi({ description: "The turn that brought it there." }),
  tier: z.string().openapi({ description: "Its budget tier: Normal, LowCycles, Critical or OutOfCycles." }),
  asleepUntil: time.nullable().openapi({ description: "It takes no turns until then, or until it is woken." }),
  turns: z.int().openapi({ description: "How many turns it has begun." }),
  ownTurnAt: time.nullable().openapi({ description: "When its last turn by itself began." }),
  nextOwnTurnAt: time.nullable().openapi({
    description: "When its next turn by itself is due; null: it takes none now, or this server does not know.",
  }),
  runner: z.string().nullable().openapi({ description: "The process that runs it; null: none does now." }),
  away: z.object({ since: time, because: z.string() }).nullable().openapi({
    description:
      "Since when its model has given no answer, and what was said of it last. Messages wait, and none is given up for it. Null: it answered when it was last asked.",
  }),
};

const balances = z
  .object({
    granted: micros("All it was granted; null: nothing ever").nullable(),
    spent: micros("What it spent since the first grant"),
    balance: micros("What was granted less what was spent; null: unknown").nullable(),
    unknown: z.enum(["never-granted", "no-price"]).nullable().openapi({ description: "Why the balance is not known." }),
    reserve: micros("What is kept back"),
    need: micros(
      "What the next turn may cost: the average of the most expensive tenth of recent turns, plus a quarter",
    ),
    burnPerHour: micros("What the turns of the last 24 hours cost, by the hour; null: unknown").nullable(),
    runwayHours: z
      .number()
      .nullable()
      .openapi({ description: "How long the balance lasts at this rate; null: unknown." }),
  })
  .openapi("Balances", { description: "An agent's budget." });

const count = z.int().min(0);
const ether = (description: string) => z.string().openapi({ description: `${description}, in ETH.`, example: "0.001" });
const stopped = (description: string) =>
  z
    .array(z.object({ reply: z.string(), message: z.string(), to: z.string(), reason: z.string().nullable() }))
    .readonly()
    .openapi({ description: `${description}; the first five.` });

const chain = z
  .object({
    chain: z.int().openapi({ description: "The number of the chain.", example: 8453 }),
    contract: z.string().openapi({ description: "The address of the inbox contract." }),
    address: z.string().nullable().openapi({ description: "The agent's address; null: not known here." }),
    block: count.nullable().openapi({ description: "The last block that was read; null: none yet." }),
    head: count.nullable().openapi({ description: "The newest block there was then." }),
    lag: count.nullable().openapi({ description: "How many blocks lie between the two." }),
    readAt: time.nullable(),
    problem: z.string().nullable().openapi({ description: "What keeps it from being read; null: nothing." }),
    unconfirmed: count.openapi({ description: "Messages in blocks that are not confirmed yet." }),
    replies: z
      .object({ waiting: count, signed: count, sent: count, mined: count, final: count, held: count, failed: count })
      .openapi({ description: "How many replies are how far." }),
    held: stopped("Replies that would cost more than they may"),
    failed: stopped("Replies that will not be sent"),
    stuck: stopped("Replies that have not got to the chain for ten minutes, and what keeps them, where that is known"),
    feesToday: ether("What the replies of this day (UTC) have cost, or may cost"),
    key: z
      .enum(["file", "environment"])
      .nullable()
      .openapi({ description: "Where its key is; null: none known here." }),
    sends: z.boolean().nullable().openapi({ description: "Replies are put on the chain; null: not known here." }),
    maxFeePerReply: ether("The most one reply may cost").nullable(),
    maxFeePerDay: ether("The most the replies of a day may cost").nullable(),
    balances: z
      .array(
        z.object({
          asset: z.string().openapi({ description: "“ETH”, or the address of a token." }),
          symbol: z.string(),
          amount: z.string().openapi({ description: "In whole units.", example: "1.5" }),
          block: count,
          readAt: time,
          stale: z.boolean().openapi({ description: "It was read more than ten minutes ago." }),
        }),
      )
      .readonly()
      .openapi({ description: "What its address has." }),
  })
  .openapi("Chain", { description: "The chain of an agent: how far it was read, its replies, and what it has there." });

export const automaton = z
  .object({ ...life, balances, chain: chain.optional() })
  .openapi("Automaton", { description: "The state of an agent that takes turns on its own." });

const transition = z
  .object({
    from: z.string(),
    to: z.string(),
    cause: z.string(),
    turn: z.string().nullable(),
    at: time,
    fault: z.boolean().openapi({ description: "The event was not expected in that state." }),
  })
  .openapi("Transition", { description: "One change of an agent's state." });

export const lifeSnapshot = z
  .object({
    ...life,
    at: time,
    frozen: z.enum(["amendments", "agent"]).nullable(),
    balances,
    chain: chain.optional(),
    waiting: z.int().openapi({ description: "Messages in its inbox that wait." }),
    layers: z.array(section).readonly().openapi({ description: "Its sections, in the order of the prompt." }),
    conversations: conversationList.shape.conversations,
    recentTurns: z.array(turn).readonly().openapi({ description: "The newest 20, newest first." }),
    transitions: z.array(transition).readonly().openapi({ description: "The newest 50, newest first." }),
  })
  .openapi("LifeSnapshot", { description: "Everything about an agent that takes turns on its own." });

export const sleepRequest = z
  .strictObject({
    until: z.string().optional().openapi({ description: "An ISO 8601 time; without one, until it is woken." }),
  })
  .openapi("SleepRequest", { example: { until: "2026-02-19T08:00:00Z" } });

export const grantRequest = z
  .strictObject({
    micros: z.int().openapi({
      description: "How much more it may spend, in millionths of a dollar; below 0, how much is taken back.",
    }),
  })
  .openapi("GrantRequest", { example: { micros: 5_000_000 } });
