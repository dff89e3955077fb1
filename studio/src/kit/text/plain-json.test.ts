import { expect, test } from "vitest";
import { plainJson } from "./plain-json.ts";

const rows: [what: string, value: unknown, shown: string][] = [
  ["words", { to: "ida@example.org" }, '{\n  "to": "ida@example.org"\n}'],
  ["letters that run the other way", "אבג", '"אבג"'],
  ["words that turn the line around", "invoice\u202Efdp.exe", '"invoice\\u202efdp.exe"'],
  ["words between which something hides", "pay\u200B\u200Dpal\u2066", '"pay\\u200b\\u200dpal\\u2066"'],
  ["words nobody can see at all", "\u{E0041}", '"\\udb40\\udc41"'],
  ["an emoji made of several", "👩‍🚀 ❤️‍🔥", '"👩‍🚀 ❤️‍🔥"'],
  ["a line nobody sees end", "a\u2028b\u0085", '"a\\u2028b\\u0085"'],
  ["nothing", undefined, ""],
];
for (const [what, value, shown] of rows)
  test(`${what}: it says the same, and all of it is seen`, () => {
    expect(plainJson(value)).toBe(shown);
    if (value !== undefined) expect(JSON.parse(shown)).toEqual(value);
  });
