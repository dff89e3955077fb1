import { type AttachmentSettings, type InputPart, usualAttachments } from "../../agent/attachments.ts";
import { receiverChangeQuote } from "../../delivery/prediction.ts";
import { columns, oneLine, timeText } from "../../operations/print/columns.ts";
import { wrapText } from "../../operations/print/plain-text.ts";
import { preview } from "../../prompt/character.ts";
import { quoted } from "../../prompt/fence.ts";
import { counted, grouped, Problem, reasonOf } from "../../prompt/problem.ts";
import type { SessionOverview } from "../../store/turns/sessions.ts";
import { helpLines, type SlashCommand } from "../terminal/conversation.ts";
import { output, type Screen } from "../terminal/screen.ts";
import { approvalCommands, undoCommand } from "./approval-commands.ts";
import { workbenchCommands } from "./coding.ts";
import { costCommand, promptCommand, whyCommand } from "./prompt-commands.ts";
import type { Talk } from "./talk.ts";

/** Everything a conversation understands that is not said to the agent. */
export function chatCommands(talk: Talk, screen: Screen): readonly SlashCommand[] {
  const commands: SlashCommand[] = [
    { name: "help", summary: "this list", run: async () => helpLines(commands) },
    promptCommand(talk, screen),
    whyCommand(talk, screen),
    costCommand(talk, screen),
    fileCommand(talk.attachments),
    undoCommand(talk),
    ...approvalCommands(talk, screen),
    ...(talk.coding ? workbenchCommands(talk.coding, screen) : []),
    ...sessionCommands(talk, screen),
    modelCommand(talk, screen),
    { name: "quit", summary: "leave; so does Ctrl-D", run: async () => "leave" },
  ];
  return commands;
}

/** So many of the newest sessions can be gone back to. */
const maxSessions = 20;

/** What can be done with the conversation itself. */
function sessionCommands(talk: Talk, screen: Screen): readonly SlashCommand[] {
  return [
    {
      name: "new",
      summary: "start a new session, without the history so far",
      run: async () => {
        talk.useSession("new");
        return ["The next turn begins a new session."];
      },
    },
    {
      name: "compact",
      usage: "[what to keep above all]",
      summary: "summarise the history now, and continue from the summary",
      run: async (words) => {
        const { before, after } = await talk.compact(words);
        return [
          `The history was summarised: ${counted(before, "token")} became ${grouped(after)}. The next turn continues from the summary.`,
        ];
      },
    },
    {
      name: "resume",
      usage: "[number or id]",
      summary: "list earlier sessions, or go back to one",
      run: async (words) => {
        const sessions = await talk.sessions(maxSessions);
        if (words === "") return listLines(sessions, talk, screen);
        const wanted = findWanted(sessions, words);
        talk.useSession(wanted.id);
        return [`The next turn goes on with ${wanted.id}: ${firstWords(wanted)}`];
      },
    },
  ];
}

function listLines(sessions: readonly SessionOverview[], talk: Talk, screen: Screen): string[] {
  if (sessions.length === 0) return ["There is no earlier session."];
  const rows = sessions.map((one, index) => [
    `${index + 1}${one.id === talk.session() ? " *" : ""}`,
    timeText(one.lastAt),
    one.channel ?? "any",
    String(one.turns),
    firstWords(one),
  ]);
  const table = columns(["", "last (UTC)", "channel", "turns", "first words"], rows, output(screen));
  return [...table, screen.paint.dim("Go back to one with /resume and its number.")];
}

function findWanted(sessions: readonly SessionOverview[], words: string): SessionOverview {
  const found = sessions.find(({ id }, index) => id === words || String(index + 1) === words);
  if (found) return found;
  throw new Problem(
    "usage",
    `There is no session “${preview(words, 60)}” to go back to.`,
    "List them with /resume, and give a number of the list, or an id.",
  );
}

function firstWords({ firstInput }: SessionOverview): string {
  return firstInput === null ? "–" : preview(oneLine(firstInput), 60);
}

/** Shows the model, or goes on with another: the conversation stays, and what that costs is said. */
function modelCommand(talk: Talk, screen: Screen): SlashCommand {
  return {
    name: "model",
    usage: "[provider/model]",
    summary: "show the model, or go on with another in the same session",
    run: async (words) => {
      const before = talk.model().receiver.name;
      if (words !== "") await talk.useModel(words);
      const { receiver } = talk.model();
      const now = `${talk.agent} answers with ${receiver.name}.`;
      if (receiver.name === before) return [now];
      const { says } = receiverChangeQuote(receiver, await talk.historyFor(receiver));
      return [now, ...wrapText(says, screen.width)];
    },
  };
}

const { readFileSync, statSync } = process.getBuiltinModule("node:fs");
const { basename, resolve } = process.getBuiltinModule("node:path");
const { homedir } = process.getBuiltinModule("node:os");

/** `/file cat.png What is this?`: a picture or a file, and words with it. */
function fileCommand(settings: AttachmentSettings): SlashCommand {
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
