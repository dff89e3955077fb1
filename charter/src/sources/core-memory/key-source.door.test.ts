import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { hex, newKeyBench, noKey, nsec } from "../../../test/sources/key-bench.ts";
import type { KeyConfig } from "./key-source.ts";

const { folder, keyFile, read, remove } = newKeyBench();
afterAll(remove);
keyFile("hex", hex);
keyFile("nsec", nsec);

const byHand = "Run it yourself, in the same folder: it has to print the key and nothing else.";

test.each<[KeyConfig, string]>([
  [{ command: ["cat", "nsec"] }, hex],
  [
    { command: ["no-such-program"] },
    `key-missing: The command for the key “ada”, no-such-program, could not be run (ENOENT). ${byHand}`,
  ],
  [
    { command: ["sh", "-c", "exit 3"] },
    `key-missing: The command for the key “ada”, sh, failed (exit code 3). ${byHand}`,
  ],
  [
    { command: ["sh", "-c", "kill -9 $$"] },
    `key-missing: The command for the key “ada”, sh, failed (SIGKILL). ${byHand}`,
  ],
  [
    { command: ["sh", "-c", "cat hex; cat nsec >&2; exit 1"] },
    `key-missing: The command for the key “ada”, sh, failed (exit code 1). ${byHand}`,
  ],
  [{ command: ["yes"] }, `key-missing: The command for the key “ada”, yes, printed more than a key. ${byHand}`],
  [{ command: ["true"] }, noKey],
])("what a command gives is a key, or it is told what is wrong: %j", async (config, told) => {
  expect(await read(config)).toBe(told);
});

test("a command that takes too long, and what it started, are ended", async () => {
  const pids = join(folder, "pids");
  const script = `sleep 1000 & echo $! > ${pids}; wait`;
  expect(await read({ command: ["sh", "-c", script] }, { timeoutMs: 300 })).toBe(
    `key-missing: The command for the key “ada”, sh, did not finish within 0.3 seconds. ${byHand}`,
  );
  await eventually(() => !isRunning(existsSync(pids) ? Number(readFileSync(pids, "utf8")) : 0));
});

function isRunning(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    // Ended, and not yet fetched by whoever stands in for its parent.
    return !(existsSync(stat) && / Z /.test(readFileSync(stat, "utf8")));
  } catch {
    return false;
  }
}

test("a command is run without a shell, and is told nothing of the environment but where things are", async () => {
  const env = { PATH: process.env.PATH, HOME: "/home/ada", LANG: "C", OTHER_KEY: "x", BO: nsec, NODE_OPTIONS: "" };
  const out = join(folder, "environment");
  const script = `env | cut -d= -f1 | grep -v -e _ -e PWD -e SHLVL | sort > ${out}; cat hex`;
  expect(await read({ command: ["sh", "-c", script] }, { env })).toBe(hex);
  expect(readFileSync(out, "utf8")).toBe("HOME\nLANG\nPATH\n");
  expect(await read({ command: ["printf", "%s", "$(cat hex)"] })).toBe(noKey);
});
