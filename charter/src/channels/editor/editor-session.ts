import type { Watcher } from "../../agent/agent-event.ts";
import { questionOf } from "../../agent/held-question.ts";
import type { TurnOutcome } from "../../agent/outcome.ts";
import type { AskMode } from "../../agent/turn/ask-reason.ts";
import type { WaitingCall } from "../../agent/turn-input.ts";
import type { ToolCall } from "../../delivery/model.ts";
import type { Host } from "../../host/host.ts";
import type { Notice } from "../../prompt/notice.ts";
import { Problem } from "../../prompt/problem.ts";
import { callView, replacedPath } from "./call-view.ts";
import type { EditorClient } from "./editor-client.ts";
import type { EditorOptions } from "./editor-options.ts";
import { fileBefore } from "./file-before.ts";
import { questionText } from "./permission.ts";
import type { SessionSetup } from "./session-setup.ts";
import type { SessionUpdate } from "./session-update.ts";
import { type PromptEnd, stopReason, tokenUsage } from "./stop-reason.ts";
import { createTurnUpdates } from "./turn-updates.ts";

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
