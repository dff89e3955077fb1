import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { replayRequest } from "../../../src/agent/replay.ts";
import { createStore } from "../../../src/store/index.ts";
import { startRecorder } from "../../../src/testing/strict/recorder.ts";
import { speak } from "../../../src/testing/strict/speech.ts";
import { newFile } from "../../homes.ts";
import { asksWindow } from "../extensions/loopback-agent.ts";
import { models, twoModelAgent } from "./failover-life.ts";

const program = new URL("./failover-life.ts", import.meta.url).pathname;

test("a process that dies while the second model is asked: the next one goes on with what was done", async () => {
  const place = await newFile();
  const folder = mkdtempSync(join(tmpdir(), "charter-failover-"));
  const file = join(folder, "written");
  let child: ChildProcess | undefined;
  let answers = false;
  const none = { status: 404, body: "{}" };
  let asked = 0;
  const one = await startRecorder({
    answer: (request) => {
      if (asksWindow(request)) return none;
      const calls = [{ id: "c1", name: "write", input: "{}" }];
      return asked++ === 0 ? { body: speak("anthropic", { calls }) } : { status: 529, body: "{}" };
    },
  });
  const two = await startRecorder({
    answer: (request) => {
      if (asksWindow(request)) return none;
      if (answers) return { body: speak("openai", { text: ["It is written."] }) };
      child?.kill("SIGKILL");
      return { body: speak("openai", { text: ["It is"] }).slice(0, 2), ends: "open" };
    },
  });
  const orders = { url: place.url, servers: [one.url, two.url] as const, file };
  const store = await createStore(place.open());
  try {
    await store.agents.add({ name: "ada", charter: "test", model: models[0], fallbacks: [models[1]] });
    child = spawn(process.execPath, ["--conditions=charter-source", program, JSON.stringify(orders)], {
      stdio: "inherit",
    });
    const signal = await new Promise((ended) => child?.on("close", (_, by) => ended(by)));
    expect(signal).toBe("SIGKILL");

    answers = true;
    const agent = await twoModelAgent(store, orders);
    const before = asked;
    const next = await agent.runTurn({ input: "And?", user: "bo" });
    const killed = await store.turns.get("killed");
    expect([killed.state, killed.session === next.session, next.reply]).toEqual([
      "interrupted",
      true,
      "It is written.",
    ]);
    // The session had gone on with the second: the first is not tried again in it, and the tool ran once.
    expect([asked - before, readFileSync(file, "utf8")]).toEqual([0, "c1\n"]);
    const told = two.requests.at(-1)?.body ?? "";
    expect([told.match(/Written\./g)?.length, told.includes("And?")]).toEqual([1, true]);
    const receivers = async (turn: string) => (await store.steps.of(turn)).map(({ receipt }) => receipt?.receiver);
    expect(await receivers("killed")).toEqual([models[0], models[0], models[1]]);
    expect(await receivers(next.turn)).toEqual([models[1]]);
    for (const step of [1, 2, 3]) expect((await replayRequest(store, "killed", step)).step.step).toBe(step);
    expect((await replayRequest(store, next.turn)).step.step).toBe(1);
  } finally {
    child?.kill("SIGKILL");
    await Promise.all([store.close(), one.close(), two.close()]);
    await place.remove();
    rmSync(folder, { recursive: true, force: true });
  }
});
