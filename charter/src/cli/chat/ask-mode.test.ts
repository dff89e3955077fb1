import { expect, test } from "vitest";
import { askModeIn, usualAskMode } from "./ask-mode.ts";

test("a mode is one of three, or was not named", () => {
  expect([{}, { ask: "never" }, { ask: "writes" }, { ask: "always" }].map(askModeIn)).toEqual([
    undefined,
    "never",
    "writes",
    "always",
  ]);
  expect(() => askModeIn({ ask: "often" })).toThrow(
    expect.objectContaining({ code: "usage", message: "There is no “--ask often”." }),
  );
});

test("whoever can answer is asked before an agent changes files; all others are asked about nothing more than before", () => {
  const modes = [true, false].flatMap((mayAsk) =>
    [true, false].map((worksInFiles) => usualAskMode({ mayAsk, worksInFiles })),
  );
  expect(modes).toEqual(["writes", "never", "never", "never"]);
});
