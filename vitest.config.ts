import { defaultClientConditions, defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";

/** Tests read the source, never a build that may be older. */
const fromSource = "charter-source";

/**
 * What takes long stands in files of its own, which `npm run test:long` runs instead of the others. Many of them only import
 * a short test, which then runs in full (`whole` in charter/test/homes.ts).
 */
const long = process.env.CHARTER_LONG === "1";
const longTests = "**/*.long.test.ts";
const tests = ["charter/src/**/*.test.ts", "charter/test/**/*.test.ts", "examples/**/*.test.ts", "studio/**/*.test.ts"];

export default defineConfig({
  resolve: { conditions: [fromSource, ...defaultClientConditions] },
  ssr: { resolve: { conditions: [fromSource, ...defaultServerConditions] } },
  test: {
    include: long ? [longTests] : tests,
    exclude: ["**/node_modules/**", "**/dist/**", "bench/**", ...(long ? [] : [longTests])],
    globalSetup: ["charter/test/setup.ts", "charter/test/browser-setup.ts"],
    // Generous: a machine may be slow, and a test that hangs is found all the same.
    testTimeout: long ? 1_800_000 : 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // Two more than two cores: some tests wait for processes, clocks and browsers.
    maxWorkers: 4,
    // No module here keeps what one test file could leave for the next, and a process for each costs a third of the time.
    isolate: false,
  },
});
