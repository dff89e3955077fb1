import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bareEnvironment, command, createFolder, type Folder } from "../cli.ts";

/** Nothing can be written there: the folder is mounted so, or, for who is not root, has no such right. */
const mounted = spawnSync("unshare", ["-m", "true"]).status === 0;
const possible = mounted || process.getuid?.() !== 0;
const lock = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && cd "$0" && exec "$@"';

let folder: Folder;
beforeAll(() => {
  folder = createFolder();
  folder.charter(["chat", "--user", "bo", "Hello."]);
});
afterAll(() => folder.remove());

function readOnly(...args: readonly string[]) {
  const options = { cwd: folder.path, env: bareEnvironment(), encoding: "utf8" } as const;
  const words = [process.execPath, command, ...args] as const;
  if (mounted) return spawnSync("unshare", ["-m", "sh", "-c", lock, folder.path, ...words], options);
  for (const path of [join(folder.path, ".charter"), folder.path]) chmodSync(path, 0o555);
  try {
    return spawnSync(words[0], words.slice(1), options);
  } finally {
    for (const path of [folder.path, join(folder.path, ".charter")]) chmodSync(path, 0o755);
  }
}

const reading = [
  ["show", "--charter", "sovereign"],
  ["show", "--agent", "ada"],
  ["why", "--agent", "ada", "You are"],
  ["history", "--agent", "ada", "soul"],
  ["agents"],
  ["users"],
  ["tokens"],
  ["schedules"],
  ["approvals"],
  ["turns"],
  ["memory", "--agent", "ada", "--user", "bo"],
  ["verify"],
  ["export", "--user", "bo"],
];

test.skipIf(!possible)(
  "a command that only reads says in a folder that nothing can be written to what it says in any",
  () => {
    const shown = (text: string) => text.replace(/\d\d?:\d\d(?::\d\d\.\d+)?/g, "now");
    for (const args of reading) {
      const [there, here] = [readOnly(...args), folder.charter(args)];
      expect([args, there.status, shown(there.stdout), there.stderr]).toEqual([
        ...[args, here.code, shown(here.stdout), here.stderr],
      ]);
    }
  },
);

test.skipIf(!possible)("what would write says that it cannot", () => {
  const { status, stderr } = readOnly("agents", "add", "eve", "--charter", "assistant");
  expect([status, stderr.split(":")[0]]).toEqual([2, "read-only"]);
  expect(folder.charter(["agents"]).stdout).not.toContain("eve");
});

test.skipIf(!possible)("what another process has written and not yet put away is read there too", async () => {
  const child: ChildProcess = spawn(process.execPath, [command, "start", "--json", "--no-open", "--port", "0"], {
    cwd: folder.path,
    env: bareEnvironment(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await once(child.stdout as NodeJS.ReadableStream, "data");
    folder.charter(["agents", "add", "eve", "--charter", "assistant"]);
    expect(readOnly("agents").stdout).toContain("eve");
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  // Nobody has put it away since.
  expect(readOnly("agents").stdout).toContain("eve");
});
