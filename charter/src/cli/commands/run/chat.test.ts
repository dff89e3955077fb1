import { expect, test } from "vitest";
import { usualAskMode } from "./chat.ts";

test("whoever can answer is asked before an agent changes files; all others are asked about nothing more than before", () => {
  const modes = [true, false].flatMap((mayAsk) =>
    [true, false].map((worksInFiles) => usualAskMode({ mayAsk, worksInFiles })),
  );
  expect(modes).toEqual(["writes", "never", "never", "never"]);
});
