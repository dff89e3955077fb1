import { expect, test } from "vitest";
import { chosenStart, isKeyOpen, withKey } from "./folds.ts";

test("a part is opened and folded in the address, one at a time or all but one", () => {
  expect(withKey(undefined, "m3", true)).toBe("m3");
  expect(withKey("m3", "t1", true)).toBe("m3,t1");
  expect(withKey("m3,t1", "m3", false)).toBe("t1");
  expect(withKey("t1", "t1", false)).toBeUndefined();
  expect(withKey("all", "m3", false)).toBe("all,-m3");
  expect(withKey("all,-m3", "m3", true)).toBe("all");
  expect(["m3", "m4"].map((key) => isKeyOpen("all,-m3", key))).toEqual([false, true]);
  expect(["m3", "m4"].map((key) => isKeyOpen("m3", key))).toEqual([true, false]);
});

test("the chosen stretch is named by its part and where it begins", () => {
  expect(chosenStart("s.120", "s")).toBe(120);
  expect(chosenStart("s.120", "m1")).toBeUndefined();
  expect(chosenStart("nonsense", "s")).toBeUndefined();
});
