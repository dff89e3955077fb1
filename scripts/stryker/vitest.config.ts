import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Which tests are asked first: the quickest, and those of eight Markdown readers last. The first that fails is enough. */
const order = ["charter/src/", "charter/test/properties/", "charter/test/properties/readers.test.ts"];
const rankOf = ({ moduleId }: TestSpecification) => order.findLastIndex((place) => moduleId.includes(place));

class UnitTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => rankOf(one) - rankOf(other) || one.moduleId.localeCompare(other.moduleId));
  }
}

/** The tests of `prompt/` and `amend/`, on the copy that Stryker breaks. */
export default defineConfig({
  test: {
    include: ["charter/src/{prompt,amend}/**/*.test.ts", "charter/test/properties/*.test.ts"],
    exclude: ["**/node_modules/**", "**/*.long.test.ts", "**/front-matter.test.ts"],
    setupFiles: ["scripts/stryker/setup.ts"],
    sequence: { sequencer: UnitTestsFirst },
    // Few values for each property, and the same ones each time: a mutant is judged alike in every run.
    env: { FUZZ_RUNS: "5", FUZZ_SEED: "20260101" },
    isolate: false,
    testTimeout: 60_000,
  },
});
