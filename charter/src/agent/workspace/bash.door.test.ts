import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, watch } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newWorkspace, runs, type WorkspaceBench } from "../../../test/agent/workspace-bench.ts";
import type { Tool, ToolContext } from "../tool.ts";
import { workspaceTools } from "./workspace-tools.ts";

let bench: WorkspaceBench;
beforeEach(() => {
  bench = newWorkspace();
});
afterEach(() => bench.remove());

const bash = (command: string, more: object = {}, options: Parameters<WorkspaceBench["call"]>[2] = {}) =>
  bench.call("bash", { command, ...more }, options);

describe("what a command comes to", () => {
  const rows: [command: string, expected: string][] = [
    ["echo hello", "hello"],
    ["printf 'a\\nb'", "a\nb"],
    ["true", "(no output)"],
    ["echo out; echo err >&2; echo out again", "out\nerr\nout again"],
    ["echo so far; exit 3", "! so far\n\n[Exit code 3.]"],
    ["false", "! (no output)\n\n[Exit code 1.]"],
    ["kill -SEGV $$", "! (no output)\n\n[Ended by SIGSEGV.]"],
    ['cat; echo "no input: $?"', "no input: 0"],
    ["cd / && pwd", "/"],
    ["[[ -n $BASH_VERSION ]] && echo bash", "bash"],
    [
      "printf '\\033[1;31mred\\033[0m \\033]0;title\\007b\\bB\\r\\n10%%\\r20%%\\n\\001\\x9b'",
      "red B\n10%\n20%\n\uFFFD",
    ],
    ["printf '\\xe9 \\xf0\\x9f'; sleep 0.05; printf '\\x90\\xa2'", "\uFFFD 🐢"],
  ];
  for (const [command, expected] of rows) test(command, async () => expect(await bash(command)).toBe(expected));

  test("a syntax error is told as the shell tells it", async () => {
    expect(await bash("if")).toMatch(/^! .*syntax error.*\n\n\[Exit code 2\.\]$/s);
  });

  test("it starts in the working directory", async () => {
    expect(await bash("pwd -P")).toBe(bench.root);
  });

  test("a command that is too long to start is told", async () => {
    expect(await bash(`true ${"x".repeat(200_000)}`)).toBe("! The command could not be started: spawn E2BIG.");
  });

  test("a working directory that has gone meanwhile is told", async () => {
    const tool = workspaceTools({ root: bench.root })[1] as unknown as Tool<{ command: string }>;
    rmSync(bench.root, { recursive: true });
    const { signal } = new AbortController();
    expect(await tool.run({ command: "true" }, { signal } as ToolContext)).toEqual({
      text: `The command could not be started: there is no “${bench.root}” any more.`,
      failed: true,
    });
  });

  test("where there is no bash, sh", async () => {
    expect(await bash("echo $0", {}, { env: {} })).toMatch(/^\/(?:usr\/)?bin\/(?:ba)?sh$/);
  });
});

describe("what it prints", () => {
  test("the last lines are shown, and it is said which", async () => {
    const lines = Array.from({ length: 2000 }, (_, index) => index + 3001).join("\n");
    expect(await bash("seq 5000")).toBe(
      `${lines}\n\n[Lines 3001-5000 of 5000; 23.3 KB were printed in all, and what came before is gone.]`,
    );
  });

  test("however much it is, the end is there and memory is not eaten", async () => {
    const before = process.memoryUsage.rss();
    const text = await bash("yes | head -c 200000000; echo the end");
    expect(text).toBe(
      `${"y\n".repeat(1999)}the end\n\n[Lines 99998002-100000001 of 100000001; 190.7 MB were printed in all, and what came before is gone.]`,
    );
    expect(process.memoryUsage.rss() - before).toBeLessThan(150_000_000);
  });

  test("one endless line is cut at its beginning, between characters", async () => {
    const text = await bash("yes 🐢 | head -c 1000000 | tr -d '\\n'");
    expect(text).toBe(
      `${"🐢".repeat(12_288)}\n\n[The end of line 1 of 1; 781.3 KB were printed in all, and what came before is gone.]`,
    );
  });

  test("colours do not count", async () => {
    const text = await bash("for i in $(seq 1500); do printf '\\033[31m%s\\033[0m\\n' $i; done");
    expect(text).toBe(Array.from({ length: 1500 }, (_, index) => index + 1).join("\n"));
  });
});

describe("time", () => {
  test("a command that takes too long is stopped, with all it started", async () => {
    const command = "sleep 1000 & echo $! >> pids; (sleep 1000 & echo $! >> pids); echo started; sleep 1000";
    expect(await bash(command, { timeout: 1 })).toBe("! started\n\n[Stopped after 1 s, with all it had started.]");
    const pids = (bench.text("pids") ?? "").trim().split("\n").map(Number);
    expect([pids.length, pids.filter(runs)]).toEqual([2, []]);
  });

  test("no command has more time than there is", async () => {
    expect(await bash("sleep 1000", { timeout: 600 }, { limits: { commandSeconds: 0.3 } })).toBe(
      "! (no output)\n\n[Stopped after 0.3 s (600 were asked for; 0.3 are the most), with all it had started.]",
    );
  });

  test("one that will not be told is killed", async () => {
    const command = "trap '' TERM; bash -c 'trap \"\" TERM; echo $$ > pid; while :; do sleep 0.1; done'";
    expect(await bash(command, { timeout: 1 })).toMatch(/\[Stopped after 1 s, with all it had started\.\]$/);
    expect(runs(Number(bench.text("pid")))).toBe(false);
  });

  test("one that is told has time to clean up", async () => {
    expect(await bash("trap 'echo bye; exit' TERM; sleep 1000 & wait", { timeout: 1 })).toBe(
      "! bye\n\n[Stopped after 1 s, with all it had started.]",
    );
  });

  test("a turn that is stopped stops it", async () => {
    const stop = new AbortController();
    const made = appears("pid");
    const running = bash("echo $$ > pid; sleep 1000 & sleep 1000", {}, { signal: stop.signal });
    await made;
    stop.abort();
    expect(await running).toBe("! (no output)\n\n[Stopped with the turn, and with all it had started.]");
    expect(runs(Number(bench.text("pid")))).toBe(false);
    expect(await bash("touch late", {}, { signal: stop.signal })).toMatch(/^! .*Stopped with the turn/s);
    expect(bench.text("late")).toBe(undefined);
  });
});

describe("processes in the background", () => {
  test("end with the command, which does not wait for them", async () => {
    expect(await bash("sleep 1000 & echo $! > pid; echo done")).toBe(
      "done\n\n[1 process still ran in the background and ended with the command.]",
    );
    expect(runs(Number(bench.text("pid")))).toBe(false);
  });

  test("what they print at once is still heard", async () => {
    expect((await bash("echo from behind & echo first")).split("\n").sort()).toEqual(["first", "from behind"]);
  });

  test("one that prints for ever is not listened to for ever", async () => {
    expect(await bash("yes & echo $! > pid")).toMatch(
      /1 process still ran in the background and ended with the command\.\]$/,
    );
    expect(runs(Number(bench.text("pid")))).toBe(false);
  });

  test.runIf(process.platform === "linux")("jobs in groups of their own end, too", async () => {
    expect(await bash("set -m; sleep 1000 & echo $! > pid")).toBe(
      "(no output)\n\n[1 process still ran in the background and ended with the command.]",
    );
    expect(runs(Number(bench.text("pid")))).toBe(false);
  });
});

describe("when the process that runs it ends", () => {
  const rows: [how: string, code: string][] = [
    ["by a signal", "process.kill(process.pid, 'SIGTERM')"],
    ["by itself", "process.exit()"],
    ["by an error nobody catches", "throw new Error('oh')"],
  ];
  for (const [how, code] of rows)
    test(`the command ends: ${how}`, async () => {
      const made = appears("pid");
      const program = `
        import { watch } from "node:fs";
        import { workspaceTools } from ${JSON.stringify(join(import.meta.dirname, "workspace-tools.ts"))};
        const root = ${JSON.stringify(bench.root)};
        const bash = workspaceTools({ root }).find(({ name }) => name === "bash");
        const signal = new AbortController().signal;
        watch(root, (_, name) => { if (name === "go") { ${code} } });
        bash.run({ command: "sleep 1000 & echo $! > part; mv part pid; wait" }, { signal });`;
      const host = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: "ignore" });
      const ended = once(host, "exit");
      await made;
      const pid = Number(bench.text("pid"));
      expect(runs(pid)).toBe(true);
      bench.put("go");
      await ended;
      await gone(pid);
    });
});

test("nothing is left listening", async () => {
  const count = () => ["exit", "SIGINT", "SIGTERM", "SIGHUP"].map((event) => process.listenerCount(event));
  const before = count();
  await Promise.all([bash("true"), bash("false"), bash("sleep 1000", { timeout: 0.1 })]);
  expect(count()).toEqual(before);
});

describe("its environment", () => {
  test("has no secrets in it, but for those that are passed; no key of Nostr even then", async () => {
    const nsec = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5";
    const env = {
      PATH: process.env.PATH,
      HOME: "/home/ada",
      SSH_AUTH_SOCK: "/tmp/agent",
      TOKENIZERS_PARALLELISM: "false",
      https_proxy: "http://ada:pw@proxy:3128",
      OPENAI_API_KEY: "no",
      GITHUB_TOKEN: "no",
      NPM_TOKEN: "wanted",
      AWS_ACCESS_KEY_ID: "no",
      AWS_SECRET_ACCESS_KEY: "no",
      PGPASSWORD: "no",
      MYSQL_PWD: "no",
      SECRET_KEY_BASE: "no",
      GOOGLE_APPLICATION_CREDENTIALS: "no",
      npm_config__authToken: "no",
      DATABASE_URL: "postgres://ada:no@localhost/app",
      SMTP_PASS: "no",
      GH_PAT: "no",
      OPENAI_API_KEYS: "no",
      npm_config__auth: "no",
      REPOSITORY: "https://no@example.com/app.git",
      GIT_ASKPASS: "/usr/bin/ask",
      REMOTE: "ssh://git@example.com/app.git",
      ADA: nsec,
      IDENTITIES: `ada=${nsec} bo=none`,
      PASSED: nsec.toUpperCase(),
    };
    const command = "env | grep -v -e ^_= -e ^PWD= -e ^SHLVL= -e ^PATH= | sort";
    expect(await bash(command, {}, { env, passEnv: ["NPM_TOKEN", "PASSED"] })).toBe(
      "GIT_ASKPASS=/usr/bin/ask\nHOME=/home/ada\nNPM_TOKEN=wanted\nREMOTE=ssh://git@example.com/app.git\nSSH_AUTH_SOCK=/tmp/agent\nTOKENIZERS_PARALLELISM=false\nhttps_proxy=http://ada:pw@proxy:3128",
    );
  });
});

/** A file of that name has words in it. */
async function appears(name: string): Promise<void> {
  const path = join(bench.root, name);
  const isThere = () => existsSync(path) && readFileSync(path, "utf8").endsWith("\n");
  await new Promise<void>((resolve) => {
    const watcher = watch(bench.root, () => {
      if (!isThere()) return;
      watcher.close();
      resolve();
    });
  });
}

async function gone(pid: number): Promise<void> {
  while (runs(pid)) await wait(10);
}

const listening = () => ["exit", "SIGINT", "SIGTERM", "SIGHUP"].map((event) => process.listenerCount(event));
/** Before the first command of this file. */
const atFirst = listening();

test("after all these commands it is as before the first", async () => {
  await bash("true");
  expect(listening()).toEqual(atFirst);
});
