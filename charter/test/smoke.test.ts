import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, afterEach, expect, test } from "vitest";
import { bareEnvironment, command, createFolder } from "./cli.ts";
import { answerIn, connectEditor, createStage } from "./editor/editor-process.ts";

/** Each door of a real `charter`, once: what the other tests of this tier go through in a process that is kept. */

const folder = createFolder();
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill("SIGKILL");
});
afterAll(() => folder.remove());

test("the command shows a prompt, and ends", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, "show", "--charter", "assistant"], {
    ...{ cwd: folder.path, env: bareEnvironment(), encoding: "utf8" },
  });
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("You are a helpful assistant.");
  expect(folder.names()).toEqual([]);
});

test("charter start answers over HTTP, and ends in peace on SIGTERM", async () => {
  const child = spawn(process.execPath, [command, "start", "--json", "--no-open", "--port", "0"], {
    ...{ cwd: folder.path, env: bareEnvironment(), stdio: ["ignore", "pipe", "inherit"] },
  });
  children.push(child);
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const { url } = JSON.parse(line) as { url: string };
  expect((await fetch(`${url}/health`)).status).toBe(200);
  expect((await fetch(`${url}/api/agents`)).status).toBe(401);
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});

test("charter acp answers an editor's first words and one prompt, and ends when the editor leaves", async () => {
  const stage = createStage("assistant");
  const process = stage.start();
  children.push(process.child);
  const editor = connectEditor(process);
  expect(await editor.initialize()).toMatchObject({ protocolVersion: 1, agentInfo: { name: "charter" } });
  const session = await editor.open(stage.work);
  expect(await editor.prompt(session, "Hello.")).toMatchObject({ stopReason: "end_turn" });
  expect(answerIn(editor.seen.updates)).toContain("(stand-in model)");
  expect(await process.leave()).toBe(0);
  stage.remove();
});
