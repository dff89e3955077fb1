import { relative, resolve } from "node:path";
import { createVitest } from "vitest/node";
import type { Target } from "./target.ts";

/** The test files that were asked about the code as it is. Those that do not pass say nothing about a break. */
export type Unbroken = { readonly passing: readonly string[]; readonly failing: readonly string[] };

/** Runs the tests near the target that import a file of it. `onHang` is told which do not come to an end. */
export async function runUnbroken(
  root: string,
  { files, tests }: Target,
  { patienceMs, onHang }: { readonly patienceMs: number; readonly onHang: (running: readonly string[]) => never },
): Promise<Unbroken> {
  process.env.MUTATE_TESTS = JSON.stringify(tests);
  const running = new Set<string>();
  const passing: string[] = [];
  const failing: string[] = [];
  const reporter = {
    onTestModuleStart: ({ moduleId }: { readonly moduleId: string }) => void running.add(relative(root, moduleId)),
    onTestModuleEnd: (module: { readonly moduleId: string; readonly ok: () => boolean }) => {
      const file = relative(root, module.moduleId);
      running.delete(file);
      (module.ok() ? passing : failing).push(file);
    },
  };
  const vitest = await createVitest("test", {
    config: resolve(root, "scripts/stryker/vitest.config.ts"),
    related: files.map((file) => resolve(root, file)),
    reporters: [reporter],
    watch: false,
    maxWorkers: 1,
  });
  const late = setTimeout(() => onHang([...running]), patienceMs);
  try {
    await vitest.start();
  } catch (error) {
    // No test near it imports the target, which the caller sees.
    if ((error as { code?: string }).code !== "VITEST_FILES_NOT_FOUND") throw error;
  } finally {
    clearTimeout(late);
    await vitest.close();
  }
  return { passing: passing.sort(), failing: failing.sort() };
}
