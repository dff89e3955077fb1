import { existsSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { calls, scripted } from "./model.ts";
import { runs } from "./workspace-bench.ts";
import { workspaceStage } from "./workspace-stage.ts";

const at = workspaceStage();

test("it runs what it is told to, and what is told of much that was printed is never cut away", async () => {
  at.bench.put("long.txt", `${"x".repeat(99)}\n`.repeat(10_000));
  const shell = (command: string) => ["bash", { command }] as const;
  const model = scripted([calls(shell("echo hello; exit 3"), shell("cat long.txt")), "Fine."]);
  await at.agent({ model }).runTurn({ input: "Go.", user: "mia" });
  const [short, long] = at.results().map(({ output }) => output);
  expect(short).toBe("hello\n\n[Exit code 3.]");
  expect(long?.slice(long.lastIndexOf("\n") + 1)).toBe(
    "[Lines 9510-10000 of 10000; 976.6 KB were printed in all, and what came before is gone.]",
  );
  expect(long?.length).toBeLessThanOrEqual(50_000);
});

describe("a command is never left running", () => {
  const command = "sleep 1000 & echo $! > part; mv part pid; wait";

  test("when the turn is stopped", async () => {
    const stop = new AbortController();
    const started = appears("pid");
    const turn = at.agent().runTurn({ input: `run ${command}`, user: "mia" }, { signal: stop.signal });
    await started;
    const pid = Number(at.bench.text("pid"));
    expect(runs(pid)).toBe(true);
    stop.abort();
    expect((await turn).state).toBe("failed");
    await gone(pid);
  });

  test("when it takes longer than a tool may", async () => {
    const agent = at.agent({ limits: { toolSeconds: 1 } });
    await agent.runTurn({ input: `run ${command}`, user: "mia" });
    expect(at.results().map(({ output }) => output)).toEqual([
      "It had not finished within 1 s; whether it took effect is not known.",
    ]);
    await gone(Number(at.bench.text("pid")));
  });
});

async function appears(name: string): Promise<void> {
  const path = join(at.bench.root, name);
  await new Promise<void>((resolve) => {
    const watcher = watch(at.bench.root, () => {
      if (!existsSync(path) || readFileSync(path, "utf8") === "") return;
      watcher.close();
      resolve();
    });
  });
}

async function gone(pid: number): Promise<void> {
  while (runs(pid)) await wait(10);
}
