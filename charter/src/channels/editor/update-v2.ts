import type * as acp from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { type CallView, callFields, type FileDiff, resultFields } from "./call-view.ts";
import { gitPatch } from "./git-patch.ts";
import type { SessionUpdate } from "./session-update.ts";

/** An update in version 2 of the protocol, which knows notices, and messages that are taken back. */
export function updateV2(update: SessionUpdate): acp.SessionUpdate {
  switch (update.kind) {
    case "asked":
      return { sessionUpdate: "user_message", messageId: update.message, content: [textOf(update.text)] };
    case "answer":
      return { sessionUpdate: "agent_message_chunk", messageId: update.message, content: textOf(update.text) };
    case "answer-dropped":
      return { sessionUpdate: "agent_message", messageId: update.message, content: [] };
    case "notice":
      return { sessionUpdate: "notice", severity: "info", title: update.title, description: update.text };
    case "call":
      return { sessionUpdate: "tool_call_update", ...callV2(update.call), status: "in_progress" };
    case "result": {
      const { call, output, failed } = update;
      const { diff } = call;
      const isShown = output !== "" && !(diff?.whole && !failed);
      const said = isShown ? [{ type: "content" as const, content: textOf(output) }] : [];
      const content = [...(diff && !failed ? [diffContent(diff)] : []), ...said];
      return {
        sessionUpdate: "tool_call_update",
        ...resultFields(call, output, failed),
        ...(content.length > 0 ? { content } : {}),
      };
    }
  }
}

/** A call as it is first shown, and as a permission is asked for it. */
export function callV2(call: CallView): acp.ToolCallUpdate {
  return { ...callFields(call), ...(call.diff ? { content: [diffContent(call.diff)] } : {}) };
}

function diffContent({ path, before, after, whole }: FileDiff): acp.ToolCallContent {
  const change = before === null ? { operation: "add" as const, path } : { operation: "modify" as const, path };
  // A patch counts the lines of the file, and so needs all of it.
  const text = whole ? gitPatch(path, before, after) : undefined;
  return { type: "diff", changes: [change], ...(text === undefined ? {} : { patch: { format: "git_patch", text } }) };
}

export function textOf(text: string) {
  return { type: "text" as const, text };
}
