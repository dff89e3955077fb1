import { expect, test } from "vitest";
import { compileBlocks } from "./docs-types.ts";

test("every block of TypeScript in the pages compiles", { timeout: 120_000 }, () => {
  const { blocks, faults } = compileBlocks();
  expect(blocks).toBeGreaterThan(50);
  expect(faults).toEqual([]);
});
