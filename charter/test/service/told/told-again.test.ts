import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { bareEnvironment, command } from "../../cli.ts";
import { eventually } from "../../eventually.ts";
import { whole } from "../../homes.ts";
import { expectFreed, onScene, processesOf, toldMeanwhile } from "./told-to-end.ts";

const launcher = ["the launcher", "20"] as const;

test.concurrent("a second TERM to the launcher ends all at once, with 128 + its number", (context) =>
  onScene(context, launcher, async (scene, by) => {
    const { provider, store } = scene;
    provider.mode("waits");
    const started = await scene.start(by);
    const asked = started.bo("POST /api/agents/ada/turns", { input: "Under way." }).catch((error: Error) => error.name);
    await provider.waiting(1);
    let ended: number | string | undefined;
    void started.ended.then((how) => {
      ended = how;
    });
    // As one does who has no patience: what comes within a moment of the first counts as the first.
    await eventually(() => {
      if (ended === undefined) started.child.kill("SIGTERM");
      return ended !== undefined;
    });
    // The last of them may have met a launcher that was about to end so.
    expect([ended === "SIGTERM" ? 143 : ended, await asked]).toEqual([143, "TypeError"]);
    expect(processesOf(scene)).toEqual([]);
    await expectFreed(scene, started);
    expect((await store.turns.list({ agent: "ada" })).map(({ state }) => state)).toEqual(["running"]);
  }));

test.concurrent("QUIT ends both at once, by the same signal", (context) =>
  onScene(context, launcher, async (scene, by) => {
    const started = await scene.start(by);
    started.child.kill("SIGQUIT");
    expect(await started.ended).toBe("SIGQUIT");
    expect(processesOf(scene)).toEqual([]);
    await expectFreed(scene, started);
  }));

test.runIf(whole).concurrent("started with nohup, it does not end because its terminal does; TERM ends it", (context) =>
  onScene(context, launcher, async (scene, { program: [node], env = {} }) => {
    const shell = ["bash", "-c", 'nohup "$@"', "bash"] as const;
    for (const program of [node, process.execPath]) {
      const started = await scene.start({ program: [...shell, program, command], env, group: true });
      const group = -(started.child.pid as number);
      for (let times = 0; times < 5; times++) {
        process.kill(group, "SIGHUP");
        expect((await fetch(`${started.url}/health`)).status).toBe(200);
      }
      process.kill(group, "SIGTERM");
      expect(await started.ended).toBe(0);
      expect(started.said()).toMatch(/Stopping\.\n$/);
    }
  }),
);

test.runIf(whole).concurrent("a Ctrl-C that the launcher hears late is no second one", (context) =>
  onScene(context, launcher, async (scene, by) => {
    const started = await scene.start({ ...by, group: true });
    const pid = started.child.pid as number;
    const ended = await toldMeanwhile(scene, started, async () => {
      process.kill(pid, "SIGSTOP");
      process.kill(-pid, "SIGINT");
      // Longer than the moment in which two are taken for one: the launcher really is that late.
      await sleep(1_000);
      process.kill(pid, "SIGCONT");
      await sleep(1_000);
    });
    expect(ended).toBe(0);
  }),
);

test.runIf(whole).concurrent("a package script that puts it into the background leaves it there", (context) =>
  onScene(context, ["npm", "20"], async (scene, { env = {} }) => {
    const folder = mkdtempSync(join(scene.folder, "package-"));
    const words = `node ${command} start --json --no-open --port 0 --database ${join(scene.folder, "charter.db")}`;
    const scripts = { background: `${words} > said.txt 2>&1 &` };
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "one", scripts }));
    const options = { cwd: folder, env: { ...bareEnvironment(), ...env }, encoding: "utf8" } as const;
    expect(spawnSync("npm", ["run", "background"], options).status).toBe(0);
    const said = () => readFileSync(join(folder, "said.txt"), "utf8");
    await eventually(() => /^\{.*\}$/m.test(said()));
    const { url } = JSON.parse(said().match(/^\{.*\}$/m)?.[0] as string);
    // It would have looked for its parent by then.
    await sleep(2_000);
    expect((await fetch(`${url}/health`)).status).toBe(200);
    for (const pid of processesOf(scene)) process.kill(pid, "SIGTERM");
    await eventually(() => processesOf(scene).length === 0);
  }),
);
