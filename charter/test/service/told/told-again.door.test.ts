import { expect, test } from "vitest";
import { command } from "../../cli.ts";
import { eventually } from "../../eventually.ts";
import { expectFreed, onScene, processesOf } from "./told-to-end.ts";

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

test.concurrent("started with nohup, it does not end because its terminal does; TERM ends it", (context) =>
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
  }));
