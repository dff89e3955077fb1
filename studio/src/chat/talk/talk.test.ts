import type { UiChunk } from "charter/answers";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { begun } from "../../kit/unfold.ts";
import { Notice } from "./exchange.tsx";
import { take } from "./talk.ts";

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
  expect(after(...pieces)).toEqual({
    turn: "t1",
    session: "s1",
    text: "Good morning.",
    happened: [],
    before: 0,
    calls: {},
  });
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
      { kind: "tool", name: "read_memory", input: {}, state: "running" },
    ],
    before: 0,
    calls: { c1: 1 },
  });
});

test("a call that waits for a yes did not fail, and is told once", () => {
  const reply = after(
    { type: "tool-input-available", toolName: "send_mail", input: {}, ...tool },
    { type: "data-held", id: "h1", data: { held: "h1", what: "call", tool: "send_mail" } },
    { type: "tool-output-error", errorText: "held", ...tool },
  );
  expect(reply.happened).toEqual([
    { kind: "tool", name: "send_mail", input: {}, output: "held", state: "waits" },
    { kind: "held", held: "h1", what: "call", name: "send_mail" },
  ]);
});

const shown = (code: string, message = "For operators.") => renderToStaticMarkup(Notice({ code, message }));

test("a note that is kept as the user's own words is told, with the words and how to undo it", () => {
  expect(shown("own-words", "Kept as your own words: “She is called Ida.”")).toContain(
    "Kept as your own words: “She is called Ida.”",
  );
});

test("notices say something to a reader, or nothing", () => {
  expect(shown("answer-cut")).toContain("The answer was cut off: it became too long.");
  expect(shown("session-new")).toBe("");
});

test("what failed or was stopped leaves no text that is no answer", () => {
  const text: UiChunk = { type: "text-delta", id: "x", delta: "Half" };
  expect(after(text, { type: "error", errorText: "No." })).toMatchObject({ text: "", ended: { because: "No." } });
  expect(after(text, { type: "abort", reason: "stopped" })).toMatchObject({ text: "", ended: "stopped" });
});
