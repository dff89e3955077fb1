import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { freePort } from "../../src/cli/commands/run/start.ts";
import { bareEnvironment, charter, command, createFolder, type Folder } from "../cli.ts";
import { eventually } from "../eventually.ts";

let folder: Folder;
let child: ChildProcess | undefined;
beforeAll(() => {
  folder = createFolder();
  folder.charter(["agents", "add", "ada", "--charter", "assistant"]);
});
afterEach(() => {
  if (child?.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
});
afterAll(() => folder.remove());

async function started(): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const args = [command, "start", "--json", "--verbose", "--port", "0"];
  const one = spawn(process.execPath, args, {
    cwd: folder.path,
    env: bareEnvironment(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  child = one;
  const [line] = (await once(createInterface({ input: one.stdout }), "line")) as [string];
  return { url: (JSON.parse(line) as { url: string }).url, child: one };
}

test("a Ctrl-C that comes twice in one moment, as under npx, is one: it ends in peace", async () => {
  const { url, child: one } = await started();
  expect((await fetch(`${url}/health`)).status).toBe(200);
  const ended = once(one, "exit");
  // While it is stopped all of them wait for it, so they come in one moment, however busy the machine is.
  for (const signal of ["SIGSTOP", "SIGINT", "SIGTERM", "SIGHUP", "SIGCONT"] as const) one.kill(signal);
  expect(await ended).toEqual([0, null]);
});

test("who ends it as soon as it says where it is ends it in peace", async () => {
  const { child: one } = await started();
  const ended = once(one, "exit");
  one.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});

test("it goes on when nobody reads its log any more", async () => {
  const { url, child: one } = await started();
  (one.stderr as Readable).destroy();
  const closed = once(one, "exit");
  for (let at = 0; at < 5; at++) expect((await fetch(`${url}/api/me`)).status).toBe(401);
  one.kill("SIGTERM");
  expect(await closed).toEqual([0, null]);
});

/** A disk that is always full, which Linux has. */
const fullDisk = "/dev/full";
if (!existsSync(fullDisk)) process.stdout.write(`Not tried: a full disk under the log (no ${fullDisk}).\n`);

test.skipIf(!existsSync(fullDisk))(
  "it goes on with a full disk under its log, and doctor says what was lost",
  async () => {
    const port = await freePort(21_000);
    const url = `http://127.0.0.1:${port}`;
    const disk = openSync(fullDisk, "w");
    const one = spawn(process.execPath, [command, "start", "--verbose", "--port", String(port)], {
      cwd: folder.path,
      env: bareEnvironment(),
      stdio: ["ignore", disk, disk],
    });
    closeSync(disk);
    child = one;
    const ended = once(one, "exit");
    await eventually(async () => (await fetch(`${url}/health`).catch(() => undefined))?.status === 200);
    for (let at = 0; at < 5; at++) expect((await fetch(`${url}/api/me`)).status).toBe(401);
    const health = (await (await fetch(`${url}/health`)).json()) as { ok: boolean; lostLogLines: number };
    expect(health).toEqual({ ok: true, lostLogLines: expect.any(Number) });
    expect(health.lostLogLines).toBeGreaterThanOrEqual(5);
    const doctor = charter(["doctor"], { cwd: folder.path, env: { CHARTER_PORT: String(port) } });
    expect(doctor.stdout).toMatch(new RegExp(`The server at ${url} could not write \\d+ lines of its log\\.`));
    expect(doctor.code).toBe(1);
    one.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  },
);
