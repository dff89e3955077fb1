import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bareEnvironment, command, createFolder, type Folder } from "../cli.ts";

let folder: Folder;
beforeAll(() => {
  folder = createFolder();
  folder.charter(["agents", "add", "ada", "--charter", "assistant"]);
});
afterAll(() => folder.remove());

/** `charter start` and the like, until its first line. */
async function started(...args: string[]) {
  const env = bareEnvironment();
  const child = spawn(process.execPath, [command, ...args], {
    cwd: folder.path,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return {
    line,
    stop: async () => {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      return (await ended)[0] as number;
    },
  };
}

test("charter start, serve and work: each says what it does in one line of JSON, and ends in peace", async () => {
  const start = await started("start", "--no-open", "--port", "0", "--json");
  const facts = JSON.parse(start.line);
  expect(facts).toEqual({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    link: expect.stringMatching(/\/sign-in#charter_/),
    database: ".charter/charter.db",
    agents: ["ada"],
    model: "stand-in/scripted",
    telegram: {},
    automata: [],
  });
  const page = await fetch(facts.url, { headers: { accept: "text/html" } });
  expect(await page.text()).toContain("<!doctype html>");
  const serve = await started("serve", "--host", "127.0.0.1", "--port", "0", "--json");
  expect(JSON.parse(serve.line)).toMatchObject({ database: ".charter/charter.db" });
  const work = await started("work", "--json");
  expect(JSON.parse(work.line)).toEqual({ database: ".charter/charter.db", telegram: [], automata: [] });
  expect([await start.stop(), await serve.stop(), await work.stop()]).toEqual([0, 0, 0]);
});
