import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { fromText, type SourceContext } from "../prompt/reading.ts";
import type { CommandSource } from "./described-source.ts";
import { createNamedSources } from "./named-source.ts";

const turn: SourceContext = { now: "2026-11-19T09:00:00Z", tools: [], standing: {} };
const cwd = mkdtempSync(join(tmpdir(), "charter-source-"));
afterAll(() => rmSync(cwd, { recursive: true }));

const node = (code: string) => [process.execPath, "-e", code];

async function readingOf(command: readonly string[], more: Omit<CommandSource, "command"> = {}) {
  const noServers = async () => ({ status: "unavailable", because: "there is none" }) as const;
  const { one } = await createNamedSources({ one: { command, cwd, ...more } }, noServers)();
  return one?.read(turn);
}

test("what a command prints is its text, in its directory, and no shell reads its words", async () => {
  writeFileSync(join(cwd, "note.txt"), "One.\r\nTwo.\n\n");
  expect(await readingOf(["cat", "note.txt"])).toEqual(fromText("One.\nTwo."));
  expect(await readingOf(["echo", "$(touch made)", "; touch made", "*"])).toEqual(
    fromText("$(touch made) ; touch made *"),
  );
  expect(existsSync(join(cwd, "made"))).toBe(false);
  expect(await readingOf(["true"])).toEqual({ status: "empty" });
  expect(await readingOf(node("console.error('warned'); console.log('said')"))).toEqual(fromText("said"));
});

test("a command does not get variables that look like secrets", async () => {
  process.env.CHARTER_TEST_API_KEY = "s3cret";
  try {
    expect(await readingOf(node("console.log(process.env.CHARTER_TEST_API_KEY, 'PATH' in process.env)"))).toEqual(
      fromText("undefined true"),
    );
  } finally {
    delete process.env.CHARTER_TEST_API_KEY;
  }
});

test.for([
  [
    "exit code",
    node("console.log('half'); console.error('\\n\\x1b[31mno such\\tbranch\\nat line 1'); process.exit(3)"),
    {},
    "its command failed with exit code 3: “no such branch”",
  ],
  ["exit code, mute", ["false"], {}, "its command failed with exit code 1"],
  ["killed", node("process.kill(process.pid, 'SIGKILL')"), {}, "its command was ended by SIGKILL"],
  ["not found", ["no-such-program-here"], {}, "its command could not be started (spawn no-such-program-here ENOENT)"],
  ["endless", ["yes"], {}, "it is larger than 65536 bytes"],
  ["larger than said", ["echo", "12345"], { maxBytes: 5 }, "it is larger than 5 bytes"],
  ["binary", node("process.stdout.write(Buffer.from([255, 216]))"), {}, "it is no text in UTF-8"],
] as const)("unavailable with its reason: %s", async ([, command, more, reason]) => {
  expect(await readingOf(command, more)).toEqual({ status: "unavailable", reason });
});

test("a long complaint is cut", async () => {
  const reading = await readingOf(node("process.stderr.write('x'.repeat(1e6), () => process.exit(1))"));
  expect(reading).toEqual({
    status: "unavailable",
    reason: `its command failed with exit code 1: “${"x".repeat(200)}”`,
  });
});

test("one that does not end is ended", async () => {
  expect(await readingOf(["sleep", "1000"], { timeoutMs: 50 })).toEqual({
    status: "unavailable",
    reason: "its command did not end in 0.05 s",
  });
});

test("what is ended is so with all it has started", async () => {
  const pid = join(cwd, "pid");
  const started = ["sh", "-c", 'sleep 1000 & echo $! > "$0"; yes', pid];
  expect(await readingOf(started)).toEqual({ status: "unavailable", reason: "it is larger than 65536 bytes" });
  // One that has ended may wait to be reaped by its new parent.
  const stat = `/proc/${readFileSync(pid, "utf8").trim()}/stat`;
  expect(existsSync(stat) ? /\) (\w)/.exec(readFileSync(stat, "utf8"))?.[1] : "Z").toBe("Z");
});
