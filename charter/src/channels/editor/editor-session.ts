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
  /** The host that runs the agent, in the session's place. */
  readonly host: Host;
  readonly client: EditorClient;
  readonly setup: SessionSetup;
  /** Notices for the first prompt: before it, the client does not know the session. */
  readonly notices: readonly Notice[];
};

/** A session that an editor has open: one turn at a time, which can be cancelled. */
export type EditorSession = ReturnType<typeof openEditorSession>;

export const channel = "editor";

export function openEditorSession(options: EditorOptions, opened: OpenSessionOptions) {
  const { user, agent } = options;
  const { id, host, client, setup, notices } = opened;
  const seenNotices = new Set<string>();
  /** Reports a fault of a file once, and not with every turn. */
  const isNews = (words: string) => !seenNotices.has(words) && seenNotices.add(words) !== undefined;
  let running: { readonly stop: AbortController; readonly done: Promise<unknown> } | undefined;
  let waiting = notices;
  let mode = options.ask ?? (setup.root === undefined ? "never" : "writes");

  const take = async (input: string, signal: AbortSignal): Promise<PromptEnd> => {
    let sent: Promise<unknown> = Promise.resolve();
    const send = (update: SessionUpdate) => {
      sent = client.update(id, update).catch(() => {});
    };
    const notice = ({ code, message }: Notice) => {
      if (isNews(`${code} ${message}`)) send({ kind: "notice", title: code, text: message });
    };
    for (const one of waiting) notice(one);
    waiting = [];
    await setup.settleTrust((lines) => askTrust(lines, signal, send));
    const before = (call: ToolCall) => fileBefore(setup.root, replacedPath(call, setup.root));
    const view = createTurnUpdates({ root: setup.root, before }, isNews);
    const on: Watcher = (event) => {
      for (const update of view.updates(event)) send(update);
    };
    const approve = async (held: WaitingCall, until: AbortSignal) => {
      const call = view.waiting(held);
      const text = questionText(questionOf(held), call);
      const may = {
        ...(held.mayAllow && { mayAllow: held.tool }),
        ...(held.ofPicture && { ofPicture: true as const }),
      };
      return client.ask(id, { title: call.title, text, call, ...may }, until);
    };
    const watching = { signal, on, approve, ask: mode };
    const outcome = await host.runTurn({ agent, input, user, channel, session: id }, watching);
    for (const one of setup.faults()) notice(one);
    await sent;
    return endOf(outcome, signal);
  };

  const askTrust = async (lines: readonly string[], signal: AbortSignal, send: (update: SessionUpdate) => void) => {
    const call = callView(id, { id: "trust", name: "trust", input: "{}" }, undefined);
    const [title = "Trust this directory?", ...others] = lines;
    const shown = { ...call, title };
    const decision = await client.ask(id, { title, text: others.join("\n"), call: shown }, signal);
    const output = decision
      ? "It is trusted in this session."
      : "It is not trusted; charter trust allows it permanently.";
    send({ kind: "result", call: shown, output, failed: decision !== true });
    return decision === true;
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

/** Maximum bytes of a file that is compared; a larger one is shown as if it were new. */
const maxBytes = 1_048_576;

/** Reads a text file in the directory, for an editor to show what a call changes in it; null for all other files. */
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
  /** Reads a file that a call would replace; null where there is none, or it is not to be shown. */
  readonly before: (call: ToolCall) => string | null;
};

/**
 * Converts the events of one turn for an editor: the answer as it is written, each call with its result, and notices, each once a
 * session.
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
        const opening: SessionUpdate[] = known ? [] : [{ kind: "call", call: view }];
        return [...opening, { kind: "result", call: view, output: "", failed: status === "failed" }];
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
    /** Describes a call that waits for a person: the current one, or the request of an agent over ACP. */
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

/** Returns the part of an answer that was not streamed: all of it, where the model streams nothing. */
function missingOf(reply: string, written: string): string {
  if (reply.startsWith(written)) return reply.slice(written.length);
  return reply.trim() === written.trim() ? "" : `\n\n${reply}`;
}

type NoticeText = { readonly title: string; readonly text: string };

/** Describes an event besides the answer and its calls; undefined for events that need no notice. */
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

/** Describes a denied permission; one that waits for a person is described where it waits. */
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

/** Options of an editor's server: one agent of a host, for one user. */
export type EditorOptions = {
  readonly host: Host;
  readonly agent: string;
  readonly user: string;
  /** The initial mode of sessions; by default “ask before changes” for an agent that works in files. */
  readonly ask?: AskMode | undefined;
  readonly setUp: SetUpSession;
};

/** Asks once whether a directory is trusted, and shows what is in it. */
type AskTrust = (lines: readonly string[]) => Promise<boolean>;

/** The setup of an agent for one session of an editor, in the session's directory. */
type SessionSetup = {
  /** The place in the host where turns are run. */
  readonly place: HostPlace;
  /** The directory it works in; undefined for an agent that works in none. */
  readonly root?: string;
  /** Asks about anything untrusted in the directory; what is allowed is used from then on. */
  readonly settleTrust: (ask: AskTrust) => Promise<void>;
  /** Returns the faults since the last call. */
  readonly faults: () => readonly Notice[];
  readonly close: () => void;
};

/** Sets up a session in a directory, or throws a Problem that says why that cannot be. */
export type SetUpSession = (cwd: string, files: FileAccess | undefined) => Promise<SessionSetup>;

/** The client at the other end, in whichever version of the protocol it speaks. */
export type EditorClient = {
  /** Name that the client gives itself. */
  readonly name: string;
  readonly update: (session: string, update: SessionUpdate) => Promise<void>;
  /** Asks the person there; undefined where they gave no answer. */
  readonly ask: (session: string, question: PermissionQuestion, signal: AbortSignal) => Promise<ApproveAnswer>;
  /** Accesses files as the editor has them open, where it offers that. */
  readonly files?: (session: () => string) => FileAccess | undefined;
};

/** An update of a session for an editor, in a form independent of the protocol's version. */
export type SessionUpdate =
  /** A text of the user, or a piece of the agent's answer. Pieces with the same `message` belong together. */
  | { readonly kind: "asked" | "answer"; readonly message: string; readonly text: string }
  /** Shows that the text written under this `message` is not part of the answer. */
  | { readonly kind: "answer-dropped"; readonly message: string; readonly reason: string }
  /** A notice that is not part of the answer. */
  | { readonly kind: "notice"; readonly title: string; readonly text: string }
  | { readonly kind: "call"; readonly call: CallView }
  | { readonly kind: "result"; readonly call: CallView; readonly output: string; readonly failed: boolean };

/** The reason why a turn ended, in the protocol's words. */
type StopReason = "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled";

/** The end of an editor's turn, with its usage where the provider reports it. */
export type PromptEnd = { readonly stop: StopReason; readonly usage?: TokenUsage };

/** Tokens by kind: those from and into the cache are not part of the input. */
type TokenUsage = {
  readonly totalTokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedReadTokens?: number;
  readonly cachedWriteTokens?: number;
};

/** Returns the reason of a turn that came to an end; undefined for one that failed. `finish`: how the last answer ended. */
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

/** Converts the provider's count; undefined where it counted nothing. */
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
