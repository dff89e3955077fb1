import type { Update } from "grammy/types";
import type { Unreadable } from "./wording.ts";

/** The kinds of updates that are asked for; others are left unread. */
export const wantedUpdates = ["message", "callback_query"] as const;

/** What someone did in a private chat. */
export type IncomingUpdate = { readonly address: string } & (
  | { readonly kind: "code"; readonly code: string }
  | { readonly kind: "unlink" | "help" | "new" | "web" }
  | ({ readonly kind: "text" } & IncomingText)
  /** Nothing in it can be read. `group`: it is one of several that were sent at once. */
  | { readonly kind: "other"; readonly what: Unreadable; readonly group?: string }
  | {
      readonly kind: "press";
      readonly query: string;
      readonly data: string;
      readonly message: PressedMessage | undefined;
    }
);

/** Words someone wrote, or a caption under a file or under something that cannot be read. */
export type IncomingText = {
  /** Empty where a file came without words. */
  readonly text: string;
  readonly file?: IncomingFile;
  readonly unread?: Unreadable;
  /** They forwarded what this one wrote. */
  readonly author?: string;
  /** They did not type all of it just now: it was sent before, came by another bot, or has a quotation or code in it. */
  readonly untyped?: true;
};

/** A picture or a file that Telegram keeps: it is asked for when the turn is made. */
export type IncomingFile = {
  readonly what: "photo" | "document";
  readonly id: string;
  /** Its size, where Telegram said it. */
  readonly bytes?: number;
  readonly name?: string;
};

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

/** Formats of others' words, and of links whose address is another than is seen. */
const quotingEntities = new Set(["blockquote", "expandable_blockquote", "pre", "code", "text_link"]);

function isUntyped({ forward_origin: origin, via_bot: bot, entities, caption_entities: captioned }: Fields): boolean {
  const marks = [entities, captioned].flatMap((list) => (Array.isArray(list) ? list : []));
  const quotes = marks.some((mark) => quotingEntities.has(String(fieldsOf(mark).type)));
  return origin !== undefined || bot !== undefined || quotes;
}

/** What comes as more than words; an animation is a document too, and a venue a location: the first that is there holds. */
const unreadables = [
  ...["animation", "photo", "sticker", "voice", "audio", "video_note", "video", "document", "venue", "location"],
  ...["contact", "poll", "dice", "story", "checklist", "other"],
] as readonly Unreadable[];

/** The largest of the sizes of a photo, or a document. */
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

/** What someone else wrote is words, also where it looks like a command. */
function ofOthers(address: string, text: string, author: string): IncomingUpdate {
  return text.trim() === "" ? { address, kind: "other", what: "other" } : { address, kind: "text", text, author };
}

/** Who wrote what was forwarded; nobody where it is the sender's own. */
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
