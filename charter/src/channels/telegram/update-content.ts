import {
  attachmentSettingsOf,
  type InputPart,
  readInput,
  takenKinds,
  usualAttachments,
} from "../../agent/attachments.ts";
import { whoseWords } from "../../agent/turn-interface.ts";
import { fenced, quoted } from "../../prompt/fence.ts";
import { Problem } from "../../prompt/problem.ts";
import type { ChannelUpdate } from "../../store/channels/channel-updates.ts";
import type { UpdateContent, UpdateInput } from "../update-worker.ts";
import { type Bot, type BotFault, callWithRetry } from "./bot.ts";
import type { IncomingFile, IncomingText } from "./incoming.ts";
import { type Body, fixedWords } from "./receive.ts";
import {
  emptyFileWords,
  fileKindWords,
  fileLostWords,
  fileTooLargeWords,
  unreadableWords,
  unreadWords,
} from "./wording.ts";

/** Reads what an update asks for. A file of it is downloaded when its turn is made. */
export function contentOf(bot: Bot, update: ChannelUpdate): UpdateContent {
  const body: Body = JSON.parse(update.body);
  if (body.kind === "new") return { newSession: true };
  if (body.kind !== "text") return { says: fixedWords(body) };
  return {
    input: (signal) => inputOf(bot, body, signal),
    before: (earlier) => {
      if (body.unread !== undefined) return unreadWords(body.unread);
      return body.file && earlier && !earlier.attachments?.length ? unreadWords(body.file.what) : "";
    },
  };
}

/** Reads the input; there is none where a file without a caption cannot be read. */
async function inputOf(bot: Bot, body: IncomingText, signal: AbortSignal): Promise<UpdateInput> {
  const whose = whoseText(body);
  if (!body.file) return { ...whose, input: wordsOf(body) };
  const reading = await readFile(bot, body.file, signal);
  const picked = body.author === undefined && !body.untyped ? { picked: true as const } : {};
  if ("part" in reading) return { ...whose, input: [{ text: wordsOf(body) }, { ...reading.part, ...picked }] };
  const { refused } = reading;
  return body.text === "" ? { refused } : { ...whose, refused, input: wordsOf({ ...body, unread: body.file.what }) };
}

/** Separates text that the sender typed just now from somebody else's. */
function whoseText({ text, author, untyped }: IncomingText) {
  if (author !== undefined) return { foreign: true };
  return whoseWords(text, untyped || text === "" ? {} : { typed: text });
}

/** Writes the input of a turn: forwarded text is quoted, and unreadable content is named. */
function wordsOf({ text, unread, author }: IncomingText): string {
  const words = author === undefined ? text : forwarded(text, author);
  return unread === undefined ? words : `${words}\n\n[${unreadWords(unread, "you")}]`;
}

function forwarded(text: string, author: string): string {
  return text === ""
    ? `I forward this to you, from ${quoted(author)}.`
    : `I forward this to you.\n${fenced(text, author)}`;
}

/** A file as a part of an input; or the reason why it cannot be one, for its sender. */
type FileReading = { readonly part: Extract<InputPart, { file: unknown }> } | { readonly refused: string };

/** Downloads a file that was sent to the bot, if the agent takes such files. Throws only where a retry makes sense. */
async function readFile(bot: Bot, file: IncomingFile, signal: AbortSignal): Promise<FileReading> {
  const { agent, host, ask, log } = bot;
  const { settings: all } = await host.store.agents.get(agent);
  const settings = attachmentSettingsOf(all.attachments, `The settings of “${agent}”`, "bad-settings");
  const { maxBytes = usualAttachments.maxBytes, maxCount = usualAttachments.maxCount, kinds = takenKinds } = settings;
  if (maxCount === 0 || kinds.length === 0) return { refused: unreadableWords(file.what) };
  const tooLarge = { refused: fileTooLargeWords(file.what, maxBytes) };
  if (file.bytes !== undefined && file.bytes > maxBytes) return tooLarge;
  const lost = ({ reason }: BotFault): FileReading => {
    if (signal.aborted) throw new Problem("closing", "The file was waited for no longer.", "It is asked for again.");
    log("telegram-file", { reason });
    return { refused: fileLostWords(file.what) };
  };
  const found = await callWithRetry(bot, signal, () => ask((api) => api.getFile({ file_id: file.id })));
  if (found.fault?.reason.includes("file is too big")) return tooLarge;
  if (found.fault) return lost(found.fault);
  const { file_path: path, file_size: size } = Object(found.result) as { file_path?: unknown; file_size?: unknown };
  if (typeof size === "number" && size > maxBytes) return tooLarge;
  if (typeof path !== "string") return lost({ kind: "refused", reason: "a file without a path" });
  const { result: bytes, fault } = await callWithRetry(bot, signal, () => bot.download(path, maxBytes, signal));
  if (fault) return lost(fault);
  if (bytes === "too-large") return tooLarge;
  if (bytes.length === 0) return { refused: emptyFileWords(file.what) };
  const part = { file: bytes, ...(file.name === undefined ? {} : { name: file.name }) };
  try {
    readInput([part], settings);
  } catch (error) {
    if (error instanceof Problem && error.code === "bad-attachment")
      return { refused: fileKindWords(file.what, kinds) };
    throw error;
  }
  return { part };
}
