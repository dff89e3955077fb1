import { expect, test } from "vitest";
import { settingsIn } from "./settings-text.ts";

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
