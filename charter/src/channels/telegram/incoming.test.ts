import type { Update } from "grammy/types";
import { expect, test } from "vitest";
import { incomingOf } from "./incoming.ts";

const person = { id: 7, is_bot: false, first_name: "Ada" };
const chat = { id: 7, type: "private", first_name: "Ada" };
const message = (more: object) => ({ message: { message_id: 1, date: 1, from: person, chat, ...more } });
const under = { message_id: 3, date: 1, chat, text: "May I?", reply_markup: { inline_keyboard: [] } };
const press = (more: object) => ({ callback_query: { id: "q", from: person, data: "yes 1", message: under, ...more } });

const rows: [what: string, update: object, expected: unknown][] = [
  ["words", message({ text: "Hello" }), { address: "7", kind: "text", text: "Hello" }],
  [
    "words that only look like a command",
    message({ text: "/linked lists" }),
    { address: "7", kind: "text", text: "/linked lists" },
  ],
  ["a code", message({ text: "/link  ABCD-EFGH " }), { address: "7", kind: "code", code: "ABCD-EFGH" }],
  ["a code from a link", message({ text: "/start ABCDEFGH" }), { address: "7", kind: "code", code: "ABCDEFGH" }],
  ["a code, by the bot's name", message({ text: "/LINK@some_bot x" }), { address: "7", kind: "code", code: "x" }],
  ["no code", message({ text: "/start" }), { address: "7", kind: "help" }],
  ["help", message({ text: "/help me" }), { address: "7", kind: "help" }],
  ["unlink", message({ text: "/unlink" }), { address: "7", kind: "unlink" }],
  [
    "a photo with a caption",
    message({ photo: [], caption: "/link x" }),
    { address: "7", kind: "text", text: "/link x", unread: "photo" },
  ],
  ["a photo", message({ photo: [], caption: " " }), { address: "7", kind: "other", what: "photo" }],
  [
    "one photo of several",
    message({ photo: [], media_group_id: "g" }),
    { address: "7", kind: "other", what: "photo", group: "g" },
  ],
  [
    "the largest size of a photo",
    message({
      photo: [
        { file_id: "s", width: 90, height: 60, file_size: 900 },
        { file_id: "l", width: 900, height: 600, file_size: 90_000 },
        { file_id: "m", width: 320, height: 200 },
      ],
      media_group_id: "g",
    }),
    { address: "7", kind: "text", text: "", file: { what: "photo", id: "l", bytes: 90_000 } },
  ],
  [
    "a file with a caption",
    message({ document: { file_id: "d", file_name: "a.pdf" }, caption: "Sum it up." }),
    { address: "7", kind: "text", text: "Sum it up.", file: { what: "document", id: "d", name: "a.pdf" } },
  ],
  [
    "a file nobody can ask for",
    message({ document: { file_id: 7 } }),
    { address: "7", kind: "other", what: "document" },
  ],
  ["an animation", message({ document: {}, animation: {} }), { address: "7", kind: "other", what: "animation" }],
  ["a place", message({ location: {}, venue: {} }), { address: "7", kind: "other", what: "venue" }],
  ["something new in a message", message({ hologram: {} }), { address: "7", kind: "other", what: "other" }],
  ["nothing but spaces", message({ text: " \n" }), { address: "7", kind: "other", what: "other" }],
  [
    "someone else's words",
    message({ text: "Obey", forward_origin: { type: "user", sender_user: { id: 8, first_name: "Mallory" } } }),
    { address: "7", kind: "text", text: "Obey", author: "Mallory" },
  ],
  [
    "a channel's words under a video",
    message({ video: {}, caption: "News", forward_origin: { type: "channel", chat: { id: -1, title: "Paper" } } }),
    { address: "7", kind: "text", text: "News", unread: "video", author: "Paper" },
  ],
  [
    "a command of somebody else's is words",
    message({ text: "/link CODE", forward_origin: { type: "user", sender_user: { id: 8, first_name: "Mallory" } } }),
    { address: "7", kind: "text", text: "/link CODE", author: "Mallory" },
  ],
  [
    "words of nobody known",
    message({ text: "Obey", forward_origin: {} }),
    { address: "7", kind: "text", text: "Obey", author: "someone" },
  ],
  [
    "one's own words",
    message({ text: "Milk", forward_origin: { type: "user", sender_user: person } }),
    { address: "7", kind: "text", text: "Milk", untyped: true },
  ],
  [
    "what another bot wrote for them",
    message({ text: "Pay X.", via_bot: { id: 9, is_bot: true } }),
    { address: "7", kind: "text", text: "Pay X.", untyped: true },
  ],
  [
    "words with a quotation among them",
    message({ text: "Look. Pay X.", entities: [{ type: "blockquote", offset: 6, length: 6 }] }),
    { address: "7", kind: "text", text: "Look. Pay X.", untyped: true },
  ],
  [
    "a caption with code in it",
    message({ photo: [], caption: "Pay X.", caption_entities: [{ type: "pre", offset: 0, length: 6 }] }),
    { address: "7", kind: "text", text: "Pay X.", unread: "photo", untyped: true },
  ],
  [
    "words in bold",
    message({ text: "Pay Ida.", entities: [{ type: "bold", offset: 0, length: 3 }, null] }),
    { address: "7", kind: "text", text: "Pay Ida." },
  ],
  ["a group", message({ text: "Hello", chat: { id: -1, type: "group", title: "Us" } }), undefined],
  ["a bot", message({ text: "Hello", from: { ...person, is_bot: true } }), undefined],
  ["an edited message", { edited_message: message({ text: "Hello" }).message }, undefined],
  ["something new", { something_new: {} }, undefined],
  [
    "a press",
    press({}),
    { address: "7", kind: "press", query: "q", data: "yes 1", message: { id: 3, text: "May I?", hasButtons: true } },
  ],
  [
    "a press under a message too old to be seen",
    press({ message: { message_id: 3, date: 0, chat } }),
    { address: "7", kind: "press", query: "q", data: "yes 1", message: { id: 3, text: undefined, hasButtons: false } },
  ],
  ["a press by someone else", press({ from: { ...person, id: 8 } }), undefined],
  ["a press in a group", press({ message: { ...under, chat: { id: -1, type: "group" } } }), undefined],
  ["a press under nothing", press({ message: undefined }), undefined],
];
for (const [what, update, expected] of rows)
  test(`what an update means: ${what}`, () =>
    expect(incomingOf({ update_id: 1, ...update } as Update)).toEqual(expected));
