import { notice } from "../common-fields.ts";
import { anything, either, flag, list, number, object, oneOf, openObject, record, text, whole } from "../field.ts";
import { usage } from "./turn-fields.ts";

/** So many characters are the most a turn is asked with. */
export const maxInputChars = 32_000;

const whom = {
  user: text("The user; operators may name one, or leave it out to be themselves. For a user it is always themselves.")
    .example("bo")
    .optional(),
  channel: text("The channel; default: `web`.").optional(),
  context: anything(
    "What sources, tools and hooks are told of the request: only from an operator. A user's is the claim of their JSON Web Token that the configuration names.",
  ).optional(),
  typed: text(
    "Those words of the input that the person has just typed, exactly: nothing quoted, forwarded or added. A note that is whole sentences of them is the person's own.",
  ).optional(),
};

/** A part of an input: words, or a picture or file as base64. */
const inputPart = either(
  object({ text: text() }),
  object({
    file: text("Its bytes, as base64.", {
      form: /^(?:[\da-zA-Z+/]{4})*(?:[\da-zA-Z+/]{2}==|[\da-zA-Z+/]{3}=)?$/,
      reason: "must be base64",
    }),
    mediaType: text("Found from the bytes, unless given.").example("image/png").optional(),
    name: text().example("cat.png").optional(),
  }),
);

export const newTurn = object({
  input: either(text(), list(inputPart, undefined, { most: 100 }))
    .says(`What the user says: 1 to ${maxInputChars} characters; or a list of texts, pictures and files.`)
    .example("hello"),
  ...whom,
  session: text(
    "A session's id, `new`, or `none` for a turn without history. Left out, the user's newest session goes on.",
  ).optional(),
  output: record(
    anything(),
    "A JSON Schema of up to 16 KB without references: the final answer is JSON that fits it. Patterns in it are told to the model and not checked.",
  ).optional(),
})
  .named("NewTurn")
  .example({ input: "Always answer in French.", user: "bo" });

const uiMessage = openObject({
  role: oneOf(["system", "user", "assistant"]),
  parts: list(openObject({ type: text() })),
  metadata: anything().optional(),
});

export const chatTurn = openObject({
  id: text("The chat's id: of the client's own making, or a session's."),
  messages: list(uiMessage, "Only the last is read as input; what was said before is on record here.", { least: 1 }),
  ...whom,
  session: text("The session to go on with, where the client keeps it itself.").optional(),
})
  .named("ChatTurn", "What `DefaultChatTransport` of the AI SDK sends. The answer is a UI message stream.")
  .example({ id: "chat-1", messages: [{ role: "user", parts: [{ type: "text", text: "hello" }] }] });

export type ChatTurn = (typeof chatTurn)["holds"];

export const turnOutcome = object({
  turn: text().told(),
  session: text("Give it with the next turn to go on from here.").told(),
  state: oneOf(["answered", "failed"]).told(),
  reply: text().told().nullable(),
  output: anything("The answer as a value, where the turn asked for an `output`.").optional(),
  steps: whole(),
  tainted: flag("Untrusted text was in the turn's context.").told(),
  usage: usage.says("In tokens, as the provider counted them."),
  cost: number("In dollars; null where the model's price is not known.").nullable(),
  notices: list(notice).told(),
}).named("TurnOutcome", "What a turn came to. One that failed is answered as a Problem, with its id.");
