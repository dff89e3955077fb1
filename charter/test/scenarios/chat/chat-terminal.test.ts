import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { asksWindow } from "../../agent/extensions/loopback-agent.ts";
import { newFolder } from "../../chat.ts";
import { charterMeanwhile } from "../../cli.ts";
import { environmentAt, modelNames } from "../../delivery/loopback.ts";
import { type Recorder, type Reply, startRecorder } from "../../delivery/recorder.ts";
import { complaint, type Said, speak } from "../../delivery/speech.ts";
import { charterAtTerminal, hasTerminal } from "../../terminal.ts";

/** Conversations with a model, on a real terminal and in a pipe; a server on the loopback stands for the provider. */

const kind = "openai-compatible";
const says = (...text: string[]): Reply => ({ body: speak(kind, { text }) });
const calls = (said: Said): Reply => ({ body: speak(kind, said) });
const begins = (text: string, ends: "cut" | "open"): Reply => ({
  body: speak(kind, { text: [text] }).slice(0, 2),
  ends,
});
const busy: Reply = {
  status: 429,
  headers: { "content-type": "application/json", "retry-after": "0" },
  body: complaint(kind, "Too many at once."),
};

let provider: Recorder;
let replies: Reply[] = [];
beforeAll(async () => {
  provider = await startRecorder({
    answer: (request) =>
      asksWindow(request) ? { status: 404, body: "{}" } : (replies.shift() ?? says("Nothing more to say.")),
  });
});
afterEach(() => {
  replies = [];
});
afterAll(() => provider.close());

const args = ["chat", "--user", "bo", "--model", modelNames[kind]];

describe("in a pipe", () => {
  const folder = newFolder();
  const chat = (stdin: string) => charterMeanwhile(args, { cwd: folder.path, stdin, env: environmentAt(provider.url) });

  test("a busy provider and a cut stream are retried, and only the answer is on standard output", async () => {
    replies = [busy, begins("Half of an", "cut"), says("All of ", "an answer.")];
    const { code, stdout, stderr } = await chat("hello\n");
    expect([code, stdout]).toEqual([0, "All of an answer.\n"]);
    expect(stderr.split("\n").filter((line) => line.startsWith("  ↻ "))).toEqual([
      expect.stringMatching(/↻ asked again in 0\.0 s \(attempt 2\): .*Too many at once\.$/),
      expect.stringMatching(/↻ asked again in \S+ s \(attempt 3\): .* broke off before its end\.$/),
    ]);
  });

  test("words before a call are no answer", async () => {
    const call = { id: "c1", name: "read_memory", input: '{"query":"bike"}' };
    replies = [calls({ text: ["Let me look."], calls: [call] }), says("There is nothing about it.")];
    const { stdout, stderr } = await chat("what about my bike?\n");
    expect(stdout).toBe("There is nothing about it.\n");
    expect(stderr).toContain(
      '\n  → read_memory {"query":"bike"}\n  ← read_memory: No note matches “bike”. There are no notes yet.\n',
    );
  });

  test("a turn without an answer has nothing on standard output, and the next one is taken", async () => {
    const rejected = {
      status: 401,
      headers: { "content-type": "application/json" },
      body: complaint(kind, "No such key."),
    };
    replies = [rejected, says("Here I am.")];
    const { code, stdout, stderr } = await chat("hello\nand now?\n");
    expect([code, stdout]).toEqual([1, "Here I am.\n"]);
    expect(stderr).toMatch(/\nmodel-rejected: .*No such key\./);
  });
});

describe.runIf(hasTerminal)("on a terminal", () => {
  const folder = newFolder();
  const open = (...more: string[]) =>
    charterAtTerminal([...args, ...more], { cwd: folder.path, env: environmentAt(provider.url) });

  test("an answer is shown as it comes; Ctrl-C stops it, and it is wiped; Ctrl-D leaves", async () => {
    const terminal = open();
    await terminal.shows("/help lists the commands");
    await terminal.shows("bo › ");
    replies = [begins("An answer that never", "open"), says("Well.")];
    terminal.type("tell me everything\r");
    await terminal.shows("ada › An answer that never");
    terminal.type("\u0003");
    await terminal.shows("Stopped.");
    expect(terminal.raw()).toContain("An answer that never\r\u001b[J");
    await terminal.shows("bo › ");
    terminal.type("briefly, then\r");
    await terminal.shows("ada › Well.");
    await terminal.shows("bo › ");
    terminal.type("\u0004");
    expect(await terminal.ended).toBe(0);
  });

  test("a draft that was cut off is wiped before the answer comes", async () => {
    const terminal = open();
    await terminal.shows("bo › ");
    replies = [begins("Half of an", "cut"), says("All of an answer.")];
    terminal.type("hello\r");
    await terminal.shows("ada › All of an answer.");
    expect(terminal.raw()).toContain("Half of an\r\u001b[J");
    // Before that, Ctrl-C would stop the turn.
    await terminal.shows("bo › ");
    terminal.type("\u0003");
    expect(await terminal.ended).toBe(0);
  });

  test("what was said before comes back with the arrow, Tab completes, and colours are there", async () => {
    const terminal = open();
    await terminal.shows("bo › ");
    expect(terminal.raw()).toContain("\u001b[1mbo ›\u001b[0m ");
    terminal.type("\u001b[A");
    await terminal.shows("hello");
    terminal.type("\u0003/mod\t");
    await terminal.shows("/model");
    terminal.type("\r");
    await terminal.shows("ada answers with openai-compatible/qwen3.");
    await terminal.shows("bo › ");
    terminal.type("\u0003");
    expect(await terminal.ended).toBe(0);
  });

  test("several pasted lines are one input", async () => {
    const terminal = open("--session", "new");
    await terminal.shows("bo › ");
    replies = [says("Read.")];
    terminal.type("\u001b[200~one\rtwo\rthree\u001b[201~\r");
    await terminal.shows("ada › Read.");
    expect(provider.requests.at(-1)?.body).toContain("one\\ntwo\\nthree");
    terminal.type("\u0004");
    expect(await terminal.ended).toBe(0);
  });
});
