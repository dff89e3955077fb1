import { test } from "vitest";
import { searchBoth } from "./memory-search.ts";

test("mixed searches find the same on both homes, in the same order, and nobody's note but one's own", () =>
  searchBoth(100));
