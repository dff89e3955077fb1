import fc from "fast-check";
import { expect, test } from "vitest";
import { isSame, mergeChanges, settingsIn } from "./setup.ts";

test("two who change different settings lose nothing", () => {
  const base = { zone: "UTC", original: { soul: "Kind.", identity: { name: "Ada" } } };
  const mine = { zone: "UTC", original: { soul: "Brief.", identity: { name: "Ada" } } };
  const theirs = { original: { soul: "Kind.", identity: { name: "Eve" } }, window: 9000 };
  expect(mergeChanges(base, mine, theirs)).toEqual({
    merged: { original: { soul: "Brief.", identity: { name: "Eve" } }, window: 9000 },
    conflicts: [],
    taken: [["zone"], ["original", "identity", "name"], ["window"]],
  });
});

test("what both have changed is a conflict, and mine stands until someone decides", () => {
  expect(mergeChanges({ models: ["a"], x: 1 }, { models: ["b"] }, { models: ["c"], x: 2 })).toEqual({
    merged: { models: ["b"] },
    conflicts: [
      { path: ["models"], mine: ["b"], theirs: ["c"] },
      { path: ["x"], mine: undefined, theirs: 2 },
    ],
    taken: [],
  });
});

const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)));

test("whoever has changed nothing has what the other made of it", () => {
  fc.assert(
    fc.property(json, json, (base, other) => {
      expect(isSame(mergeChanges(base, base, other).merged, other)).toBe(true);
      expect(isSame(mergeChanges(base, other, base).merged, other)).toBe(true);
      expect(mergeChanges(base, other, base).conflicts).toEqual([]);
      expect(mergeChanges(base, other, other)).toMatchObject({ conflicts: [] });
    }),
  );
});

test("without conflicts both changes come to the same from either side", () => {
  fc.assert(
    fc.property(json, json, json, (base, one, other) => {
      const [left, right] = [mergeChanges(base, one, other), mergeChanges(base, other, one)];
      expect(left.conflicts.length).toBe(right.conflicts.length);
      if (left.conflicts.length === 0) expect(isSame(left.merged, right.merged)).toBe(true);
    }),
  );
});

test("an object is settings, and nothing at all is an empty one", () => {
  expect(settingsIn('{ "zone": "Europe/Berlin" }')).toEqual({ settings: { zone: "Europe/Berlin" } });
  expect(settingsIn(" \n")).toEqual({ settings: {} });
});

test("what is no object is told so", () => {
  for (const text of ["[]", "1", "null", '"zone"'])
    expect(settingsIn(text)).toEqual({
      fault: "Settings are a JSON object: { … }.",
    });
});

test("a mistake is told by its line", () => {
  expect(settingsIn('{\n  "zone": "Europe/Berlin",\n  "a" 1\n}')).toEqual({
    fault: "This is not JSON: Expected ':' after property name, in line 3, at character 7.",
  });
  expect(settingsIn("{")).toEqual({
    fault: "This is not JSON: Expected property name or '}', in line 1, at character 2.",
  });
  expect(settingsIn('{\n  "a": ')).toEqual({
    fault: "This is not JSON: Unexpected end, in line 2, at character 8.",
  });
});
