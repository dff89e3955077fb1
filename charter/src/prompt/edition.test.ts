import { expect, test } from "vitest";
import { edition } from "./edition.ts";

test("there are two editions, and another is a Problem", () => {
  expect([edition("full"), edition("compact")]).toEqual(["full", "compact"]);
  expect(() => edition("tiny")).toThrow("There is no edition “tiny”.");
});
