import fc from "fast-check";
import { expect, test } from "vitest";
import { readUpdate } from "./session-update.ts";

const text = (words: string) => ({ type: "text", text: words });

const updates: readonly (readonly [update: unknown, read: unknown])[] = [
  [
    { sessionUpdate: "agent_message_chunk", content: text("a") },
    { kind: "text", message: null, text: "a" },
  ],
  [
    { sessionUpdate: "agent_message_chunk", content: text("a"), messageId: "m" },
    { kind: "text", message: "m", text: "a" },
  ],
  [{ sessionUpdate: "agent_message_chunk", content: { type: "image", data: "" } }, undefined],
  [{ sessionUpdate: "agent_thought_chunk", content: text("a") }, undefined],
  [{ sessionUpdate: "user_message_chunk", content: text("a") }, undefined],
  [
    { sessionUpdate: "agent_message", messageId: "m", content: [text("a"), { type: "image" }, text("b")] },
    { kind: "message", message: "m", text: "ab" },
  ],
  [
    {
      sessionUpdate: "tool_call",
      toolCallId: "t",
      title: "Read",
      kind: "read",
      status: "in_progress",
      locations: [{ path: "/a" }, {}],
      rawInput: 1,
      name: "n",
    },
    {
      kind: "tool",
      id: "t",
      told: { title: "Read", kind: "read", status: "running", paths: ["/a"], input: 1, name: "n" },
    },
  ],
  [
    { sessionUpdate: "tool_call_update", toolCallId: "t", status: "cancelled" },
    { kind: "tool", id: "t", told: { status: "failed" } },
  ],
  [
    { sessionUpdate: "tool_call_update", toolCallId: "t", status: "toString", kind: null },
    { kind: "tool", id: "t", told: {} },
  ],
  [{ sessionUpdate: "tool_call", title: "no id" }, undefined],
  [
    { sessionUpdate: "usage_update", cost: { amount: 0.5, currency: "USD" } },
    { kind: "cost", dollars: 0.5 },
  ],
  [{ sessionUpdate: "usage_update", cost: { amount: 0.5, currency: "EUR" } }, undefined],
  [{ sessionUpdate: "usage_update", cost: { amount: -1, currency: "USD" } }, undefined],
  [{ sessionUpdate: "state_update", state: "running" }, { kind: "running" }],
  [
    { sessionUpdate: "state_update", state: "idle", stopReason: "error", error: { message: "no" }, usage: 1 },
    { kind: "idle", stop: "error", usage: 1, error: "no" },
  ],
  [
    { sessionUpdate: "state_update", state: "idle" },
    { kind: "idle", stop: null, usage: undefined, error: null },
  ],
  [{ sessionUpdate: "plan", entries: [] }, undefined],
  [null, undefined],
  ["agent_message_chunk", undefined],
];

test.each(updates)("an update is read: %j", (update, read) => {
  expect(readUpdate(update)).toEqual(read);
});

test("anything may come", () => {
  const kinds = [
    "agent_message_chunk",
    "agent_message",
    "tool_call",
    "tool_call_update",
    "usage_update",
    "state_update",
  ];
  const fields = ["content", "messageId", "toolCallId", "locations", "status", "cost", "state", "stopReason", "error"];
  const update = fc.record({
    sessionUpdate: fc.constantFrom(...kinds),
    of: fc.dictionary(fc.constantFrom(...fields), fc.anything()),
  });
  fc.assert(
    fc.property(update, ({ sessionUpdate, of }) => {
      const read = readUpdate({ sessionUpdate, ...of });
      expect(["text", "message", "tool", "cost", "running", "idle", undefined]).toContain(read?.kind);
    }),
  );
});
