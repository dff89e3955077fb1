import { expect, test } from "vitest";
import { attackPaths, newBesieged } from "../automaton/attacks.ts";
import { runs, seed } from "../tiers/search.ts";

/** A world lives through so many attacks, so that what one leaves behind meets the next. */
const lasting = 50;
const attacks = runs(15, 1000);

test("whoever attacks by whatever way: layers 0 to 5 stand to the byte, nothing leaves its fence, and it is on record", async () => {
  const tried = new Set<string>();
  for (let done = 0; done < attacks; done += lasting) {
    const besieged = await newBesieged();
    try {
      for (let attack = seed + done; attack < seed + Math.min(attacks, done + lasting); attack++) {
        const { by, recorded } = await besieged.attack(attack).catch((error) => {
          throw new Error(`Attack ${attack}: ${error.message}`, { cause: error });
        });
        expect([attack, by, recorded]).toEqual([attack, by, expect.stringMatching(/\S/)]);
        tried.add(by);
      }
    } finally {
      await besieged.close();
    }
  }
  if (attacks >= 1000) expect([...tried].sort()).toEqual([...attackPaths].sort());
});
