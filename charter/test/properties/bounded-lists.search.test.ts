import { expect, test } from "vitest";
import { itemsOf, listCalls, listFunctions } from "./bounded-lists.ts";
import { loadFunction } from "./bounded-work.ts";
import { growthOf, mostGrowth } from "./work.ts";

test.each(listFunctions())("$key: four times the items are four times the work", async ({ key }) => {
  const called = await loadFunction(key);
  const given = listCalls[key] ?? ((value: unknown) => [value]);
  const grown: string[] = [];
  for (const shape of Object.keys(itemsOf(1))) {
    const growth = await growthOf((count) => {
      const value = itemsOf(count)[shape];
      return async () => {
        try {
          await called(...given(value));
        } catch (error) {
          if (error instanceof RangeError) throw error;
        }
      };
    });
    if (growth >= mostGrowth) grown.push(`${shape}: ${growth}`);
  }
  expect(grown).toEqual([]);
});
