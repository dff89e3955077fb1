import { expect, test } from "vitest";
import { homes } from "../../homes.ts";
import { flood } from "./flood.ts";

test.each(homes)(
  "10,000 new signers, each from its own address: a token and a known signer are answered (%s)",
  async (home) => {
    const { answers, others, turns } = await flood({ home, signers: 10_000, addresses: "many" });
    const { "201 posted": posted = 0, "429 inbox-full": full = 0 } = answers;
    expect([posted + full, Object.keys(answers).filter((one) => !/^(201 posted|429 inbox-full)$/.test(one))]).toEqual([
      10_000,
      [],
    ]);
    expect(others).toBeGreaterThan(10);
    expect(turns).toBeLessThanOrEqual(6);
  },
  900_000,
);
