import type { Update } from "grammy/types";
import type { Unreadable } from "./wording.ts";

/** The kinds of updates that are requested; Telegram keeps the others. */
export const wantedUpdates = ["message", "callback_query"] as const;

/** An action of someone in a private chat. */
export type IncomingUpdate = { readonly address: string } & (
  | { readonly kind: "code"; readonly code: string }
  | { readonly kind: "unlink" | "help" | "new" | "web" }
  | ({ readonly kind: "text" } & IncomingText)
  /** A message that cannot be read. `group`: it is one of several that were sent at once. */
  | { readonly kind: "other"; readonly what: Unreadable; readonly group?: string }
  | {
      readonly kind: "press";
      readonly query: string;
      readonly data: string;
      readonly message: PressedMessage | undefined;
    }
);

/** Text that someone wrote, or a caption under a file or under something that cannot be read. */
export type IncomingText = {
  /** The text; empty where a file came without words. */
  readonly text: string;
  readonly file?: IncomingFile;
  readonly unread?: Unreadable;
  /** Name of the author of a forwarded message. */
  readonly author?: string;
  /** Shows that not all of it was typed just now: it was sent before, came by another bot, or has a quotation or code in it. */
  readonly untyped?: true;
};

/** A picture or a file that Telegram keeps: it is downloaded when the turn is made. */
export type IncomingFile = {
  readonly what: "photo" | "document";
  readonly id: string;
  /** Size of the file, where Telegram reports it. */
  readonly bytes?: number;
  readonly name?: string;
};

/** The message with the pressed button. */
type PressedMessage = { readonly id: number; readonly text: string | undefined; readonly hasButtons: boolean };

/** Returns true for an update: each has a number, by which it is confirmed. Its content may still be anything. */
export function isTelegramUpdate(value: unknown): value is Update {
  return Number.isSafeInteger(fieldsOf(value).update_id);
}

/**
 * Reads an update; undefined, when it comes from a group, a channel, another bot, or is of no known kind. Nothing in it is taken
 * for granted: an update that made this fail would come again and again.
 */
export function incomingOf(update: Update): IncomingUpdate | "unreadable" | undefined {
  const { message, callback_query: query } = fieldsOf(update);
  if (message !== undefined) return ofMessage(fieldsOf(message));
  return query === undefined ? undefined : ofQuery(fieldsOf(query));
}

function ofMessage(message: Fields): IncomingUpdate | "unreadable" | undefined {
  const { chat, from, text } = message;
  const place = chatIn(chat);
  if (!place) return "unreadable";
  if (!place.isPrivate || fieldsOf(from).is_bot === true) return undefined;
  const address = String(place.id);
  const author = authorOf(message);
  const untyped = isUntyped(message) ? ({ untyped: true } as const) : {};
  if (typeof text === "string")
    return author === undefined ? withMark(ofText(address, text), untyped) : ofOthers(address, text, author);
  const { caption, media_group_id: group } = message;
  const what = unreadables.find((one) => message[one] !== undefined) ?? "other";
  const words = typeof caption === "string" && caption.trim() !== "" ? caption : "";
  const by = author === undefined ? untyped : { author };
  const file = fileIn(what, message);
  if (file) return { address, kind: "text", text: words, file, ...by };
  if (words !== "") return { address, kind: "text", text: words, unread: what, ...by };
  return { address, kind: "other", what, ...(typeof group === "string" ? { group } : {}) };
}

function withMark(incoming: IncomingUpdate, mark: Pick<IncomingText, "untyped">): IncomingUpdate {
  return incoming.kind === "text" ? { ...incoming, ...mark } : incoming;
}

/** Formats of others' words, and of links that hide their address. */
const quotingEntities = new Set(["blockquote", "expandable_blockquote", "pre", "code", "text_link"]);

function isUntyped({ forward_origin: origin, via_bot: bot, entities, caption_entities: captioned }: Fields): boolean {
  const marks = [entities, captioned].flatMap((list) => (Array.isArray(list) ? list : []));
  const quotes = marks.some((mark) => quotingEntities.has(String(fieldsOf(mark).type)));
  return origin !== undefined || bot !== undefined || quotes;
}

/** Kinds of content besides text, in the order of precedence: an animation is a document too, and a venue a location. */
const unreadables = [
  ...["animation", "photo", "sticker", "voice", "audio", "video_note", "video", "document", "venue", "location"],
  ...["contact", "poll", "dice", "story", "checklist", "other"],
] as readonly Unreadable[];

/** Finds the largest size of a photo, or a document. */
function fileIn(what: Unreadable, { photo, document }: Fields): IncomingFile | undefined {
  if (what !== "photo" && what !== "document") return undefined;
  const pixels = (size: Fields) => Number(size.width) * Number(size.height) || 0;
  const sizes = (Array.isArray(photo) ? photo : []).map(fieldsOf).sort((one, other) => pixels(other) - pixels(one));
  const { file_id: id, file_size: bytes, file_name: name } = what === "photo" ? (sizes[0] ?? {}) : fieldsOf(document);
  if (typeof id !== "string" || id === "") return undefined;
  return {
    ...{ what, id },
    ...(isWhole(bytes) ? { bytes } : {}),
    ...(typeof name === "string" && what === "document" ? { name: name.slice(0, 1000) } : {}),
  };
}

/** Reads a forwarded text, which is never a command. */
function ofOthers(address: string, text: string, author: string): IncomingUpdate {
  return text.trim() === "" ? { address, kind: "other", what: "other" } : { address, kind: "text", text, author };
}

/** Returns the author of a forwarded message; undefined where it is the sender's own. */
function authorOf({ forward_origin: origin, from }: Fields): string | undefined {
  if (origin === undefined) return undefined;
  const { sender_user: user, sender_user_name: hidden, sender_chat: sender, chat } = fieldsOf(origin);
  if (fieldsOf(user).id !== undefined && fieldsOf(user).id === fieldsOf(from).id) return undefined;
  const names = [fieldsOf(user).first_name, hidden, fieldsOf(sender).title, fieldsOf(chat).title];
  return names.find((name): name is string => typeof name === "string" && name.trim() !== "") ?? "someone";
}

function ofQuery({ id, from, data, message }: Fields): IncomingUpdate | "unreadable" | undefined {
  if (message === undefined) return undefined;
  const { chat, message_id: number, text, reply_markup: buttons } = fieldsOf(message);
  const place = chatIn(chat);
  if (!place || typeof id !== "string" || !isWhole(number)) return "unreadable";
  if (!place.isPrivate || place.id !== fieldsOf(from).id) return undefined;
  // A message that is too old has no text any more, only a number.
  const words = typeof text === "string" ? text : undefined;
  const pressed = { id: number, text: words, hasButtons: words !== undefined && buttons !== undefined };
  const buttonData = typeof data === "string" ? data : "";
  return { address: String(place.id), kind: "press", query: id, data: buttonData, message: pressed };
}

/** Returns when a message was sent, if it has a valid date. */
export function sentAt({ message }: Update): string | undefined {
  const { date } = fieldsOf(message);
  return isWhole(date) && date > 0 && date < latest ? new Date(date * 1000).toISOString() : undefined;
}

/** Start of the year 10000: later times have five digits in the year, and do not sort as texts. */
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
  const [, written, argument = ""] = /^\/(start|link|unlink|new|web|help)(?:@\w+)?(?:\s+([\s\S]*))?$/i.exec(text) ?? [];
  const command = written?.toLowerCase();
  switch (command) {
    case undefined:
      return text.trim() === "" ? { address, kind: "other", what: "other" } : { address, kind: "text", text };
    case "unlink":
      return { address, kind: "unlink" };
    case "new":
    case "web":
      return argument.trim() === "" ? { address, kind: command } : { address, kind: "text", text };
    case "start":
    case "link":
      return argument.trim() === "" ? { address, kind: "help" } : { address, kind: "code", code: argument.trim() };
    default:
      return { address, kind: "help" };
  }
}
