import { etherText } from "../../charters/ether.ts";
import type { InboxMessage } from "../../store/conversations/inbox-row.ts";
import type { Fields } from "../field.ts";
import { type Field, list, object, oneOf, text, time, whole } from "../field.ts";

export const messageId = text(
  "Its id; the same one again is the same message. Operators see the poster before it: “shop/order-17”.",
).example("order-17");

/** What may become of a message, as its life goes. */
export const messageStates = [
  "waiting",
  "taken",
  "answered",
  "dead",
  "withdrawn",
] as const satisfies readonly InboxMessage["status"][];

export const messageStatus = oneOf(
  messageStates,
  "Dead: it was tried three times. Withdrawn: it will not be answered.",
);

const failure = object({ at: time(), turn: text().nullable(), because: text() }).named(
  "MessageFailure",
  "Why a try to answer a message failed.",
);

const facts = {
  id: messageId,
  agent: text(),
  sender: text("The counterpart: an address, or “<token>/<sender>”.").example("shop/bo"),
  body: text(),
  at: time(),
  status: messageStatus,
};
const operators = {
  channel: text().nullable(),
  tries: whole(),
  turn: text("The last turn that worked on it.").nullable(),
  failures: list(failure),
  paid: text("What was paid with it on its chain, in ETH; null: it came another way, or its block is gone.")
    .example("0.001")
    .nullable(),
  lane: text("The door it came through; lanes are served in turn."),
};

export const message = object({ ...facts, ...operators }).named("Message", "A message to an agent, and its status.");

/** How operators see it, and, without how it was worked on, whoever posted it. */
export const seenMessage = { ...facts, ...optional(operators) };

function optional<Some extends Fields>(fields: Some): { [Name in keyof Some]: Field<Some[Name]["holds"] | undefined> } {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.optional()])) as never;
}

export const reply = object({
  id: text(),
  to: text(),
  message: text().nullable(),
  body: text(),
  at: time(),
  sentAt: time("When its recipient first read it.").nullable(),
  turn: text("To operators: the turn it came from.").optional(),
}).named("Reply", "What an agent answered.");

/** A message as operators see it. What a turn has in mind to reply is no reply yet; what was paid is told in ETH. */
export function shownMessage({ draft, paid, ...shown }: InboxMessage): (typeof message)["holds"] {
  return { ...shown, paid: paid === null ? null : etherText(BigInt(paid)) };
}
