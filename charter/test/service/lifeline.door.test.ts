import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bareEnvironment, command } from "../cli.ts";
import { eventually } from "../eventually.ts";
import { childOf, mayUnshare, processesOf, wordsOf } from "./told/told-to-end.ts";

const folder = mkdtempSync(join(tmpdir(), "charter-lifeline-"));
const bin = (file: string) => JSON.stringify(pathToFileURL(join(command, "..", file)).href);

/** A signal of its own comes by `process.emit`; a told one does not. */
const hears = `
  const emit = process.emit;
  process.emit = function (event, ...rest) {
    if (String(event).startsWith("SIG")) console.log("sent", event);
    return emit.call(this, event, ...rest);
  };
  process.on("SIGTERM", (signal) => { console.log("heard", signal); process.exit(3); });
  setInterval(() => {}, 1e6);`;
const ready = 'console.log("ready", process.pid);';
const programs = {
  "parent.mjs": `
    import { runChild } from ${bin("child.js")};
    import { endAs } from ${bin("signals.js")};
    endAs(await runChild(process.execPath, ["--import", ${bin("lifeline.js")}, import.meta.dirname + "/" + process.argv[2]]));`,
  "child.mjs": `${hears}
    console.log(process.env.CHARTER_LIFELINE ?? "none to hand down", process.execArgv.length);
    ${ready}`,
  "interrupted.mjs": `
    let heard = 0;
    process.on("SIGINT", (signal) => { console.log("heard", signal); if (heard++ === 0) setTimeout(() => process.exit(4), 300); });
    setInterval(() => {}, 1e6); ${ready}`,
  "busy.mjs": `import { writeSync } from "node:fs"; writeSync(1, "ready " + process.pid + "\\n"); for (;;);`,
  "npm.mjs": `
    import { spawn } from "node:child_process";
    spawn("sh", ["-c", process.argv[2], "sh", process.execPath], { stdio: "inherit" }).on("exit", () => {});`,
  "watching.mjs": `
    import { endWithParent } from ${bin("parent.js")};
    endWithParent(); ${hears} ${ready}
    setTimeout(() => { console.log("stays"); process.exit(); }, Number(process.argv[2]));`,
};
beforeAll(() => {
  for (const [name, words] of Object.entries(programs)) writeFileSync(join(folder, name), words);
});
afterAll(() => {
  for (const pid of processesOf({ folder })) process.kill(pid, "SIGKILL");
  rmSync(folder, { recursive: true });
});

type Run = { readonly argv0?: string; readonly env?: Readonly<Record<string, string>> };

/** Runs a program until it and all who share its output have ended; `act` is told the process that says it is ready. */
async function said(args: readonly string[], act: (top: number, ready: number) => void, run: Run = {}) {
  const { argv0 = "node", env = {} } = run;
  const [program = "", ...rest] = args;
  const child = spawn(process.execPath, [join(folder, program), ...rest], {
    ...{ cwd: folder, argv0, env: { ...bareEnvironment(), ...env } },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let words = "";
  let acted = false;
  child.stdout.on("data", (chunk) => {
    words += chunk;
    const pid = words.match(/^ready (\d+)\n/m)?.[1];
    if (pid && !acted) {
      acted = true;
      act(child.pid as number, Number(pid));
    }
  });
  const [code, signal] = await once(child, "close");
  const lines = words.split("\n").filter((line) => line && !line.startsWith("ready"));
  return [...lines, signal ?? code];
}

test.concurrent("what the parent is sent, the child is told, and its code comes back; nobody inherits the lifeline", async () => {
  const lines = await said(["parent.mjs", "child.mjs"], (top) => process.kill(top, "SIGTERM"));
  expect(lines).toEqual(["none to hand down 0", "heard SIGTERM", 3]);
});

test.concurrent("a parent that is killed takes its child along, politely", async () => {
  const lines = await said(["parent.mjs", "child.mjs"], (top) => process.kill(top, "SIGKILL"));
  expect(lines).toEqual(["none to hand down 0", "heard SIGTERM", "SIGKILL"]);
});

test.concurrent("a child that is too busy to read its lifeline is sent the signal itself", async () => {
  const lines = await said(["parent.mjs", "busy.mjs"], (top) => process.kill(top, "SIGTERM"));
  expect(lines).toEqual(["SIGTERM"]);
});

test.concurrent.for<[what: string, script: string, command: string, who: "npm" | "shell", lines: string[]]>([
  ["npm is killed: what npx runs ends", '"$1" "$PWD/watching.mjs" 60000; true', "exec", "npm", ["heard SIGTERM"]],
  ["its shell dies: what npx runs ends", '"$1" "$PWD/watching.mjs" 60000; true', "exec", "shell", ["heard SIGTERM"]],
  [
    "its shell dies: what a script runs ends",
    '"$1" "$PWD/watching.mjs" 60000; true',
    "run-script",
    "shell",
    ["heard SIGTERM"],
  ],
  [
    "a script puts it into the background: it stays",
    '"$1" "$PWD/watching.mjs" 1600 & wait',
    "run-script",
    "shell",
    ["stays"],
  ],
])("%s", async ([_what, script, npm_command, who, expected]) => {
  const lines = await said(
    ["npm.mjs", script.replaceAll("$1", process.execPath)],
    (top) => process.kill(who === "npm" ? top : childOf(top), "SIGKILL"),
    { argv0: npm_command === "exec" ? "npm" : "runner", env: { npm_command } },
  );
  expect(lines.slice(0, -1)).toEqual(expected);
});

const terminal = ["/usr/bin/script", "/bin/script"].find(existsSync);
if (!terminal) process.stderr.write("Nothing was tried on a terminal: there is no command script here.\n");

test.skipIf(!terminal).for([
  ["sent to the parent alone, as npx does", (top: number) => process.kill(childOf(top), "SIGINT")],
  ["of the terminal's keys, which both hear", (_top: number, input: Writable) => input.write("\u0003")],
] as const)("on a terminal under npx, an interrupt %s ends the child once", async ([, interrupt]) => {
  const line = `exec ${process.execPath} ${join(folder, "parent.mjs")} interrupted.mjs`;
  const child = spawn(terminal as string, ["-qfec", line, "/dev/null"], {
    ...{ cwd: folder, env: { ...bareEnvironment(), npm_command: "exec" } },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  let words = "";
  child.stdout.on("data", (chunk) => {
    const before = words;
    words += chunk;
    if (/^ready/m.test(words) && !/^ready/m.test(before)) interrupt(child.pid as number, child.stdin);
  });
  expect([await ended, words.match(/heard \w+/g)]).toEqual([[4, null], ["heard SIGINT"]]);
});

test.skipIf(!mayUnshare)("as process 1, a command that listens to no signal ends by one", async () => {
  const args = ["--pid", "--fork", "--mount-proc", "--kill-child", process.execPath, command, "chat"];
  const child = spawn("unshare", args, { cwd: folder, env: bareEnvironment(), stdio: ["pipe", "ignore", "inherit"] });
  const ended = once(child, "close");
  // Before it has begun to listen, process 1 hears nothing at all.
  await eventually(() => {
    try {
      const first = childOf(child.pid as number);
      if (wordsOf(first).startsWith(process.execPath)) process.kill(first, "SIGTERM");
    } catch {
      // It is not there yet, or no more.
    }
    return child.exitCode !== null || child.signalCode !== null;
  });
  const [code, signal] = await ended;
  expect(signal === "SIGTERM" ? 143 : code).toBe(143);
});
