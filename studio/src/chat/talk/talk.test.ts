import type { UiChunk } from "charter/answers";
import { expect, test } from "vitest";
import { begun, take } from "./talk.ts";

const metadata = { turn: "t1", session: "s1" };
const tool = { toolCallId: "c1", providerExecuted: true, dynamic: true } as const;
const after = (...chunks: readonly UiChunk[]) => chunks.reduce(take, begun);

test("text comes piece by piece, and the end is said", () => {
  const pieces: UiChunk[] = [
    { type: "start", messageId: "t1", messageMetadata: metadata },
    { type: "start-step" },
    { type: "text-delta", id: "x", delta: "Good " },
    { type: "text-delta", id: "x", delta: "morning." },
  ];
  expect(after(...pieces)).toEqual({ turn: "t1", session: "s1", text: "Good morning.", happened: [], before: 0 });
  expect(after(...pieces, { type: "finish", finishReason: "stop" }).ended).toBe("answered");
});

test("a draft that is withdrawn goes, with what happened in its step", () => {
  const reply = after(
    { type: "start-step" },
    { type: "text-delta", id: "x", delta: "I will" },
    { type: "reset-step" },
    { type: "data-aside", data: { text: "I will look." } },
    { type: "tool-input-available", toolName: "read_memory", input: {}, ...tool },
  );
  expect(reply).toEqual({
    text: "",
    busy: "Looking through your notes…",
    happened: [
      { kind: "aside", text: "I will look." },
      { kind: "tool", id: "c1", name: "read_memory", state: "running" },
    ],
    before: 0,
  });
});

test("a call that waits for a yes did not fail, and is told once", () => {
  const reply = after(
    { type: "tool-input-available", toolName: "send_mail", input: {}, ...tool },
    { type: "data-held", id: "h1", data: { held: "h1", what: "call", tool: "send_mail" } },
    { type: "tool-output-error", errorText: "held", ...tool },
  );
  expect(reply.happened).toEqual([
    { kind: "tool", id: "c1", name: "send_mail", state: "waits" },
    { kind: "held", held: "h1" },
  ]);
});

test("a note that is kept as the user's own words is told, with the words and how to undo it", () => {
  const message = "Kept as your own words: “She is called Ida.” To undo it, forget note n1.";
  expect(after({ type: "data-notice", data: { code: "own-words", message } }).happened).toEqual([
    { kind: "notice", text: message },
  ]);
});

test("notices say something to a reader, or nothing", () => {
  const notice = (code: string): UiChunk => ({ type: "data-notice", data: { code, message: "For operators." } });
  expect(after(notice("answer-cut"), notice("session-new")).happened).toEqual([
    { kind: "notice", text: "The answer was cut off: it became too long." },
  ]);
});

test("what failed or was stopped leaves no text that is no answer", () => {
  const text: UiChunk = { type: "text-delta", id: "x", delta: "Half" };
  expect(after(text, { type: "error", errorText: "No." })).toMatchObject({ text: "", ended: { failed: "No." } });
  expect(after(text, { type: "abort", reason: "stopped" })).toMatchObject({ text: "", ended: "stopped" });
});
