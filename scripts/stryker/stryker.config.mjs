// Stryker breaks prompt/ and amend/ in every way it knows; the tests must notice. Run by `npm run mutate`.

/** @type {import("@stryker-mutator/api/core").PartialStrykerOptions} */
export default {
  mutate: ["charter/src/{prompt,amend}/**/*.ts", "!**/*.test.ts"],
  // Words are compared by the tests where they matter; a mutant for each would double the time.
  mutator: { excludedMutations: ["StringLiteral"] },
  // A static mutant needs every test for itself. Tables and patterns at the top of a file are hand-written mutations.
  ignoreStatic: true,
  coverageAnalysis: "perTest",
  testRunner: "vitest",
  vitest: { configFile: "scripts/stryker/vitest.config.ts", related: false },
  plugins: ["@stryker-mutator/vitest-runner"],
  // There is no such file, on purpose: TypeScript 7 has no JavaScript interface with which Stryker could rewrite one.
  tsconfigFile: "no-tsconfig.json",
  disableTypeChecks: false,
  ignorePatterns: ["/docs", "/examples", "/studio", "/charter/dist"],
  concurrency: 2,
  incremental: true,
  incrementalFile: ".stryker/incremental.json",
  tempDirName: ".stryker/tmp",
  reporters: ["clear-text", "json", "progress-append-only"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, skipFull: true },
  jsonReporter: { fileName: ".stryker/report.json" },
  thresholds: { high: 95, low: 85, break: 85 },
};
