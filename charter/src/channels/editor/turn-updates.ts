import type { AgentEvent } from "../../agent/agent-event.ts";
import { permissionOf, useText } from "../../agent/turn/permission.ts";
import type { WaitingCall } from "../../agent/turn-input.ts";
import type { ToolCall } from "../../delivery/model.ts";
import { type CallView, callView, ownToolView, withResult } from "./call-view.ts";
import type { SessionUpdate } from "./session-update.ts";
import { turnNotice } from "./turn-notice.ts";

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
