import { expect, test } from "vitest";
import { rowOf } from "./one-turn.tsx";

/** A list of ids, newest first, and how often it was asked. */
function listOf(size: number) {
  const ids = Array.from({ length: size }, (_, at) => `t${String(size - at).padStart(6, "0")}`);
  let asked = 0;
  const idAt = async (row: number) => {
    asked++;
    return ids[row];
  };
  return { ids, idAt, asked: () => asked };
}

test("every turn is found in a list of any length", async () => {
  for (const size of [1, 2, 7, 8, 9, 33, 100]) {
    const { ids, idAt } = listOf(size);
    for (const [row, id] of ids.entries()) expect(await rowOf(id, idAt)).toBe(row);
  }
});

test("one that is not there is not found, be it newer, older or in between", async () => {
  const { idAt } = listOf(40);
  for (const id of ["t999999", "t000000", "t000020x"]) expect(await rowOf(id, idAt)).toBe(-1);
  expect(await rowOf("t", listOf(0).idAt)).toBe(-1);
});

test("among ten thousand it takes a score of questions", async () => {
  const { ids, idAt, asked } = listOf(10_000);
  expect(await rowOf(ids[9_876] as string, idAt)).toBe(9_876);
  expect(asked()).toBeLessThan(25);
});
