import {
  attachmentSettingsOf,
  type InputPart,
  readInput,
  takenKinds,
  usualAttachments,
} from "../../agent/attachments.ts";
import { Problem } from "../../prompt/problem.ts";
import { type Bot, callWithRetry } from "./bot.ts";
import type { BotFault } from "./bot-api.ts";
import type { IncomingFile } from "./incoming.ts";
import { emptyFileWords, fileKindWords, fileLostWords, fileTooLargeWords, unreadableWords } from "./wording.ts";

/** A file as a part of an input; or what its sender is told, where it cannot be one. */
type FileReading = { readonly part: InputPart } | { readonly refused: string };

/** Gets a file that was sent to the bot, if the agent takes such. Throws only where it is to be tried again. */
export async function readFile(bot: Bot, file: IncomingFile, signal: AbortSignal): Promise<FileReading> {
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
