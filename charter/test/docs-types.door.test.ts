import { expect, test } from "vitest";
import { compileBlocks } from "./docs-types.ts";

test("every block of TypeScript in the pages compiles", async () => {
  const { blocks, faults } = await compileBlocks();
  expect(blocks).toBeGreaterThan(50);
  expect(faults).toEqual([]);
});
