import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createConnection } from "node:net";
import { delimiter, join } from "node:path";
import { expect, type TestContext } from "vitest";
import { verifyStore } from "../../../src/store/verify/verify.ts";
import { command } from "../../cli.ts";
import { eventually } from "../../eventually.ts";
import { root } from "../../fetched-package.ts";
import { type NodeName, nodeFolder } from "../../nodes.ts";
import { newScene, type Scene, type Started, type StartedBy } from "../started.ts";

/** The processes of a scene, whoever started them: its folder stands on their command lines. */
export function processesOf({ folder }: Pick<Scene, "folder">): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && wordsOf(pid).includes(folder));
}

export function wordsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

export function childOf(parent: number): number {
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").trim();
  if (children === "") throw new Error(`${parent} has no child.`);
  return Number(children.split(" ")[0]);
}

export const ways = ["the launcher", "npm", "npx", "process 1"] as const;
export type Way = (typeof ways)[number];

/** How the command is started on this Node; why not, where it cannot be. */
export async function startedBy(way: Way, node: NodeName): Promise<StartedBy | { readonly absent: string }> {
  const folder = await nodeFolder(node);
  if (typeof folder !== "string") return folder;
  const program = join(folder, "node");
  const env = { PATH: [folder, process.env.PATH].join(delimiter) };
  const byShell = { cwd: root, env };
  if (way === "npm") return { program: ["npm", "run", "charter", "--"], ...byShell };
  if (way === "npx") return { program: ["npx", "charter"], ...byShell };
  if (way === "process 1")
    return { program: ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child", program, command], env };
  return { program: [program, command], env };
}

/** The process that is sent the signal: as process 1, the one that is it. */
export function toldOf(way: Way, { child }: Started): number {
  const pid = child.pid as number;
  return way === "process 1" ? childOf(pid) : pid;
}

export const mayUnshare = spawnSync("unshare", ["--pid", "--fork", "--mount-proc", "true"]).status === 0;

/** The work is left out, with the reason, where the Node or the right to make a process 1 cannot be had. */
export async function onScene(
  { skip, onTestFinished }: TestContext,
  [way, node]: readonly [Way, NodeName],
  work: (scene: Scene, by: StartedBy) => Promise<void>,
): Promise<void> {
  const by = await startedBy(way, node);
  if ("absent" in by) return skip(by.absent);
  if (way === "process 1" && !mayUnshare) return skip("unshare is not here, or not allowed.");
  const scene = await newScene();
  // Also after one that waited too long: a process that does not end is what is looked for here.
  onTestFinished(async () => {
    for (const pid of processesOf(scene)) process.kill(pid, "SIGKILL");
    await scene.close();
  });
  await work(scene, by);
}

/** A turn is under way; who started it is told to end. The turn is answered all the same, and nothing is left of it. */
export async function toldMeanwhile(
  scene: Scene,
  started: Started,
  tell: () => void,
): Promise<number | NodeJS.Signals> {
  const { provider, store } = scene;
  provider.mode("waits");
  const asked = started.bo("POST /api/agents/ada/turns", { input: "Under way." });
  await provider.waiting(1);
  const toldAll = tell();
  await eventually(() => started.said().includes("Stopping when the running turn ends"));
  await toldAll;
  provider.letGo();
  const { status, body } = await asked;
  expect([status, body.error, body.reply]).toEqual([200, undefined, "Re: Under way."]);
  const ended = await started.ended;
  await eventually(() => processesOf(scene).length === 0);
  await expectFreed(scene, started);
  expect((await store.turns.list({ agent: "ada" })).map(({ state }) => state)).toEqual(["answered"]);
  return ended;
}

/** The port takes nobody, and the database opens, can be written to and is whole. */
export async function expectFreed({ store }: Scene, { url }: Started): Promise<void> {
  const { port } = new URL(url);
  const refused = await new Promise((resolve) =>
    createConnection({ host: "127.0.0.1", port: Number(port) })
      .on("connect", () => resolve("connected"))
      .on("error", (error: NodeJS.ErrnoException) => resolve(error.code)),
  );
  expect(refused).toBe("ECONNREFUSED");
  await store.agents.put({ name: "eve", charter: "assistant" });
  expect((await verifyStore(store.home)).faults).toEqual([]);
}
