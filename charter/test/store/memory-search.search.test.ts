import { test } from "vitest";
import { times } from "../tiers/search.ts";
import { searchBoth } from "./memory-search.ts";

test("10,000 mixed searches find the same on both homes, in the same order, and nobody's note but one's own", () =>
  searchBoth(times(10_000, 500)));
