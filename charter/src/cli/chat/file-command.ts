import { type AttachmentSettings, type InputPart, usualAttachments } from "../../agent/attachments.ts";
import { quoted } from "../../prompt/fence.ts";
import { grouped, Problem, reasonOf } from "../../prompt/problem.ts";
import type { SlashCommand } from "../terminal/slash-command.ts";

const { readFileSync, statSync } = process.getBuiltinModule("node:fs");
const { basename, resolve } = process.getBuiltinModule("node:path");
const { homedir } = process.getBuiltinModule("node:os");

/** `/file cat.png What is this?`: a picture or a file, and words with it. */
export function fileCommand(settings: AttachmentSettings): SlashCommand {
  return {
    name: "file",
    usage: "path [words]",
    summary: "send a picture or a file, with words or without",
    run: async (said) => {
      const { path, words } = pathAndWords(said);
      return { input: [...(words === "" ? [] : [{ text: words }]), attachedFile(path, settings)] };
    },
  };
}

/** A path may stand in quotes, or have a backslash before its spaces, as a terminal writes it. */
function pathAndWords(said: string): { readonly path: string; readonly words: string } {
  const [, double, single, bare, words = ""] =
    /^(?:"([^"]+)"|'([^']+)'|((?:\\[\s\S]|[^\s\\])+))(?:\s+([\s\S]*))?$/.exec(said) ?? [];
  const path = double ?? single ?? bare?.replace(/\\([\s\S])/g, "$1");
  if (path === undefined)
    throw new Problem(
      "usage",
      "/file needs the path of a file.",
      'Give /file cat.png What is this? or /file "my cat.png".',
    );
  return { path, words: words.trim() };
}

/** A file from disk as a part of an input. Its size is looked at before it is read; its kind, when the turn begins. */
export function attachedFile(path: string, { maxBytes = usualAttachments.maxBytes }: AttachmentSettings): InputPart {
  const full = resolve(path.replace(/^~(?=\/|$)/, () => homedir()));
  const name = basename(full);
  try {
    const about = statSync(full);
    if (!about.isFile()) throw new Problem("not-a-file", `${quoted(path)} is no file.`, "Give the path of a file.");
    if (about.size > maxBytes)
      throw new Problem(
        "attachment-too-large",
        `The attachment ${quoted(name)} has ${grouped(about.size)} bytes; the limit of this agent is ${grouped(maxBytes)}.`,
        "Send a smaller one: a picture with fewer pixels, or a part of the file.",
      );
    return { file: new Uint8Array(readFileSync(full)), name };
  } catch (error) {
    if (error instanceof Problem) throw error;
    const missing = Object(error).code === "ENOENT";
    throw new Problem(
      missing ? "no-such-file" : "unreadable",
      missing ? `There is no file ${quoted(path)}.` : `The file ${quoted(path)} cannot be read: ${reasonOf(error)}`,
      "Give the path of a file that can be read, from where the command runs.",
    );
  }
}
