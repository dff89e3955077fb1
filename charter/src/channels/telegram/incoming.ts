import type { Update } from "grammy/types";

/** The kinds of updates that are asked for; others are left unread. */
export const wantedUpdates = ["message", "callback_query"] as const;

/** What someone did in a private chat. */
export type IncomingUpdate = { readonly address: string } & (
  | { readonly kind: "code"; readonly code: string }
  | { readonly kind: "unlink" | "help" | "other" | "new" }
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "press";
      readonly query: string;
      readonly data: string;
      readonly message: PressedMessage | undefined;
    }
);

/** The message a button was under. */
type PressedMessage = { readonly id: number; readonly text: string | undefined; readonly hasButtons: boolean };

/** Whether this is an update at all: each has a number, by which it is confirmed. What is in it may still be anything. */
export function isTelegramUpdate(value: unknown): value is Update {
  return Number.isSafeInteger(fieldsOf(value).update_id);
}

/**
 * What an update means here: nothing, when it comes from a group, a channel, another bot, or is of no kind we know.
 * Nothing in it is taken for granted: one that made us stumble would come again and again.
 */
export function incomingOf(update: Update): IncomingUpdate | "unreadable" | undefined {
  const { message, callback_query: query } = fieldsOf(update);
  if (message !== undefined) return ofMessage(fieldsOf(message));
  return query === undefined ? undefined : ofQuery(fieldsOf(query));
}

function ofMessage({ chat, from, text }: Fields): IncomingUpdate | "unreadable" | undefined {
  const place = chatIn(chat);
  if (!place) return "unreadable";
  if (!place.isPrivate || fieldsOf(from).is_bot === true) return undefined;
  const address = String(place.id);
  return typeof text === "string" ? ofText(address, text) : { address, kind: "other" };
}

function ofQuery({ id, from, data, message }: Fields): IncomingUpdate | "unreadable" | undefined {
  if (message === undefined) return undefined;
  const { chat, message_id: number, text, reply_markup: buttons } = fieldsOf(message);
  const place = chatIn(chat);
  if (!place || typeof id !== "string" || !isWhole(number)) return "unreadable";
  if (!place.isPrivate || place.id !== fieldsOf(from).id) return undefined;
  // One that is too old to be seen has no words any more, only a number.
  const words = typeof text === "string" ? text : undefined;
  const pressed = { id: number, text: words, hasButtons: words !== undefined && buttons !== undefined };
  const said = typeof data === "string" ? data : "";
  return { address: String(place.id), kind: "press", query: id, data: said, message: pressed };
}

/** When a message was sent, where it says so in a way that can be. */
export function sentAt({ message }: Update): string | undefined {
  const { date } = fieldsOf(message);
  return isWhole(date) && date > 0 && date < latest ? new Date(date * 1000).toISOString() : undefined;
}

/** From the year 10000 on, times are not written in four digits any more, and not sorted as texts. */
const latest = Date.UTC(10_000) / 1000;

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function chatIn(value: unknown): { readonly id: number; readonly isPrivate: boolean } | undefined {
  const { id, type } = fieldsOf(value);
  return isWhole(id) && typeof type === "string" ? { id, isPrivate: type === "private" } : undefined;
}

function ofText(address: string, text: string): IncomingUpdate {
  const [, command, argument = ""] = /^\/(start|link|unlink|new|help)(?:@\w+)?(?:\s+([\s\S]*))?$/i.exec(text) ?? [];
  switch (command?.toLowerCase()) {
    case undefined:
      return text.trim() === "" ? { address, kind: "other" } : { address, kind: "text", text };
    case "unlink":
      return { address, kind: "unlink" };
    case "new":
      return argument.trim() === "" ? { address, kind: "new" } : { address, kind: "text", text };
    case "start":
    case "link":
      return argument.trim() === "" ? { address, kind: "help" } : { address, kind: "code", code: argument.trim() };
    default:
      return { address, kind: "help" };
  }
}
