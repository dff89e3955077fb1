import { expect, test } from "vitest";
import { newFolder } from "../../chat.ts";
import { charterMeanwhile } from "../../cli.ts";
import { begins, calls, newProvider, refuses, says, talkingTo } from "./provider.ts";

/** Conversations with a model, in a pipe. */

const provider = newProvider();
const folder = newFolder();
const chat = (stdin: string) => charterMeanwhile(talkingTo, { cwd: folder.path, stdin, env: provider.env() });

test("a busy provider and a cut stream are retried, and only the answer is on standard output", async () => {
  provider.play(refuses(429, "Too many at once."), begins("Half of an", "cut"), says("All of ", "an answer."));
  const { code, stdout, stderr } = await chat("hello\n");
  expect([code, stdout]).toEqual([0, "All of an answer.\n"]);
  expect(stderr.split("\n").filter((line) => line.startsWith("  ↻ "))).toEqual([
    expect.stringMatching(/↻ asked again in 0\.0 s \(attempt 2\): .*Too many at once\.$/),
    expect.stringMatching(/↻ asked again in \S+ s \(attempt 3\): .* broke off before its end\.$/),
  ]);
});

test("words before a call are no answer", async () => {
  const call = { id: "c1", name: "read_memory", input: '{"query":"bike"}' };
  provider.play(calls({ text: ["Let me look."], calls: [call] }), says("There is nothing about it."));
  const { stdout, stderr } = await chat("what about my bike?\n");
  expect(stdout).toBe("There is nothing about it.\n");
  expect(stderr).toContain(
    '\n  → read_memory {"query":"bike"}\n  ← read_memory: No note matches “bike”. There are no notes yet.\n',
  );
});

test("a turn without an answer has nothing on standard output, and the next one is taken", async () => {
  provider.play(refuses(401, "No such key."), says("Here I am."));
  const { code, stdout, stderr } = await chat("hello\nand now?\n");
  expect([code, stdout]).toEqual([1, "Here I am.\n"]);
  expect(stderr).toMatch(/\nmodel-rejected: .*No such key\./);
});
