import { z } from "@hono/zod-openapi";
import { notice } from "./agent.ts";
import { turnState, usage } from "./lists/turn-query.ts";
import { attachment, inputPart } from "./message.ts";
import { anything, time } from "./name.ts";

/** So many characters are the most a turn is asked with. */
export const maxInputChars = 32_000;

const whom = {
  user: z.string().optional().openapi({
    description:
      "The user; operators may name one, or leave it out to be themselves. For a user it is always themselves.",
    example: "bo",
  }),
  channel: z.string().optional().openapi({ description: "The channel; default: `web`." }),
  context: anything.optional().openapi({
    description:
      "What sources, tools and hooks are told of the request: only from an operator. A user's is the claim of their JSON Web Token that the configuration names.",
  }),
};

const typed = z.string().optional().openapi({
  description:
    "Those words of the input that the person has just typed, exactly: nothing quoted, forwarded or added. A note that is whole sentences of them is the person's own.",
});

export const newTurn = z
  .strictObject({
    input: z.union([z.string(), z.array(inputPart).max(100)]).openapi({
      description: `What the user says: 1 to ${maxInputChars} characters; or a list of texts, pictures and files.`,
      example: "hello",
    }),
    typed,
    ...whom,
    session: z.string().optional().openapi({
      description:
        "A session's id, `new`, or `none` for a turn without history. Left out, the user's newest session goes on.",
    }),
    output: z.record(z.string(), z.unknown()).optional().openapi({
      description:
        "A JSON Schema of up to 16 KB without references: the final answer is JSON that fits it. Patterns in it are told to the model and not checked.",
    }),
  })
  .openapi("NewTurn", { example: { input: "Always answer in French.", user: "bo" } });

const uiMessage = z.looseObject({
  role: z.enum(["system", "user", "assistant"]),
  parts: z.array(z.looseObject({ type: z.string() })),
  metadata: z.unknown().optional(),
});

export const chatTurn = z
  .looseObject({
    id: z.string().openapi({ description: "The chat's id: of the client's own making, or a session's." }),
    messages: z.array(uiMessage).min(1).openapi({
      description: "Only the last is read as input; what was said before is on record here.",
    }),
    typed,
    ...whom,
    session: z
      .string()
      .optional()
      .openapi({ description: "The session to go on with, where the client keeps it itself." }),
  })
  .openapi("ChatTurn", {
    description: "What `DefaultChatTransport` of the AI SDK sends. The answer is a UI message stream.",
    example: { id: "chat-1", messages: [{ role: "user", parts: [{ type: "text", text: "hello" }] }] },
  });

export type ChatTurn = z.infer<typeof chatTurn>;

const count = z.number().nullable();

export const turnOutcome = z
  .object({
    turn: z.string(),
    session: z.string().openapi({ description: "Give it with the next turn to go on from here." }),
    state: z.enum(["answered", "failed"]),
    reply: z.string().nullable(),
    output: anything
      .optional()
      .openapi({ description: "The answer as a value, where the turn asked for an `output`." }),
    steps: z.int(),
    tainted: z.boolean().openapi({ description: "Untrusted text was in the turn's context." }),
    usage: usage.openapi({ description: "In tokens, as the provider counted them." }),
    cost: count.openapi({ description: "In dollars; null where the model's price is not known." }),
    notices: z.array(notice).readonly(),
  })
  .openapi("TurnOutcome", {
    description: "What a turn came to. One that failed is answered as a Problem, with its id.",
  });

const identity = z
  .object({
    slot: z.string().openapi({ description: "`system-prompt`, `meta-append`, `meta-buzz` or `first-message`." }),
    sent: z.boolean().openapi({ description: "It went with this request; else with an earlier one." }),
    says: z.string().openapi({ description: "The same in words." }),
  })
  .openapi("Identity", {
    description: "Where an agent that keeps the conversation itself was given the system prompt.",
    example: { slot: "system-prompt", sent: true, says: "in the agent's system prompt field, with this request" },
  });

const ownTool = z
  .object({
    id: z.string(),
    title: z.string(),
    kind: z.string().openapi({ description: "`read`, `edit`, `execute`, `fetch` and so on, as the agent said." }),
    status: z.enum(["pending", "running", "done", "failed"]),
    paths: z.array(z.string()).readonly(),
  })
  .openapi("OwnTool", { description: "A tool of its own that an agent used. What it read is not known here." });

const step = z
  .object({
    turn: z.string(),
    step: z.int(),
    number: z.int().openapi({ description: "Which of all the agent's steps it is." }),
    at: time,
    receipt: anything.openapi({
      description: "Every section that was sent: where, with its digest, and how many tokens.",
    }),
    digest: z.string(),
    previous: z.string(),
    erasedAt: time.nullable(),
    result: anything.openapi({ description: "The answer, the calls and their results." }),
    identity: identity.nullable().openapi({ description: "Null for models that are sent the prompt each time." }),
    ownTools: z.array(ownTool).readonly(),
  })
  .openapi("Step", { description: "One model call, and what is kept of it." });

export const stepList = z.object({ steps: z.array(step).readonly() }).openapi("StepList");

/** Which step of which turn it was, and the digest of its receipt. */
const sentStep = { turn: z.string(), step: z.int(), number: z.int(), at: time, digest: z.string() };

export const sentBytes = z
  .object({
    ...sentStep,
    previous: z.string(),
    proved: z.literal(true).openapi({ description: "The words of every slot have the digest that the receipt names." }),
    slots: z.array(z.object({ slot: z.string(), text: z.string(), digest: z.string() })).readonly(),
    receipt: anything,
    identity: identity.nullable(),
  })
  .openapi("SentBytes", { description: "The very bytes a step sent, slot by slot; as `charter replay --json`." });

const call = z.object({ id: z.string(), name: z.string(), input: z.string() });
const toolResult = z.object({
  call: z.string(),
  name: z.string(),
  output: z.string(),
  failed: z.literal(true).optional(),
  shortened: z.literal(true).optional().openapi({ description: "It was longer than there was room for." }),
});
const sentFile = attachment.extend({ data: z.string().optional().openapi({ description: "Its bytes, as base64." }) });
const breakpoint = z.literal(true).optional().openapi({ description: "There is a cache breakpoint after it." });

const sentMessage = z.union([
  z.object({
    ...{ role: z.enum(["system", "user"]), text: z.string(), attachments: z.array(sentFile).readonly().optional() },
    ...{ update: z.string().optional(), breakpoint },
  }),
  z.object({
    role: z.literal("assistant"),
    text: z.string(),
    calls: z.array(call).readonly(),
    native: anything.optional(),
    breakpoint,
  }),
  z.object({ role: z.literal("tool"), results: z.array(toolResult).readonly(), breakpoint }),
]);

const madeBy = { digest: z.string(), address: z.string(), package: z.string(), version: z.string() };

const replayedBody = z.object({
  text: z.string(),
  ...madeBy,
  headers: z.record(z.string(), z.string()).openapi({
    description: "The key is the name of the variable it is in, behind a dollar sign.",
  }),
  sent: z
    .object(madeBy)
    .nullable()
    .openapi({ description: "The body that went out, by its digest; null where that is not on record." }),
  same: z.boolean().nullable().openapi({ description: "It is, byte for byte, the body that went out." }),
  says: z.string(),
  curl: z.string().openapi({ description: "The command that sends it once more, without the key." }),
});

export const wholeRequest = z.object({
  tools: z
    .array(z.object({ name: z.string(), description: z.string(), input: z.record(z.string(), z.unknown()) }))
    .readonly(),
  system: z.array(z.object({ text: z.string(), breakpoint })).readonly(),
  messages: z.array(sentMessage).readonly(),
  cacheKey: z.string().optional(),
  answerTokens: z.int().optional().openapi({ description: "The most tokens its answer might have; else the model's." }),
  toolChoice: z.literal("none").optional().openapi({ description: "None of its tools could be called." }),
  output: z
    .object({ name: z.string(), schema: z.record(z.string(), z.unknown()) })
    .optional()
    .openapi({ description: "What the final answer had to be." }),
});

export const sentRequest = z
  .object({
    ...sentStep,
    proved: z.literal(true).openapi({ description: "Tools, system and messages have the digests of the receipt." }),
    receiver: z.string().nullable(),
    request: wholeRequest,
    body: replayedBody.nullable().openapi({ description: "Null: no provider's package made one." }),
    opinions: z
      .array(z.object({ model: z.string(), request: wholeRequest }))
      .readonly()
      .openapi({ description: "How second opinions were asked for while its tools ran." }),
  })
  .openapi("SentRequest", {
    description: "A request as the model was given it; as `charter replay --request --json`.",
  });

export const stopResult = z
  .object({ turn: z.string(), state: turnState, stopping: z.boolean() })
  .openapi("StopResult", {
    description: "`stopping`: it is told to stop. Otherwise it was over, and `state` says how.",
  });
