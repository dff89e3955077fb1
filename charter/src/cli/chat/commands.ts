import { type AttachmentSettings, type InputPart, usualAttachments } from "../../agent/attachments.ts";
import { receiverChangeQuote } from "../../delivery/prediction.ts";
import { approve, listApprovals, reject } from "../../operations/approvals/approvals.ts";
import { callCells, callColumns, heldFor, toolCells, toolColumns } from "../../operations/approvals/held.ts";
import type { Fields, ValuesOf } from "../../operations/field.ts";
import type { Operation } from "../../operations/operation.ts";
import { columns, oneLine, timeText } from "../../operations/print/columns.ts";
import { hintsHere } from "../../operations/print/command-name.ts";
import { wrapText } from "../../operations/print/plain-text.ts";
import { verdictText } from "../../operations/print/verdict.ts";
import { preview } from "../../prompt/character.ts";
import { findSection, mayAmend } from "../../prompt/charter.ts";
import { quoted } from "../../prompt/fence.ts";
import { counted, grouped, Problem, reasonOf } from "../../prompt/problem.ts";
import type { RecordedAmendment } from "../../store/amendments/amendments.ts";
import { amendableSections, copyScope } from "../../store/scope.ts";
import type { SessionOverview } from "../../store/turns/sessions.ts";
import { helpLines, type SlashCommand } from "../terminal/conversation.ts";
import { output, type Screen } from "../terminal/screen.ts";
import { costCommand, promptCommand, whyCommand } from "./prompt-commands.ts";
import { contextOf, ran, type Talk, workbenchCommands } from "./talk.ts";

/** Commands of a conversation, which are not sent to the agent. */
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

/** Maximum number of sessions that are listed, the newest. */
const maxSessions = 20;

/** Commands about the conversation itself. */
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
        const session = findWanted(sessions, words);
        talk.useSession(session.id);
        return [`The next turn goes on with ${session.id}: ${firstWords(session)}`];
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
  const session = sessions.find(({ id }, index) => id === words || String(index + 1) === words);
  if (session) return session;
  throw new Problem(
    "usage",
    `There is no session “${preview(words, 60)}” to go back to.`,
    "List them with /resume, and give a number of the list, or an id.",
  );
}

function firstWords({ firstInput }: SessionOverview): string {
  return firstInput === null ? "–" : preview(oneLine(firstInput), 60);
}

/** Command that shows the model, or switches to another: the conversation stays, and the cost is shown. */
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

/** Command that sends a picture or a file with a text: `/file cat.png What is this?`. */
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

/** Splits a path from the text after it. The path may be quoted, or have a backslash before spaces, as terminals write it. */
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

/** Reads a file as a part of an input. Its size is checked before it is read; its kind when the turn begins. */
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
    return { file: new Uint8Array(readFileSync(full)), name, picked: true };
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

const nothingWaits = "Nothing is waiting for approval.";

/** Commands about proposals and calls that wait for approval. */
function approvalCommands(talk: Talk, screen: Screen): SlashCommand[] {
  return [
    { name: "approvals", summary: "proposals and tool calls waiting for approval", run: () => list(talk, screen) },
    {
      name: "approve",
      usage: "[id] [mine]",
      summary: "apply the change, or let the tool run; mine: and the picture is your own",
      run: async (words) => {
        const [, given = "", mine] = /^(.*?)\s*(\bmine)?$/.exec(words.trim()) ?? [];
        const id = await idOf(talk, given, "approve");
        return decide(talk, approve, { id, by: talk.user, ...(mine === undefined ? {} : { mine: true }) });
      },
    },
    {
      name: "reject",
      usage: "[id [reason]]",
      summary: "refuse it",
      run: async (words) => {
        const [, given = "", reason] = /^(\S*)\s*([\s\S]*)$/.exec(words) ?? [];
        const id = await idOf(talk, given, "reject");
        return decide(talk, reject, { id, by: talk.user, reason: reason || undefined });
      },
    },
  ];
}

/** Proposals and calls of this agent that wait: this user's, and those that are no user's. */
async function waiting(talk: Talk) {
  const { agent, user } = talk.scope;
  const here = <One extends { readonly scope: { readonly user?: string | undefined } }>(all: readonly One[]) =>
    all.filter((one) => one.scope.user === undefined || one.scope.user === user);
  const query = { agent, status: "waiting", limit: 1000, offset: 0 } as const;
  const { proposals, calls, tools } = await ran(talk, listApprovals, query);
  return { held: here(proposals), calls: here(calls), tools };
}

async function list(talk: Talk, screen: Screen): Promise<string[]> {
  const { held, calls, tools } = await waiting(talk);
  const proposals = held.map(({ id, section, proposal }) => [
    id,
    section,
    proposal.operation.kind,
    proposal.actor,
    proposal.reason ?? "",
  ]);
  const lines = [
    ...(held.length > 0 ? columns(["id", "section", "operation", "by", "reason"], proposals, output(screen)) : []),
    ...(calls.length > 0 ? columns(callColumns, calls.map(callCells), output(screen)) : []),
    ...(tools.length > 0 ? columns(toolColumns, tools.map(toolCells), output(screen)) : []),
  ];
  return lines.length > 0 ? [...lines, "Decide with /approve <id> or /reject <id>."] : [nothingWaits];
}

async function idOf(talk: Talk, given: string, command: string): Promise<string> {
  if (given !== "") return given;
  const { held, calls, tools } = await waiting(talk);
  const [only, ...others] = [...held, ...calls, ...tools];
  if (only && others.length === 0) return only.id;
  throw new Problem(
    "usage",
    only ? "Several are waiting for approval." : nothingWaits,
    only ? `Say which: /${command} <id>. List them with /approvals.` : "List what is waiting with /approvals.",
  );
}

/** Decides about something that is held for this agent, and not for another user, whose decisions are not made in passing. */
async function decide<Input extends Fields, Answer>(
  talk: Talk,
  operation: Operation<Input, Answer>,
  input: ValuesOf<Input> & { readonly id: string },
): Promise<string[]> {
  const { id } = input;
  const { agent, user } = (await heldFor(contextOf(talk), id)).scope;
  if (agent !== talk.scope.agent || (user !== undefined && user !== talk.scope.user))
    throw new Problem(
      "usage",
      `“${id}” is held for ${user === undefined ? agent : `${user} of ${agent}`}.`,
      hintsHere(`Decide it with charter approve ${id}, or charter reject ${id}.`),
    );
  const printed = operation.lines?.(await ran(talk, operation, input), input) ?? [];
  return [...("out" in printed ? printed.out : printed)];
}

/** Command that reverts the session's last amendment, by an amendment like any other. */
function undoCommand(talk: Talk): SlashCommand {
  /** Amendments reverted here, so that a second call goes one further back. */
  const undone = new Set<string>();
  const nameOf = ({ section, revision }: RecordedAmendment) => `${section}/${revision}`;
  return {
    name: "undo",
    summary: "revert the session's last amendment",
    run: async () => {
      for (const one of await undoableAmendments(talk)) {
        if (undone.has(nameOf(one.amendment))) continue;
        if (!one.stands && !one.over) continue;
        if (one.over) return changedSince(talk, one.amendment, one.over);
        const { lines, gone } = await revertAmendment(talk, one.amendment);
        if (gone) undone.add(nameOf(one.amendment));
        return lines;
      }
      return ["This session has made no amendment that is still in effect."];
    },
  };
}

type UndoableAmendment = {
  readonly amendment: RecordedAmendment;
  /** Shows that the section still has the text this amendment gave it. */
  readonly stands: boolean;
  /** Later change by someone else, other than a revert. */
  readonly over: RecordedAmendment | undefined;
};

/** Amendments of the session's turns, newest first. */
async function undoableAmendments({ store, scope, session, declaredTurn }: Talk): Promise<UndoableAmendment[]> {
  const id = session();
  if (id === undefined) return [];
  const turns = new Set(
    (await store.sessions.history(id)).filter(({ told, before }) => !told && !before).map((turn) => turn.id),
  );
  const isOurs = ({ turn }: RecordedAmendment) => turn !== null && turns.has(turn);
  const goesBack = ({ operation }: RecordedAmendment) => operation === "revert" || operation === "reset";
  const { charter } = await declaredTurn();
  const all: UndoableAmendment[] = [];
  for (const placed of amendableSections(charter)) {
    const amendments = await store.history.listWhole(copyScope(placed, scope), placed.section.name, { limit: 100 });
    const words = amendments[0]?.after;
    amendments.forEach((amendment, index) => {
      if (!isOurs(amendment)) return;
      const stands = amendment.after === words;
      const laterChange = amendments.slice(0, index).find((one) => !isOurs(one) && !goesBack(one));
      all.push({ amendment, stands, over: stands ? undefined : laterChange });
    });
  }
  return all.sort((one, other) => (one.amendment.at < other.amendment.at ? 1 : -1));
}

/**
 * Reverts an amendment: as the user if the section is theirs to change, else as the operator, since a person is at the terminal.
 */
async function revertAmendment(
  { store, host, scope, channel, declaredTurn }: Talk,
  { section: name, revision }: RecordedAmendment,
) {
  const actor = mayAmend(findSection((await declaredTurn()).charter, name), "user") ? "user" : "operator";
  const outcome = await store.propose(await host().amendmentContext({ ...scope, channel }), {
    section: name,
    operation: { kind: "revert", to: revision - 1 },
    actor,
    reason: "undone in the terminal",
  });
  const isReverted = outcome.verdict === "accepted" || outcome.verdict === "unchanged";
  return { lines: verdictText(outcome, name).trimEnd().split("\n"), gone: isReverted };
}

function changedSince({ scope }: Talk, { section, revision }: RecordedAmendment, over: RecordedAmendment): string[] {
  const by = `revision ${over.revision}, ${over.operation} by the ${over.actor}`;
  return [
    `“${section}” has changed since this session amended it: ${by}.`,
    hintsHere(
      `To go back all the same: charter revert ${section} --to ${revision - 1} --agent ${scope.agent} --user ${scope.user}`,
    ),
  ];
}
