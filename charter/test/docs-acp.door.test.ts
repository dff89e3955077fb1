import { execFile } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { scriptedAgent } from "./acp/agent-script.ts";
import { isAlive } from "./acp/is-alive.ts";
import { bareEnvironment, createFolder, quickNpx } from "./cli.ts";

/** The commands of docs/acp.md in a real shell, with a scripted agent in place of the one they install. */

const page = readFileSync(resolve(import.meta.dirname, "../../docs/acp.md"), "utf8");
const [block = ""] = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((found) => found[1]);
const [install, ...commands] = block.trim().split("\n");

const folders = { project: createFolder(), home: createFolder(), programs: createFolder() };
afterAll(() => {
  for (const folder of Object.values(folders)) folder.remove();
});

const PATH = [folders.programs.path, quickNpx(), dirname(process.execPath), process.env.PATH].join(delimiter);
const env = { ...bareEnvironment(), HOME: folders.home.path, NO_COLOR: "1", PATH, SECRET_OF_OURS: "s3cret-of-ours" };

async function run(words: string, stdin = ""): Promise<{ code: number; stdout: string; stderr: string }> {
  const running = promisify(execFile)("bash", ["-ec", words], { cwd: folders.project.path, env });
  running.child.stdin?.end(stdin);
  return await running.then(
    (done) => ({ code: 0, ...done }),
    (error) => error,
  );
}

test("a newcomer's commands, one after the other; before the program is there, it is said that it is not", async () => {
  expect(install).toBe("npm install --global @agentclientprotocol/claude-agent-acp");
  const [chat = ""] = commands.splice(-1);
  const [doctor = ""] = commands.splice(-1);
  expect(await run(commands.join("\n"))).toMatchObject({ code: 0 });
  const early = await run(doctor);
  expect([early.code, early.stdout]).toEqual([
    1,
    expect.stringContaining(
      "look  “ada” cannot be asked: there is no program “claude-agent-acp” for its model acp/claude.",
    ),
  ]);
  expect((await run(chat, "Hello.\n")).stderr).toContain(
    "model-unreachable: “acp/claude” could not be started: there is no program “claude-agent-acp” on its PATH.\n" +
      "  Try its command: charter acp probe -- <command…>.",
  );

  const initialize = { agentCapabilities: { sessionCapabilities: { systemPrompt: {} } } };
  const agent = scriptedAgent(folders.programs.path, { initialize, turns: [[{ say: "You said: {input}" }]] });
  const program = join(folders.programs.path, "claude-agent-acp");
  writeFileSync(program, `#!/bin/sh\nexec ${agent.entry.command.map((word) => `"${word}"`).join(" ")}\n`);
  chmodSync(program, 0o755);
  expect((await run(doctor)).stdout).toContain(
    `fine  “ada” answers with acp/claude, the program ${program}; it is not served: chat, editors and schedules of the operator's own use it.`,
  );
  const { code, stdout } = await run(chat, "Hello.\n");
  expect([code, stdout]).toEqual([0, expect.stringContaining("Hello.")]);
  const [opened] = agent.received("session/new");
  expect(JSON.stringify(opened?.systemPrompt)).toContain("You are a helpful assistant.");
  const [started] = agent.log().flatMap((line) => ("started" in line ? [line.started] : []));
  const { PWD: _, SHLVL: __, OLDPWD: ___, _: ____, ...given } = started?.env ?? {};
  expect(given).toEqual({ HOME: folders.home.path, PATH });
  expect(started?.cwd.startsWith(join(folders.home.path, ".charter", "acp", "claude-"))).toBe(true);
  expect(agent.pids().filter(isAlive)).toEqual([]);

  const [turn] = JSON.parse((await run("npx charter turns --agent ada --json")).stdout).turns;
  const erase = `npx charter erase --user ${turn.scope.user}`;
  const directory = started?.cwd as string;
  expect((await run(erase)).stdout).toMatch(new RegExp(`^${directory} .*directory removed$`, "m"));
  expect(existsSync(directory)).toBe(true);
  expect(JSON.parse((await run(`${erase} --yes --json`)).stdout)).toMatchObject({
    erased: true,
    directories: [directory],
  });
  expect(existsSync(directory)).toBe(false);
});
