import { expect, test } from "vitest";
import { attackPaths, newBesieged } from "../automaton/attacks.ts";
import { patience, runs } from "./generate.ts";

/** A world lives through so many attacks, so that what one leaves behind meets the next. */
const lasting = 50;
const first = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 1e9));

test("whoever attacks by whatever way: layers 0 to 5 stand to the byte, nothing leaves its fence, and it is on record", {
  timeout: patience + runs * 1000,
}, async () => {
  const tried = new Map<string, number>();
  for (let done = 0; done < runs; done += lasting) {
    const besieged = await newBesieged();
    try {
      for (let seed = first + done; seed < first + Math.min(runs, done + lasting); seed++) {
        const { by, recorded } = await besieged.attack(seed).catch((error) => {
          throw new Error(`FUZZ_SEED=${seed}: ${error.message}`, { cause: error });
        });
        expect([seed, by, recorded]).toEqual([seed, by, expect.stringMatching(/\S/)]);
        tried.set(by, (tried.get(by) ?? 0) + 1);
      }
    } finally {
      await besieged.close();
    }
  }
  if (runs >= 2000) expect([...tried.keys()].sort()).toEqual([...attackPaths].sort());
});
