import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Recorder, startRecorder } from "../../../src/testing/strict/recorder.ts";
import { speak } from "../../../src/testing/strict/speech.ts";
import { asksWindow } from "../../agent/extensions/loopback-agent.ts";
import { png } from "../../agent/pictures.ts";
import { newFolder } from "../../chat.ts";
import { charterMeanwhile } from "../../cli.ts";
import { environmentAt, modelNames } from "../../delivery/loopback.ts";

/** Pictures and files from the terminal, to a provider on the wire. */

const folder = newFolder();
const photo = png(64, 48);
const base64 = Buffer.from(photo).toString("base64");
let recorder: Recorder;
beforeAll(async () => {
  recorder = await startRecorder({
    answer: async (request) =>
      asksWindow(request) ? { status: 404, body: "{}" } : { body: speak("anthropic", { text: ["A grey field."] }) },
  });
  folder.write("my cat.png", photo);
  folder.write("notes.md", "# Milk\n");
  folder.write("a.zip", new Uint8Array([0x50, 0x4b, 3, 4, 0]));
  folder.write("long.txt", "x".repeat(5001));
  mkdirSync(join(folder.path, "folder"));
  const settings = JSON.stringify({ attachments: { maxBytes: 5000 } });
  const added = folder.charter(["agents", "add", "ada", "-c", "assistant", "--settings", "-"], settings);
  expect([added.code, added.stderr]).toEqual([0, ""]);
});
afterAll(() => recorder.close());

const bodies = () => recorder.requests.filter((request) => !asksWindow(request)).map(({ body }) => body);
const chat = (args: readonly string[], ...lines: string[]) =>
  charterMeanwhile(["chat", "--agent", "ada", "--user", "bo", "--model", modelNames.anthropic, ...args], {
    ...{ cwd: folder.path, env: environmentAt(recorder.url), stdin: lines.map((line) => `${line}\n`).join("") },
  });

test("/file sends a picture with words; what cannot be sent is said by its name, and the conversation goes on", async () => {
  const { code, stdout, stderr } = await chat(
    [],
    ...[
      '/file "my cat.png" What is this?',
      "/file missing.png",
      "/file folder",
      "/file a.zip",
      "/file long.txt",
      "/file",
    ],
  );
  expect([code, stdout]).toEqual([1, "A grey field.\n"]);
  expect(bodies()).toHaveLength(1);
  expect(bodies()[0]?.split(base64)).toHaveLength(2);
  expect(bodies()[0]).toContain("What is this?");
  const told = stderr.replace(/\s+/g, " ");
  for (const words of [
    'no-such-file: There is no file "missing.png".',
    'not-a-file: "folder" is no file.',
    'bad-attachment: The attachment "a.zip" is of a kind that is not known, which this agent does not take.',
    'attachment-too-large: The attachment "long.txt" has 5,001 bytes; the limit of this agent is 5,000.',
    "usage: /file needs the path of a file.",
  ])
    expect(told).toContain(words);
});

test("--file sends files with the words of one turn, or without words", async () => {
  const before = bodies().length;
  const said = await chat(["--session", "new", "--file", "my cat.png", "--file", "notes.md", "What", "are", "these?"]);
  expect([said.code, said.stdout]).toEqual([0, "A grey field.\n"]);
  const alone = await chat(["--session", "new", "--file", "my cat.png"]);
  expect([alone.code, alone.stdout]).toEqual([0, "A grey field.\n"]);
  const [both, one] = bodies().slice(before);
  for (const words of [base64, "What are these?", "> # Milk"]) expect(both).toContain(words);
  expect(one).toContain(base64);
  const missing = await chat(["--file", "none.png", "Hello"]);
  expect([missing.code, missing.stderr]).toEqual([
    2,
    expect.stringContaining('no-such-file: There is no file "none.png".'),
  ]);
  expect(bodies()).toHaveLength(before + 2);
});
