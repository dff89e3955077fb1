import { defaultClientConditions, defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";
import { files, type Tier } from "./charter/test/tiers/tier.ts";

/** Tests read the source, never a build that may be older. */
const fromSource = "charter-source";

/** Generous: a machine may be slow, and a test that hangs is found all the same. */
const patience: Readonly<Record<Tier, number>> = { logic: 120_000, doors: 300_000, search: 1_800_000 };
const setups: Readonly<Record<Tier, string>> = { logic: "logic-setup", doors: "doors-setup", search: "doors-setup" };

const tier = (name: Tier) => ({
  extends: true as const,
  test: {
    name,
    ...files[name],
    env: { CHARTER_TIER: name },
    globalSetup: [`charter/test/tiers/${setups[name]}.ts`],
    testTimeout: patience[name],
    // Most of the logic runs once: compiling what runs often, and threads of the collector's own, cost a tenth more than they win.
    ...(name === "logic" ? { execArgv: ["--no-opt", "--single-threaded-gc"] } : {}),
  },
});

export default defineConfig({
  resolve: { conditions: [fromSource, ...defaultClientConditions] },
  ssr: { resolve: { conditions: [fromSource, ...defaultServerConditions] } },
  test: {
    projects: [tier("logic"), tier("doors"), tier("search")],
    setupFiles: ["charter/test/tiers/counting.ts"],
    reporters: ["default", "./charter/test/tiers/ledger.ts"],
    hookTimeout: 300_000,
    teardownTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // One more than two cores: some tests wait for processes, clocks and browsers, and each worker loads everything anew.
    maxWorkers: 3,
    // What each file has loaded is kept, so that `npm run t` knows what an edit can break.
    experimental: { recordDependencies: true },
    // No module here keeps what one test file could leave for the next, and a process for each costs a third of the time.
    isolate: false,
  },
});
