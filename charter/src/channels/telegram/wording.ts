/**
 * Answers a chat that is not linked. The text is the same for everyone, and reveals nothing about anyone. `page` is the address
 * of the page for users, if others can reach it.
 */
export function strangerWords(page?: string): string {
  const where = page === undefined ? "" : ` (${page})`;
  return `This chat is not linked to anyone yet. Get a code on the assistant's web page${where}, or from whoever runs it, and send: /link CODE`;
}

/** Gives a link to the page for users. Where only the machine itself reaches it, the text says so. */
export function webWords(link: string): string {
  const local = /^https?:\/\/(?:localhost|127\.[\d.]+|\[::1\])(?=[:/])/.test(link);
  const where = local ? "\n\nIt opens only on the machine I run on." : "";
  return `Your page, for the next ten minutes and once. Whoever opens it is you there, so pass it to nobody:\n${link}${where}`;
}

export const noWebWords = "There is no web page here. Ask whoever runs me.";

export const tooManyLinksWords = "Too many links were asked for here. Wait ten minutes, then ask again.";

export const badCodeWords = "That code does not work. Codes work once, within ten minutes: ask for a new one.";

export const tooManyCodesWords = "Too many codes were tried here. Wait ten minutes, then ask for a new one.";

export const linkedWords = "This chat is linked to you now. Write to me here. /help says what else you can do.";

export const stillLinkedWords = `${badCodeWords} This chat stays linked as it was.`;

export const unlinkedWords = "This chat is no longer linked. Nothing more is sent here.";

export const helpWords = [
  "Write to me in plain words, or send me a photo or a file; I answer here.",
  "",
  "/new: start a new conversation, without what was said before",
  "/web: a link to your own page, with your instructions, notes and reminders",
  "/link CODE: link this chat to someone else, with a code of theirs",
  "/unlink: unlink it; nothing more is sent here",
  "/help: this",
].join("\n");

const unreadable = {
  animation: "an animation",
  photo: "a photo",
  sticker: "a sticker",
  voice: "a voice message",
  audio: "an audio file",
  video_note: "a video message",
  video: "a video",
  document: "a file",
  venue: "a place",
  location: "a location",
  contact: "a contact",
  poll: "a poll",
  dice: "a die",
  story: "a story",
  checklist: "a checklist",
  other: "something without words",
} as const;

/** The kinds of content of a message besides text. */
export type Unreadable = keyof typeof unreadable;

export function unreadableWords(what: Unreadable): string {
  return `That is ${unreadable[what]}, which I cannot read.`;
}

type FileKind = "photo" | "document";
const fileNames = { photo: "photo", document: "file" } as const;

export function fileTooLargeWords(what: FileKind, maxBytes: number): string {
  const maxSize =
    maxBytes < 1_000_000 ? `${Math.round(maxBytes / 1000)} kB` : `${+(maxBytes / 1_000_000).toFixed(1)} MB`;
  return `That ${fileNames[what]} is too large for me: I take ${maxSize} at most. Send a smaller one.`;
}

export function fileKindWords(what: FileKind, kinds: readonly string[]): string {
  return `That ${fileNames[what]} is of a kind I cannot read. I can read: ${kinds.map(kindName).join(", ")}.`;
}

/** Names a kind of file as people do: PNG, PDF, text. */
function kindName(mediaType: string): string {
  const [type = "", form = ""] = mediaType.split("/");
  if (form === "*") return type === "image" ? "pictures" : type;
  return type === "text" ? `text (${form})` : form.toUpperCase();
}

export function emptyFileWords(what: FileKind): string {
  return `That ${fileNames[what]} is empty. Please send it again.`;
}

export function fileLostWords(what: FileKind): string {
  return `I could not get that ${fileNames[what]} from Telegram. Please send it again.`;
}

/** Tells the person, or the model, about content with a caption that cannot be read. */
export function unreadWords(what: Unreadable, reader: "I" | "you" = "I"): string {
  const name = unreadable[what];
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} came with it, which ${reader} cannot read.`;
}

/** The page for users, as a bot refers to it. */
export type UserPage = {
  /** Address of the page, if others than this machine can reach it. */
  readonly url?: string;
  /** Makes a link that signs this user in there, once. */
  readonly link: (user: string) => Promise<string>;
};
