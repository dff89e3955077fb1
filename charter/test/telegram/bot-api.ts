/** What Telegram answers a call with. */
export type Answer = { readonly status: number; readonly body: object };

/** A message as the bot sent it, and as it is now. */
export type Sent = {
  readonly id: number;
  readonly chat: number;
  text: string;
  buttons: readonly Button[];
  /** How its words are shown: `bold:the words`. */
  readonly shown: readonly string[];
  /** The texts it had before it was edited. */
  readonly before: string[];
};

export type Button = { readonly text: string; readonly data: string };

/** What Telegram knows. */
export type World = {
  readonly bot: { readonly id: number; readonly username: string };
  /** Chats someone has opened with the bot, and whether they blocked it since. */
  readonly chats: Map<number, { blocked: boolean }>;
  readonly sent: Sent[];
  /** Presses that wait for an answer. */
  readonly queries: Set<string>;
  readonly toasts: string[];
  /** Files that someone sent, by their ids. `said`: the size Telegram claims, where that is another. */
  readonly files: Map<string, { readonly bytes: Uint8Array; readonly said?: number | undefined }>;
  readonly actions: { readonly chat: number; readonly action: string }[];
};

type Payload = Readonly<Record<string, unknown>>;
type Field = (value: unknown) => boolean;

export const ok = (result: unknown): Answer => ({ status: 200, body: { ok: true, result } });
export const no = (status: number, description: string, parameters?: object): Answer => ({
  status,
  body: { ok: false, error_code: status, description, ...(parameters ? { parameters } : {}) },
});
const bad = (what: string) => no(400, `Bad Request: ${what}`);

const text: Field = (value) => typeof value === "string";
const flag: Field = (value) => typeof value === "boolean";
const whole: Field = Number.isSafeInteger;
const object: Field = (value) => typeof value === "object" && value !== null;
const chat: Field = (value) => whole(value) || text(value);
const texts: Field = (value) => Array.isArray(value) && value.every(text);

/** The fields of each method. The real one passes over those it does not know; a test had better hear of them. */
const fields: Readonly<Record<string, Readonly<Record<string, Field>>>> = {
  getMe: {},
  getWebhookInfo: {},
  getUpdates: { offset: whole, limit: whole, timeout: whole, allowed_updates: texts },
  setWebhook: {
    url: text,
    secret_token: text,
    allowed_updates: texts,
    max_connections: whole,
    drop_pending_updates: flag,
  },
  deleteWebhook: { drop_pending_updates: flag },
  sendMessage: {
    ...{ chat_id: chat, text, parse_mode: text, reply_markup: object, link_preview_options: object },
    ...{ entities: Array.isArray, disable_notification: flag, protect_content: flag, reply_parameters: object },
  },
  editMessageText: { chat_id: chat, message_id: whole, text, reply_markup: object, link_preview_options: object },
  editMessageReplyMarkup: { chat_id: chat, message_id: whole, reply_markup: object },
  answerCallbackQuery: { callback_query_id: text, text, show_alert: flag },
  sendChatAction: { chat_id: chat, action: text },
  getFile: { file_id: text },
};

export function checkCall(method: string, payload: Payload): Answer | undefined {
  const known = Object.hasOwn(fields, method) ? fields[method] : undefined;
  if (!known) return no(404, "Not Found");
  for (const [name, value] of Object.entries(payload)) {
    const field = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!field) return bad(`field "${name}" is not known to ${method}`);
    if (!field(value)) return bad(`field "${name}" must be of another type`);
    if (typeof value === "string" && !value.isWellFormed()) return bad("strings must be encoded in UTF-8");
  }
  return undefined;
}

/** The methods that need nothing but the world. */
export const methods: Readonly<Record<string, (world: World, payload: Payload) => Answer>> = {
  getMe: ({ bot }) => ok({ ...bot, is_bot: true, first_name: "Charter", can_join_groups: true }),
  sendMessage: (world, payload) => {
    const trouble =
      chatTrouble(world, payload) ?? textTrouble(payload) ?? entityTrouble(payload) ?? markupTrouble(payload);
    if (trouble) return trouble;
    const sent: Sent = {
      id: world.sent.length + 1,
      chat: Number(payload.chat_id),
      text: String(payload.text).trim(),
      buttons: buttonsOf(payload),
      shown: entitiesOf(payload).map(
        ({ type, offset, length, language }) =>
          `${type}${language ? `(${language})` : ""}:${String(payload.text).slice(offset, offset + length)}`,
      ),
      before: [],
    };
    world.sent.push(sent);
    return ok(messageOf(world, sent));
  },
  editMessageText: (world, payload) => {
    const trouble = chatTrouble(world, payload) ?? textTrouble(payload) ?? markupTrouble(payload);
    if (trouble) return trouble;
    return edited(world, payload, String(payload.text).trim());
  },
  editMessageReplyMarkup: (world, payload) =>
    chatTrouble(world, payload) ?? markupTrouble(payload) ?? edited(world, payload),
  answerCallbackQuery: ({ queries, toasts }, { callback_query_id: id, text = "" }) => {
    if (String(text).length > 200) return bad("MESSAGE_TOO_LONG");
    if (!queries.delete(String(id))) return bad("query is too old and response timeout expired or query ID is invalid");
    toasts.push(String(text));
    return ok(true);
  },
  sendChatAction: (world, payload) => {
    const trouble = chatTrouble(world, payload);
    if (trouble) return trouble;
    if (
      !["typing", "upload_photo", "record_video", "upload_document", "find_location"].includes(String(payload.action))
    )
      return bad("wrong parameter action in request");
    world.actions.push({ chat: Number(payload.chat_id), action: String(payload.action) });
    return ok(true);
  },
  getFile: fileOf,
};

/** Where a file can be fetched, below the bot's own address. */
export const pathOf = (id: string) => `documents/file ${id}.bin`;

function fileOf({ files }: World, { file_id: id }: Payload): Answer {
  const file = files.get(String(id));
  if (!file) return bad("wrong file_id or the file is temporarily unavailable");
  const size = file.said ?? file.bytes.length;
  if (size > 20 * 1024 * 1024) return bad("file is too big");
  return ok({ file_id: id, file_unique_id: `u${id}`, file_size: size, file_path: pathOf(String(id)) });
}

export function messageOf({ bot }: World, { id, chat, text, buttons }: Sent): object {
  const keyboard = [buttons.map(({ text, data }) => ({ text, callback_data: data }))];
  return {
    message_id: id,
    date: 1_771_416_000,
    from: { ...bot, is_bot: true, first_name: "Charter" },
    chat: { id: chat, type: "private", first_name: "Someone" },
    text,
    ...(buttons.length > 0 ? { reply_markup: { inline_keyboard: keyboard } } : {}),
  };
}

type Entity = { readonly type: string; readonly offset: number; readonly length: number; readonly language?: string };

function entitiesOf({ entities = [] }: Payload): readonly Entity[] {
  return entities as readonly Entity[];
}

const styles = ["bold", "italic", "strikethrough"];

/** The real one passes over many of these; a test had better hear of them. */
export function entityTrouble(payload: Payload): Answer | undefined {
  const words = String(payload.text);
  const all = entitiesOf(payload);
  const wrong = (what: string) => bad(`can't parse entities: ${what}`);
  if (all.length > 100) return wrong(`${all.length} of them`);
  for (const one of all) {
    const { type, offset, length } = one;
    if (![...styles, "code", "pre", "blockquote"].includes(type)) return wrong(`unknown type ${type}`);
    if (!whole(offset) || !whole(length) || offset < 0 || length <= 0 || offset + length > words.length)
      return wrong(`${type} lies outside of the text`);
    if (!words.slice(offset, offset + length).isWellFormed()) return wrong(`${type} cuts a character`);
    for (const other of all) {
      if (other === one || other.offset + other.length <= offset || offset + length <= other.offset) continue;
      const holds = other.offset <= offset && offset + length <= other.offset + other.length;
      const held = offset <= other.offset && other.offset + other.length <= offset + length;
      if (!holds && !held) return wrong(`${type} and ${other.type} overlap`);
      if (!styles.includes(type) && !styles.includes(other.type)) return wrong(`${type} within ${other.type}`);
      if ([type, other.type].some((kind) => kind === "code" || kind === "pre"))
        return wrong(`${type} in ${other.type}`);
    }
  }
  return undefined;
}

function chatTrouble({ chats }: World, { chat_id: id }: Payload): Answer | undefined {
  if (id === undefined || id === "") return bad("chat_id is empty");
  const known = chats.get(Number(id));
  if (!known) return bad("chat not found");
  return known.blocked ? no(403, "Forbidden: bot was blocked by the user") : undefined;
}

function textTrouble({ text = "", parse_mode: mode }: Payload): Answer | undefined {
  const words = String(text);
  if (words.trim() === "") return bad("message text is empty");
  if (words.length > 4096) return bad("message is too long");
  if (mode === undefined) return undefined;
  if (!["MarkdownV2", "HTML", "Markdown"].includes(String(mode))) return bad("unsupported parse_mode");
  const reserved = mode === "MarkdownV2" ? /(?<!\\)[.!()=+#|{}>~[\]-]/.exec(words) : null;
  if (reserved)
    return bad(
      `can't parse entities: Character '${reserved[0]}' is reserved and must be escaped with the preceding '\\'`,
    );
  if (mode === "HTML" && /<(?!\/?(?:b|i|u|s|a|code|pre)\b)|&(?!\w+;)/.test(words))
    return bad("can't parse entities: Unsupported start tag");
  return undefined;
}

function markupTrouble({ reply_markup: markup }: Payload): Answer | undefined {
  if (markup === undefined) return undefined;
  const rows = (markup as { inline_keyboard?: unknown }).inline_keyboard;
  if (!Array.isArray(rows) || !rows.every(Array.isArray)) return bad("object expected as reply markup");
  for (const button of rows.flat() as { text?: unknown; callback_data?: unknown; url?: unknown }[]) {
    if (typeof button?.text !== "string" || button.text === "")
      return bad('can\'t parse inline keyboard button: Field "text" must be of type String');
    const { callback_data: data, url } = button;
    if (data === undefined && url === undefined)
      return bad("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard");
    if (data === undefined) continue;
    const bytes = typeof data === "string" ? Buffer.byteLength(data) : 0;
    if (bytes < 1 || bytes > 64) return bad("BUTTON_DATA_INVALID");
  }
  return undefined;
}

function buttonsOf({ reply_markup: markup }: Payload): Button[] {
  const { inline_keyboard: rows = [] } = (markup ?? {}) as {
    inline_keyboard?: { text: string; callback_data: string }[][];
  };
  return rows.flat().map(({ text, callback_data: data }) => ({ text, data }));
}

function edited(world: World, payload: Payload, words?: string): Answer {
  const sent = world.sent.find(({ id, chat }) => id === payload.message_id && chat === Number(payload.chat_id));
  if (!sent) return bad("message to edit not found");
  const buttons = buttonsOf(payload);
  if ((words ?? sent.text) === sent.text && JSON.stringify(buttons) === JSON.stringify(sent.buttons))
    return bad(
      "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
    );
  if (words !== undefined) {
    sent.before.push(sent.text);
    sent.text = words;
  }
  sent.buttons = buttons;
  return ok(messageOf(world, sent));
}
