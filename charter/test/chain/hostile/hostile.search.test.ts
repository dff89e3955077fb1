import { test } from "vitest";
import { seed, times } from "../../tiers/search.ts";
import { expectHarmless } from "./harmless.ts";

const runs = [
  ["sqlite", times(10_000), times(500)],
  ["postgres", times(1_500), times(200)],
] as const;

test.each(runs)(
  "kept in %s, %i hostile posts and %i replies on the chain: none does harm, and none is stuck",
  async (home, posts, sent) => {
    console.log(`${home}: ${JSON.stringify(await expectHarmless(home, { posts, sent, seed }))}`);
  },
);
