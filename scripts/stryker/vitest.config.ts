import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The quickest tests first, which stand in `charter/src`: the first that fails is enough. */
class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => (one.moduleId < other.moduleId ? -1 : 1));
  }
}

/** The tests that `npm run mutate` chose, on the copy that Stryker breaks. */
export default defineConfig({
  ssr: { resolve: { conditions: ["charter-source", ...defaultServerConditions] } },
  test: {
    include: JSON.parse(process.env.MUTATE_TESTS ?? "[]"),
    exclude: ["**/node_modules/**", "**/*.{door,search,long}.test.ts"],
    setupFiles: ["scripts/stryker/setup.ts"],
    sequence: { sequencer: InOrder },
    env: { CHARTER_TIER: "logic" },
    isolate: false,
    testTimeout: 60_000,
  },
});
