import { expect, test } from "vitest";
import { bothHomes } from "../homes.ts";
import { times } from "../tiers/search.ts";
import { dieAtMoments } from "./reply-moments.ts";
import { stages } from "./reply-stage.ts";

const stage = stages();
/** About so many steps there are between an answer and its reply in a final block. */
const steps = 70;

test.each(bothHomes)("whoever sends a reply dies at any moment, on %s: there is one transaction", async (home) => {
  expect(await dieAtMoments(await stage(home), Math.round(steps / times(steps, 3)))).toBeGreaterThan(60);
});
