import { expect, test } from "vitest";
import { updateV1 } from "./agent-v1.ts";
import { updateV2 } from "./connection.ts";
import type { SessionUpdate } from "./editor-session.ts";

const call = {
  id: "t/c",
  tool: "write",
  title: "write a",
  kind: "edit",
  places: [{ path: "/w/a" }],
  diff: { path: "/w/a", before: null, after: "new\n", whole: true },
  input: { path: "a" },
} as const;
const edit = { ...call, diff: { path: "/w/a", before: "old", after: "new", whole: false } } as const;
const text = (words: string) => ({ type: "text", text: words });
const diff = { type: "diff", path: "/w/a", oldText: null, newText: "new\n" };
const patch = {
  type: "diff",
  changes: [{ operation: "add", path: "/w/a" }],
  patch: {
    format: "git_patch",
    text: "diff --git a/w/a b/w/a\nnew file mode 100644\n--- /dev/null\n+++ b/w/a\n@@ -0,0 +1,1 @@\n+new\n",
  },
};
const shown = { toolCallId: "t/c", title: "write a", name: "write", kind: "edit", rawInput: { path: "a" } };
const locations = [{ path: "/w/a" }];

const rows: readonly (readonly [SessionUpdate, unknown, unknown])[] = [
  [
    { kind: "asked", message: "m", text: "Hi" },
    { sessionUpdate: "user_message_chunk", messageId: "m", content: text("Hi") },
    { sessionUpdate: "user_message", messageId: "m", content: [text("Hi")] },
  ],
  [
    { kind: "answer", message: "m", text: "Hi" },
    { sessionUpdate: "agent_message_chunk", messageId: "m", content: text("Hi") },
    { sessionUpdate: "agent_message_chunk", messageId: "m", content: text("Hi") },
  ],
  [
    { kind: "answer-dropped", message: "m", reason: "It was cut." },
    { sessionUpdate: "agent_thought_chunk", content: text("What was written above is dropped: It was cut.\n") },
    { sessionUpdate: "agent_message", messageId: "m", content: [] },
  ],
  [
    { kind: "notice", title: "held", text: "It waits." },
    { sessionUpdate: "agent_thought_chunk", content: text("held: It waits.\n") },
    { sessionUpdate: "notice", severity: "info", title: "held", description: "It waits." },
  ],
  [
    { kind: "call", call },
    { sessionUpdate: "tool_call", ...shown, locations, content: [diff], status: "in_progress" },
    { sessionUpdate: "tool_call_update", ...shown, locations, content: [patch], status: "in_progress" },
  ],
  [
    { kind: "result", call, output: "Created.", failed: false },
    {
      sessionUpdate: "tool_call_update",
      toolCallId: "t/c",
      status: "completed",
      content: [diff],
      locations,
      rawOutput: { output: "Created." },
    },
    {
      sessionUpdate: "tool_call_update",
      toolCallId: "t/c",
      status: "completed",
      content: [patch],
      locations,
      rawOutput: { output: "Created." },
    },
  ],
  [
    { kind: "result", call: edit, output: "No.", failed: true },
    {
      sessionUpdate: "tool_call_update",
      toolCallId: "t/c",
      status: "failed",
      content: [{ type: "content", content: text("No.") }],
      locations,
      rawOutput: { output: "No." },
    },
    {
      sessionUpdate: "tool_call_update",
      toolCallId: "t/c",
      status: "failed",
      content: [{ type: "content", content: text("No.") }],
      locations,
      rawOutput: { output: "No." },
    },
  ],
];

test.each(rows)("%j in both versions of the protocol", (update, first, second) => {
  expect(updateV1(update)).toEqual(first);
  expect(updateV2(update)).toEqual(second);
});
