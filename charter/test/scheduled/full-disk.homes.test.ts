import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Host } from "../../src/host/host.ts";
import { Problem } from "../../src/index.ts";
import { meeting } from "../agent/stage.ts";
import { homes } from "../homes.ts";
import { newScheduled, type ScheduledStage } from "./stage.ts";

describe.each(homes)("a store that can be read and not written, on %s", (home) => {
  let stage: ScheduledStage;
  beforeAll(async () => {
    stage = await newScheduled(home);
  });
  afterAll(() => stage.close());

  test("a run that cannot be taken is not tried again at once: the worker waits before each time", async () => {
    await stage.schedule({ at: "2026-02-19T08:00:00Z" });
    stage.time.now = new Date("2026-02-19T08:00:00Z");
    const { met: ended, meet: end } = meeting();
    const happened: string[] = [];
    const take: typeof stage.store.runs.claim = async (...asked) => {
      if (happened.filter((one) => one === "disk-full").length === 6) return stage.store.runs.claim(...asked);
      throw new Problem("disk-full", "There is no room left.", "Make room.");
    };
    const host: Host = { ...stage.host, store: { ...stage.store, runs: { ...stage.store.runs, claim: take } } };
    const worker = await stage.worker({
      host,
      sleep: async (ms, signal) => {
        if (ms === 1000) happened.push("waits");
        await new Promise((resolve) => setTimeout(resolve, signal.aborted ? 0 : 2));
      },
      pollMs: 5,
      on: (event) => {
        if (event.kind === "trouble") happened.push(event.code);
        if (event.kind === "run-end") end();
      },
    });
    await worker.start();
    await ended;
    await worker.stop();
    expect(happened).toEqual(Array.from({ length: 6 }, () => ["disk-full", "waits"]).flat());
    expect(await stage.runs()).toMatchObject([{ state: "answered", tries: 1 }]);
  });
});
