import type { Update } from "grammy/types";

/** The kinds of updates that are asked for; others are left unread. */
export const wantedUpdates = ["message", "callback_query"] as const;

/** What someone did in a private chat. */
export type Incoming = { readonly address: string } & (
  | { readonly kind: "code"; readonly code: string }
  | { readonly kind: "unlink" | "help" | "other" }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "press"; readonly query: string; readonly data: string; readonly message: Pressed | undefined }
);

/** The message a button was under. */
export type Pressed = { readonly id: number; readonly text: string | undefined; readonly hasButtons: boolean };

/** What an update means here: nothing, when it comes from a group, a channel, another bot, or is of no kind we know. */
export function incomingOf(update: Update): Incoming | undefined {
  const { message, callback_query: query } = update;
  if (message) {
    if (message.chat?.type !== "private" || message.from?.is_bot) return undefined;
    const address = String(message.chat.id);
    return typeof message.text === "string" ? ofText(address, message.text) : { address, kind: "other" };
  }
  if (query?.message?.chat.type !== "private" || query.message.chat.id !== query.from.id) return undefined;
  const { message: under, id, data } = query;
  // One that is too old to be seen has no words any more, only a number.
  const seen = "text" in under ? under : undefined;
  const pressed = { id: under.message_id, text: seen?.text, hasButtons: seen?.reply_markup !== undefined };
  return { address: String(under.chat.id), kind: "press", query: id, data: data ?? "", message: pressed };
}

function ofText(address: string, text: string): Incoming {
  const [, command, argument = ""] = /^\/(start|link|unlink|help)(?:@\w+)?(?:\s+([\s\S]*))?$/i.exec(text) ?? [];
  switch (command?.toLowerCase()) {
    case undefined:
      return text.trim() === "" ? { address, kind: "other" } : { address, kind: "text", text };
    case "unlink":
      return { address, kind: "unlink" };
    case "start":
    case "link":
      return argument.trim() === "" ? { address, kind: "help" } : { address, kind: "code", code: argument.trim() };
    default:
      return { address, kind: "help" };
  }
}
