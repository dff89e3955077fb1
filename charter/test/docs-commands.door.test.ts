import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { commands as commandTable } from "../src/operations/commands.ts";
import { quickNpx } from "./cli.ts";

/** The commands of the README and the tour in a real shell; docs.test.ts has a dry run of those of every page. */

const root = resolve(import.meta.dirname, "../..");
const readme = ["README.md", "docs/tour.md"].map((page) => readFileSync(join(root, page), "utf8")).join("\n");

const blocks = (language: string) =>
  [...readme.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter((block) => block[1] === language)
    .map((block) => block[2] as string);

/** Nothing of whoever runs the tests decides which model answers, or where. */
function keyless(): NodeJS.ProcessEnv {
  const PATH = [quickNpx(), dirname(process.execPath), process.env.PATH].join(delimiter);
  const others = Object.entries(process.env).filter(([name]) => !/_(?:API_KEY|BASE_URL)$|^CHARTER_/.test(name));
  return { ...Object.fromEntries(others), PATH, NO_COLOR: "1", npm_config_loglevel: "error", npm_command: "exec" };
}

/** A command of the README, as a stranger would type it in the clone. */
async function run(command: string, cwd = root): Promise<string> {
  const { stdout } = await promisify(execFile)("bash", ["-c", command], { cwd, env: keyless(), maxBuffer: 1e8 }).catch(
    (error) => error,
  );
  return stdout;
}

/** A folder of a newcomer's own, in which `npx charter` is this clone's: several commands work on one database there. */
function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "charter-readme-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

const starts = ["npm start", "npx charter start -d librarian.db"];

/** Runs a command that starts it all as a newcomer would, opens the link it prints, and stops it; gives what signing in was answered. */
async function signedInAt(folder: string, command: string): Promise<unknown> {
  const env = { ...keyless(), CHARTER_DATABASE: join(folder, "charter.db"), CHARTER_PORT: "0" };
  const child = spawn("bash", ["-c", command], {
    cwd: command.startsWith("npm ") ? root : folder,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const [, base, code] = /(http:\/\/[\d.:]+)\/sign-in#(\S+)/.exec(line) ?? [];
      if (base === undefined) continue;
      const headers = { "content-type": "application/json", origin: base, "x-charter-csrf": "1" };
      const answer = await fetch(`${base}/sign-in`, { method: "POST", headers, body: JSON.stringify({ code }) });
      return [answer.status, await answer.json()];
    }
    return await ended;
  } finally {
    process.kill(-(child.pid as number), "SIGTERM");
    await ended;
    rmSync(folder, { recursive: true });
  }
}

/** As it is on a machine that has never seen this clone. */
async function withRealNpx(command: string): Promise<string> {
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
  return (await promisify(execFile)("bash", ["-c", command], { cwd: root, env: { ...keyless(), PATH } })).stdout;
}

async function succeeds(command: string): Promise<string> {
  return run(`${command} >/dev/null 2>&1; echo "exit $?"`);
}

describe("the README with the tour", () => {
  for (const block of blocks("console")) {
    const commands = block.split(/^\$ /m).slice(1);
    test.concurrent(`shows what really happens: ${commands[0]?.slice(0, 68).split("\n")[0]}`, async () => {
      const folder = commands.length === 1 ? root : emptyFolder();
      for (const [index, command] of commands.entries()) {
        const [line = "", ...rest] = command.split("\n");
        expect([index, await run(line, folder)]).toEqual([index, rest.join("\n")]);
      }
      if (folder !== root) rmSync(folder, { recursive: true });
    });
  }

  test.concurrent("names a command that npx finds in this clone", async () => {
    expect(await withRealNpx("npx charter --version")).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  // `npm test` runs this very repository, and what starts goes on until it is stopped.
  const commands = blocks("sh")
    .flatMap((block) => block.trim().split("\n"))
    .filter((command) => ![...starts, "npm test"].includes(command));
  // Each example runs in examples.test.ts; here, that npm finds one of them.
  const known = (command: string) => command.startsWith("npm run example examples/");
  for (const command of starts)
    test.concurrent(`gives a command that starts it all, and prints a link that signs in: ${command}`, async () => {
      expect(blocks("sh").map((block) => block.trim())).toContain(command);
      expect(await signedInAt(emptyFolder(), command)).toEqual([
        200,
        { signedIn: true, expiresAt: expect.any(String) },
      ]);
    });
  for (const command of commands.filter((one) => !known(one) || one.endsWith("02-amend.ts")))
    test.concurrent(`gives a command that works: ${command}`, async () =>
      expect(await succeeds(command)).toBe("exit 0\n"));
});

test("every command starts in a process of its own, and has a page of help", async () => {
  for (const command of Object.keys(commandTable))
    expect(await run(`node charter/bin/charter.js ${command} --help`)).toMatch(new RegExp(`^charter ${command}: `));
});
