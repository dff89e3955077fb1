import { afterAll, beforeAll, expect, test } from "vitest";
import { attackPaths, type Besieged, newBesieged, orders } from "./attacks.ts";

/** The same orders by every way there is; ten thousand others in properties/governance.test.ts. */

let besieged: Besieged;
beforeAll(async () => {
  besieged = await newBesieged();
});
afterAll(() => besieged.close());

for (const by of attackPaths)
  test(`by ${by}: the law stands, nothing leaves its fence, each try is on record, and no layer gives in`, async () => {
    // What looks at whole databases is tried less often.
    const isWhole = by === "checkpoint" || by === "row";
    for (const [index, words] of (isWhole ? orders.slice(0, 2) : orders).entries())
      for (const seed of isWhole ? [1] : [1, 2]) {
        const recorded = await besieged.attackBy(by, words, index * 10 + seed);
        expect([words, seed, recorded]).toEqual([words, seed, expect.stringMatching(/\S/)]);
      }
    expect(await besieged.isAmended()).toBe(false);
  });
