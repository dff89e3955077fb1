import { z } from "@hono/zod-openapi";
import { time } from "./name.ts";
import { more } from "./page.ts";

const id = z.string().openapi({
  description: "Its id; the same one again is the same message. Operators see the poster before it: “shop/order-17”.",
  example: "order-17",
});
const body = z.string().openapi({ description: "1 to 4,096 bytes.", example: "Is the shop open?" });
const signature = z.string().openapi({
  description: "Of an address: EIP-712, 65 bytes in hex. docs/http.md says what is signed.",
  example: "0x…",
});
/** The last second of the year 9999: what comes after it is no time. */
const lastSecond = 253_402_300_799;
const expires = z.int().min(0).max(lastSecond).openapi({
  description: "Until when the signature holds: seconds since 1970, at most ten minutes ahead.",
  example: 1771416300,
});

export const newMessage = z
  .strictObject({
    sender: z.string().openapi({
      description: "The sender. With a token, the token's name comes first (“shop/bo”); an address has to sign.",
      example: "bo",
    }),
    body,
    id: id.optional().openapi({
      description: "1 to 128 characters, your own: other posters have theirs. Needed to sign; else made up.",
    }),
    signature: signature.optional(),
    expires: expires.optional(),
  })
  .openapi("NewMessage", { example: { sender: "bo", body: "Is the shop open?", id: "order-17" } });

/** What a signature is checked with: all of it is signed. */
export const signedPost = z.strictObject({ sender: newMessage.shape.sender, body, id, signature, expires });

const status = z
  .enum(["waiting", "taken", "answered", "dead", "withdrawn"])
  .openapi({ description: "Dead: it was tried three times. Withdrawn: it will not be answered." });

const failure = z
  .object({ at: time, turn: z.string().nullable(), because: z.string() })
  .openapi("MessageFailure", { description: "Why a try to answer a message failed." });

const facts = {
  id,
  agent: z.string(),
  sender: z
    .string()
    .openapi({ description: "The counterpart: an address, or “<token>/<sender>”.", example: "shop/bo" }),
  body: z.string(),
  at: time,
  status,
};
const operators = {
  channel: z.string().nullable(),
  tries: z.int(),
  turn: z.string().nullable().openapi({ description: "The last turn that worked on it." }),
  failures: z.array(failure).readonly(),
  paid: z.string().nullable().openapi({
    description: "What was paid with it on its chain, in ETH; null: it came another way, or its block is gone.",
    example: "0.001",
  }),
  lane: z.string().openapi({ description: "The door it came through; lanes are served in turn." }),
};

export const message = z
  .object({ ...facts, ...operators })
  .openapi("Message", { description: "A message to an agent, and its status." });

export const messageList = z.object({ messages: z.array(message).readonly(), more }).openapi("MessageList");

/** How operators see it, and, without how it was worked on, whoever posted it. */
const seen = { ...facts, ...z.object(operators).partial().shape };

export const postedMessage = z
  .object({
    ...seen,
    secret: z.string().optional().openapi({
      description:
        "For a signed message, shown once: “Authorization: Bearer <secret>” reads the reply to this message.",
      example: "reply_…",
    }),
  })
  .openapi("PostedMessage", { description: "The message as it was stored." });

const reply = z
  .object({
    id: z.string(),
    to: z.string(),
    message: z.string().nullable(),
    body: z.string(),
    at: time,
    sentAt: time.nullable().openapi({ description: "When its recipient first read it." }),
    turn: z.string().optional().openapi({ description: "To operators: the turn it came from." }),
  })
  .openapi("Reply", { description: "What an agent answered." });

export const messageWithReply = z.object({ ...seen, reply: reply.nullable() }).openapi("MessageWithReply");

export const retriedMessages = z
  .object({ retried: z.int().openapi({ description: "How many wait again." }) })
  .openapi("RetriedMessages");

export const replyList = z.object({ replies: z.array(reply).readonly(), more }).openapi("ReplyList");

export const messageQuery = { status: status.optional().openapi({ description: "Default: `waiting`." }) };

export const attachment = z
  .object({
    digest: z
      .string()
      .openapi({ description: "SHA-256 of its bytes: `GET /api/agents/{agent}/attachments/{digest}`." }),
    mediaType: z.string(),
    bytes: z.int(),
    name: z.string().optional(),
    width: z.int().optional(),
    height: z.int().optional(),
    pages: z.int().optional(),
  })
  .openapi("Attachment", { description: "A picture or a file that came with a turn." });

/** A part of an input: words, or a picture or file as base64. */
export const inputPart = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({
    file: z.base64().openapi({ description: "Its bytes, as base64." }),
    mediaType: z
      .string()
      .optional()
      .openapi({ description: "Found from the bytes, unless given.", example: "image/png" }),
    name: z.string().optional().openapi({ example: "cat.png" }),
  }),
]);
