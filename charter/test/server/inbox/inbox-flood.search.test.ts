import { expect, test } from "vitest";
import { times } from "../../tiers/search.ts";
import { flood } from "./flood.ts";

// Most of the time goes into making the signatures; what differs between the homes shows in fewer, too.
const floods = [
  ["sqlite", times(10_000)],
  ["postgres", times(2_000)],
] as const;

test.each(floods)(
  "on %s, %i new signers, each from its own address: a token and a known signer are answered meanwhile",
  async (home, signers) => {
    const { answers, others, turns } = await flood({ home, signers, addresses: "many" });
    const { "201 posted": posted = 0, "429 inbox-full": full = 0, ...rest } = answers;
    expect([posted + full, rest]).toEqual([signers, {}]);
    expect(others).toBeGreaterThan(0);
    expect(turns).toBeLessThanOrEqual(6);
  },
);
