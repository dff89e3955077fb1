import { afterAll, expect, test } from "vitest";
import { argumentsOf, itemsOf, listFunctions } from "./bounded-lists.ts";
import { loadFunction } from "./bounded-work.ts";
import { endCounting, growthOf, mostGrowth } from "./work.ts";

afterAll(endCounting);

test.each(listFunctions())("$key: four times the items are four times the work", async (one) => {
  const called = await loadFunction(one.key);
  const grown: string[] = [];
  for (const shape of Object.keys(itemsOf(1))) {
    const growth = await growthOf((count) => {
      const given = argumentsOf(one, itemsOf(count)[shape]);
      return async () => {
        try {
          await called(...given);
        } catch (error) {
          if (error instanceof RangeError) throw error;
        }
      };
    });
    if (growth >= mostGrowth) grown.push(`${shape}: ${growth}`);
  }
  expect(grown).toEqual([]);
});
