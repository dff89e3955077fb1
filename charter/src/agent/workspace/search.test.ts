import { expect, test } from "vitest";
import { withSearch } from "./search.ts";

test("a search is over with its turn, however much time it has", async () => {
  const turn = new AbortController();
  const seen = await withSearch(1_000_000, turn.signal, async ({ signal, isLate }) => {
    const before = [signal.aborted, isLate()];
    turn.abort();
    return { before, after: [signal.aborted, isLate()] };
  });
  expect(seen).toEqual({ before: [false, false], after: [true, true] });
});
