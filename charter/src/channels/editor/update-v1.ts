import type * as acp from "@agentclientprotocol/sdk/unstable";
import { type CallView, callFields, type FileDiff, resultFields } from "./call-view.ts";
import type { SessionUpdate } from "./session-update.ts";

/** An update in version 1 of the protocol. Notices are thoughts there: every client shows those apart from the answer. */
export function updateV1(update: SessionUpdate): acp.SessionUpdate {
  switch (update.kind) {
    case "asked":
      return { sessionUpdate: "user_message_chunk", messageId: update.message, content: textBlock(update.text) };
    case "answer":
      return { sessionUpdate: "agent_message_chunk", messageId: update.message, content: textBlock(update.text) };
    case "answer-dropped":
      return thought(`What was written above is dropped: ${update.reason}`);
    case "notice":
      return thought(`${update.title}: ${update.text}`);
    case "call":
      return { sessionUpdate: "tool_call", ...callV1(update.call), status: "in_progress" };
    case "result": {
      const { call, output, failed } = update;
      const { diff } = call;
      const said = output === "" ? [] : [{ type: "content" as const, content: textBlock(output) }];
      const content = diff && !failed ? [diffContent(diff)] : said;
      return {
        sessionUpdate: "tool_call_update",
        ...resultFields(call, output, failed),
        ...(content.length > 0 ? { content } : {}),
      };
    }
  }
}

/** A call as it is first shown, and as a permission is asked for it. */
export function callV1(call: CallView) {
  return { ...callFields(call), ...(call.diff ? { content: [diffContent(call.diff)] } : {}) };
}

function diffContent({ path, before, after }: FileDiff) {
  return { type: "diff" as const, path, oldText: before, newText: after };
}

function thought(text: string): acp.SessionUpdate {
  return { sessionUpdate: "agent_thought_chunk", content: textBlock(`${text}\n`) };
}

export function textBlock(text: string) {
  return { type: "text" as const, text };
}
