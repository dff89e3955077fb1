import { expect, test } from "vitest";
import { endOfLease, isLeaseFree } from "./lease.ts";

const [at, later] = ["2026-02-18T15:04:00.000Z", "2026-02-18T15:05:00.000Z"];
const asks = { runner: "here:1", at };

test.each([
  ["nobody has it", { runner: null, leasedUntil: null }, true],
  ["it has it already", { runner: "here:1", leasedUntil: later }, true],
  ["another has it", { runner: "there:2", leasedUntil: later }, false],
  ["another has it until now", { runner: "there:2", leasedUntil: at }, false],
  ["another had it", { runner: "there:2", leasedUntil: "2026-02-18T15:03:59.999Z" }, true],
  ["another has it without an end", { runner: "there:2", leasedUntil: null }, true],
])("%s", (_, held, isFree) => expect(isLeaseFree(held, asks)).toBe(isFree));

test("who is gone has nothing, and only of another it is asked", () => {
  const asked: string[] = [];
  const isGone = (runner: string) => asked.push(runner) > 0;
  expect(isLeaseFree({ runner: "there:2", leasedUntil: later }, { ...asks, isGone })).toBe(true);
  expect(isLeaseFree({ runner: "here:1", leasedUntil: later }, { ...asks, isGone })).toBe(true);
  expect(asked).toEqual(["there:2"]);
});

test("it is over so long after it was taken", () => expect(endOfLease(at, 60_000)).toBe(later));
