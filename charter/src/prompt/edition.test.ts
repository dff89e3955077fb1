import { expect, test } from "vitest";
import { parseEdition } from "./charter.ts";

test("there are two editions, and another is a Problem", () => {
  expect([parseEdition("full"), parseEdition("compact")]).toEqual(["full", "compact"]);
  expect(() => parseEdition("tiny")).toThrow("There is no edition “tiny”.");
});
