// How Stryker breaks what `npm run mutate` names.

/** @type {import("@stryker-mutator/api/core").PartialStrykerOptions} */
export default {
  // Words are compared by the tests where they matter; a mutant for each would double the time.
  mutator: { excludedMutations: ["StringLiteral"] },
  // A mutant at the top of a file needs every test for itself. Tests of walls, limits and prices show whole values instead.
  ignoreStatic: true,
  coverageAnalysis: "perTest",
  testRunner: "vitest",
  vitest: { configFile: "scripts/stryker/vitest.config.ts", related: false },
  plugins: ["@stryker-mutator/vitest-runner"],
  // There is no such file, on purpose: TypeScript 7 has no JavaScript interface with which Stryker could rewrite one.
  tsconfigFile: "no-tsconfig.json",
  disableTypeChecks: false,
  ignorePatterns: ["/docs", "/examples", "/studio", "/charter/dist"],
  // On a busy machine a test may be slow, and a mutant that only seems to hang would count as noticed.
  timeoutMS: 30_000,
  timeoutFactor: 3,
  dryRunTimeoutMinutes: 30,
  incremental: true,
  tempDirName: ".stryker/tmp",
  reporters: ["progress-append-only"],
};
