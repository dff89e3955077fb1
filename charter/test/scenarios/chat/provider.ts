import { afterAll, afterEach, beforeAll } from "vitest";
import { type Recorder, type Reply, startRecorder } from "../../../src/testing/strict/recorder.ts";
import { complaint, type Speech, speak } from "../../../src/testing/strict/speech.ts";
import { asksWindow } from "../../agent/extensions/loopback-agent.ts";
import { environmentAt, modelNames } from "../../delivery/loopback.ts";

/** A server on the loopback that stands for the provider of a conversation, for the tests of one file. */

const kind = "openai-compatible";

export const says = (...text: string[]): Reply => ({ body: speak(kind, { text }) });
export const calls = (said: Speech): Reply => ({ body: speak(kind, said) });
export const begins = (text: string, ends: "cut" | "open"): Reply => ({
  body: speak(kind, { text: [text] }).slice(0, 2),
  ends,
});
export const refuses = (status: number, words: string): Reply => ({
  status,
  headers: { "content-type": "application/json", "retry-after": "0" },
  body: complaint(kind, words),
});

export const talkingTo = ["chat", "--user", "bo", "--model", modelNames[kind]];

/** What it answers next, one after the other. */
export function newProvider() {
  let recorder: Recorder;
  let replies: Reply[] = [];
  beforeAll(async () => {
    recorder = await startRecorder({
      answer: (request) =>
        asksWindow(request) ? { status: 404, body: "{}" } : (replies.shift() ?? says("Nothing more to say.")),
    });
  });
  afterEach(() => {
    replies = [];
  });
  afterAll(() => recorder.close());
  return {
    play: (...next: Reply[]) => {
      replies = next;
    },
    env: () => environmentAt(recorder.url),
    requests: () => recorder.requests,
  };
}
