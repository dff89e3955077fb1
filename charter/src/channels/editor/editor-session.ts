import { questionOf } from "../../agent/held-question.ts";
import type { AskMode } from "../../agent/turn/ask-reason.ts";
import { askedOf, isPermission, permissionOf, useText } from "../../agent/turn/permission.ts";
import {
  type AgentEvent,
  type ApproveAnswer,
  compactionText,
  type TurnOutcome,
  type WaitingCall,
  type Watcher,
} from "../../agent/turn-interface.ts";
import type { FileAccess } from "../../agent/workspace/workspace.ts";
import { outcomeFacts } from "../../amend/amend.ts";
import type { ToolCall, Usage } from "../../delivery/model.ts";
import type { Host } from "../../host/host.ts";
import type { HostPlace } from "../../host/host-options.ts";
import { preview } from "../../prompt/character.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Notice } from "../../prompt/reading.ts";
import { isWithin } from "../../sources/disk/disk.ts";
import {
  type CallView,
  callView,
  ownToolView,
  type PermissionQuestion,
  questionText,
  replacedPath,
  withResult,
} from "./call-view.ts";

const { lstatSync, readFileSync, realpathSync } = process.getBuiltinModule("node:fs");

type OpenSessionOptions = {
  readonly id: string;
  /** Who runs the agent, in the session's place. */
  readonly host: Host;
  readonly client: EditorClient;
  readonly setup: SessionSetup;
  /** To be told with the first prompt: before, the client does not know the session. */
  readonly notices: readonly Notice[];
};

/** A session that an editor has open: one turn at a time, which can be cancelled. */
export type EditorSession = ReturnType<typeof openEditorSession>;

export const channel = "editor";

export function openEditorSession(options: EditorOptions, opened: OpenSessionOptions) {
  const { user, agent } = options;
  const { id, host, client, setup, notices } = opened;
  const told = new Set<string>();
  /** What is wrong with a file is said once, not with every turn. */
  const isNews = (words: string) => !told.has(words) && told.add(words) !== undefined;
  let running: { readonly stop: AbortController; readonly done: Promise<unknown> } | undefined;
  let waiting = notices;
  let mode = options.ask ?? (setup.root === undefined ? "never" : "writes");

  const take = async (input: string, signal: AbortSignal): Promise<PromptEnd> => {
    let sent: Promise<unknown> = Promise.resolve();
    const tell = (update: SessionUpdate) => {
      sent = client.update(id, update).catch(() => {});
    };
    const notice = ({ code, message }: Notice) => {
      if (isNews(`${code} ${message}`)) tell({ kind: "notice", title: code, text: message });
    };
    for (const one of waiting) notice(one);
    waiting = [];
    await setup.settleTrust((lines) => askTrust(lines, signal, tell));
    const before = (call: ToolCall) => fileBefore(setup.root, replacedPath(call, setup.root));
    const view = createTurnUpdates({ root: setup.root, before }, isNews);
    const on: Watcher = (event) => {
      for (const update of view.updates(event)) tell(update);
    };
    const approve = async (held: WaitingCall, until: AbortSignal) => {
      const call = view.waiting(held);
      const text = questionText(questionOf(held), call);
      const may = held.mayAllow ? { mayAllow: held.tool } : {};
      return client.ask(id, { title: call.title, text, call, ...may }, until);
    };
    const watching = { signal, on, approve, ask: mode };
    const outcome = await host.runTurn({ agent, input, user, channel, session: id }, watching);
    for (const one of setup.faults()) notice(one);
    await sent;
    return endOf(outcome, signal);
  };

  const askTrust = async (lines: readonly string[], signal: AbortSignal, tell: (update: SessionUpdate) => void) => {
    const call = callView(id, { id: "trust", name: "trust", input: "{}" }, undefined);
    const [title = "Trust this directory?", ...others] = lines;
    const shown = { ...call, title };
    const said = await client.ask(id, { title, text: others.join("\n"), call: shown }, signal);
    const output = said ? "It is trusted in this session." : "It is not trusted; charter trust allows it permanently.";
    tell({ kind: "result", call: shown, output, failed: said !== true });
    return said === true;
  };

  const endOf = async (outcome: TurnOutcome, { aborted }: AbortSignal): Promise<PromptEnd> => {
    const cut = outcome.notices.some(({ code }) => code === "answer-cut");
    const finish = cut ? (await host.store.steps.of(outcome.turn)).at(-1)?.result?.finish : undefined;
    const stop = stopReason(outcome, { finish, stopped: aborted });
    const usage = tokenUsage(outcome.usage);
    if (stop !== undefined) return { stop, ...(usage ? { usage } : {}) };
    const { code = "turn-failed", message = "The turn failed.", hint = "Ask again." } = outcome.problem ?? {};
    throw new Problem(code, message, hint);
  };

  const checkIdle = (): void => {
    if (!running) return;
    const hint = "Wait until it has, or cancel it first.";
    throw new Problem("session-busy", `The session “${id}” is still answering.`, hint);
  };

  const cancel = async (): Promise<void> => {
    running?.stop.abort();
    await running?.done;
  };

  return {
    id,
    root: setup.root,
    mode: () => mode,
    setMode: (wanted: AskMode) => {
      mode = wanted;
    },
    checkIdle,
    prompt: async (input: string): Promise<PromptEnd> => {
      checkIdle();
      const stop = new AbortController();
      const turn = take(input, stop.signal).catch((error: unknown): PromptEnd => {
        if (stop.signal.aborted) return { stop: "cancelled" };
        throw error;
      });
      running = { stop, done: turn.catch(() => {}) };
      try {
        return await turn;
      } finally {
        running = undefined;
      }
    },
    cancel,
    close: async () => {
      await cancel();
      setup.close();
    },
  };
}

/** Longer ones are shown as if they were new. */
const maxBytes = 1_048_576;

/** What a text file in the directory holds now, for an editor to show what a call changes in it; null for all others. */
function fileBefore(root: string | undefined, path: string | undefined): string | null {
  if (root === undefined || path === undefined) return null;
  try {
    const real = realpathSync.native(path);
    if (!isWithin(realpathSync.native(root), real)) return null;
    const stat = lstatSync(real);
    if (!stat.isFile() || stat.size > maxBytes) return null;
    const bytes = readFileSync(real);
    return bytes.includes(0) ? null : bytes.toString("utf8");
  } catch {
    return null;
  }
}

type TurnUpdatesOptions = {
  /** The directory it works in, where it works in one. */
  readonly root?: string | undefined;
  /** What a file holds that a call would replace; null where there is none, or it is not to be shown. */
  readonly before: (call: ToolCall) => string | null;
};

/**
 * What an editor is shown of one turn, event by event: the answer as it is written, each call and what it came to, and
 * notices, each once a session.
 */
export function createTurnUpdates({ root, before }: TurnUpdatesOptions, isNews: (words: string) => boolean) {
  const calls = new Map<string, CallView>();
  let message = 0;
  let written = "";
  let latest: CallView | undefined;
  const messageOf = (turn: string) => `${turn}/${message}`;
  const nextMessage = () => {
    if (written !== "") message++;
    written = "";
  };
  const answer = (turn: string, text: string): SessionUpdate[] => {
    written += text;
    return text === "" ? [] : [{ kind: "answer", message: messageOf(turn), text }];
  };

  const updates = (event: AgentEvent): SessionUpdate[] => {
    const { turn } = event;
    switch (event.kind) {
      case "draft":
        return answer(turn, event.text);
      case "draft-dropped": {
        const dropped = { kind: "answer-dropped", message: messageOf(turn), reason: event.reason } as const;
        nextMessage();
        return [dropped];
      }
      case "tool-call": {
        nextMessage();
        const view = callView(turn, event.call, root, before(event.call));
        calls.set(event.call.id, view);
        latest = view;
        return [{ kind: "call", call: view }];
      }
      case "tool-result": {
        const { call: id, name, output, failed = false } = event.result;
        const view = calls.get(id) ?? callView(turn, { id, name, input: "{}" }, root);
        return [{ kind: "result", call: failed ? view : withResult(view, output), output, failed }];
      }
      case "own-tool": {
        nextMessage();
        const view = ownToolView(turn, event.use);
        const known = calls.has(view.id);
        calls.set(view.id, view);
        const { status } = event.use;
        if (status === "pending" || status === "running") return known ? [] : [{ kind: "call", call: view }];
        const began: SessionUpdate[] = known ? [] : [{ kind: "call", call: view }];
        return [...began, { kind: "result", call: view, output: "", failed: status === "failed" }];
      }
      case "turn-end":
        return event.outcome.reply === null ? [] : answer(turn, missingOf(event.outcome.reply, written));
      default: {
        const notice = turnNotice(event);
        return notice && isNews(`${notice.title} ${notice.text}`) ? [{ kind: "notice", ...notice }] : [];
      }
    }
  };
  return {
    updates,
    /** How a person is shown what waits for them: the call that is being made, or what an agent over ACP asks to do. */
    waiting: ({ id, tool, input }: WaitingCall): CallView => {
      const asked = permissionOf({ tool, input });
      if (asked) {
        const use = { ...asked, id, title: useText(asked), status: "pending", foreign: true } as const;
        return { ...ownToolView("held", use), input: asked.input ?? {} };
      }
      if (latest?.tool === tool) return latest;
      return callView("held", { id, name: tool, input: JSON.stringify(input) }, root);
    },
  };
}

/** What of an answer was not written yet: all of it, where the model writes none before it has all. */
function missingOf(reply: string, written: string): string {
  if (reply.startsWith(written)) return reply.slice(written.length);
  return reply.trim() === written.trim() ? "" : `\n\n${reply}`;
}

type NoticeText = { readonly title: string; readonly text: string };

/** What there is to know of an event besides the answer and its calls; nothing of those that need no word. */
function turnNotice(event: AgentEvent): NoticeText | undefined {
  switch (event.kind) {
    case "proposed":
      return proposalNotice(event);
    case "tool-held":
      return {
        title: "held",
        text: `${heldText(event.call)}: charter approve ${event.held}, or charter reject ${event.held}.`,
      };
    case "permission":
      return permissionNotice(event);
    case "tainted":
      return { title: "untrusted text", text: `${event.reason} Changes from now on need approval.` };
    case "retry":
      return {
        title: "asked again",
        text: `In ${(event.waitMs / 1000).toFixed(1)} s (attempt ${event.attempt + 1}): ${preview(event.fault.message, 200)}`,
      };
    case "compacted":
      return { title: event.leftOut ? "left out" : "summarised", text: compactionText(event) };
    case "hook-failed":
      return { title: `hook ${event.hook}, ${event.moment}`, text: event.reason };
    case "notice":
      return { title: event.notice.code, text: event.notice.message };
    default:
      return undefined;
  }
}

function heldText({ name, input }: ToolCall): string {
  const asks = isPermission({ tool: name }) ? askedOf({ tool: name, input: JSON.parse(input) }) : undefined;
  return asks === undefined ? `${name} is not run until it is approved` : `The agent ${asks}. It was told no for now`;
}

/** One that waits for a person is told of by what waits. */
function permissionNotice({
  asked,
  answer,
  held,
}: Extract<AgentEvent, { kind: "permission" }>): NoticeText | undefined {
  if (answer === "allow" || held !== undefined) return undefined;
  return { title: "not allowed", text: `${asked.kind}: ${preview(asked.title, 200)}` };
}

function proposalNotice({ section, outcome }: Extract<AgentEvent, { kind: "proposed" }>): NoticeText {
  const { refusals, held } = outcomeFacts(outcome, section);
  const reasons = refusals.map(({ because }) => because).join(" ");
  switch (outcome.verdict) {
    case "accepted":
      return { title: "amended", text: `“${section}” is at revision ${outcome.revision}.` };
    case "unchanged":
      return { title: "unchanged", text: `“${section}” says exactly this already.` };
    case "refused":
      return { title: "refused", text: `“${section}” stays as it is. ${reasons}` };
    case "held": {
      const how = held === undefined ? "" : ` Decide with charter approve ${held}, or charter reject ${held}.`;
      return { title: "held", text: `“${section}” is unchanged until it is approved. ${reasons}${how}` };
    }
  }
}

/** What an editor talks to: one agent of a host, for one user. */
export type EditorOptions = {
  readonly host: Host;
  readonly agent: string;
  readonly user: string;
  /** The mode that sessions begin in; unless given, that of whoever works in files is to ask before changes. */
  readonly ask?: AskMode | undefined;
  readonly setUp: SetUpSession;
};

/** Asks whether a directory is trusted this once, with what it brings. */
type AskTrust = (lines: readonly string[]) => Promise<boolean>;

/** What an agent needs for one session of an editor, in the directory the session is for. */
type SessionSetup = {
  /** Where it is asked. */
  readonly place: HostPlace;
  /** The directory it works in; nothing for an agent that works in none. */
  readonly root?: string;
  /** Asks, where the directory brings what nobody has trusted yet; what it brings is used from then on. */
  readonly settleTrust: (ask: AskTrust) => Promise<void>;
  /** What went wrong since this was last called. */
  readonly faults: () => readonly Notice[];
  readonly close: () => void;
};

/** Makes one for a directory. A Problem says why that cannot be. */
export type SetUpSession = (cwd: string, files: FileAccess | undefined) => Promise<SessionSetup>;

/** The client at the other end, in whichever version of the protocol it speaks. */
export type EditorClient = {
  /** As it names itself. */
  readonly name: string;
  readonly update: (session: string, update: SessionUpdate) => Promise<void>;
  /** Asks the person there; nothing where they gave no answer. */
  readonly ask: (session: string, question: PermissionQuestion, signal: AbortSignal) => Promise<ApproveAnswer>;
  /** Files as the editor has them open, where it offers that. */
  readonly files?: (session: () => string) => FileAccess | undefined;
};

/** Something an editor shows of a session, in no version of the protocol yet. */
export type SessionUpdate =
  /** Words of the user, or a piece of the agent's. Pieces with the same `message` belong together. */
  | { readonly kind: "asked" | "answer"; readonly message: string; readonly text: string }
  /** What was written under this `message` is none of the answer. */
  | { readonly kind: "answer-dropped"; readonly message: string; readonly reason: string }
  /** Something to know that is no part of the answer. */
  | { readonly kind: "notice"; readonly title: string; readonly text: string }
  | { readonly kind: "call"; readonly call: CallView }
  | { readonly kind: "result"; readonly call: CallView; readonly output: string; readonly failed: boolean };

/** Why a turn ended, in the protocol's words. */
type StopReason = "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled";

/** How a turn of an editor ended, and what it used where the provider says so. */
export type PromptEnd = { readonly stop: StopReason; readonly usage?: TokenUsage };

/** Tokens by kind: those from and into the cache are not among the input. */
type TokenUsage = {
  readonly totalTokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedReadTokens?: number;
  readonly cachedWriteTokens?: number;
};

/** The reason of a turn that came to an end; nothing of one that went wrong. `finish`: how the last answer ended. */
export function stopReason(
  { state, problem }: Pick<TurnOutcome, "state" | "problem">,
  { finish, stopped }: { readonly finish?: unknown; readonly stopped: boolean },
): StopReason | undefined {
  if (stopped) return "cancelled";
  if (state === "answered")
    return finish === "length" ? "max_tokens" : finish === "content-filter" ? "refusal" : "end_turn";
  if (problem?.code === "turn-steps") return "max_turn_requests";
  // An extension took the input itself: nothing was asked, and nothing failed.
  return problem?.code === "input-handled" ? "end_turn" : undefined;
}

/** What the provider counted; nothing where it counted nothing. */
export function tokenUsage({ input, read, written, output }: Usage): TokenUsage | undefined {
  if (input === null && output === null) return undefined;
  const [all, fromCache, toCache, out] = [input, read, written, output].map((count) => count ?? 0) as [
    number,
    number,
    number,
    number,
  ];
  return {
    totalTokens: Math.max(all, fromCache + toCache) + out,
    inputTokens: Math.max(0, all - fromCache - toCache),
    outputTokens: out,
    ...(read === null ? {} : { cachedReadTokens: read }),
    ...(written === null ? {} : { cachedWriteTokens: written }),
  };
}
