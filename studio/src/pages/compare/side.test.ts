import { expect, test } from "vitest";
import { type Side, sideIn, sideText } from "./side.ts";

const rows: [text: string, side: Side][] = [
  ["turn:0mlrzclc003xxp72m", { kind: "turn", turn: "0mlrzclc003xxp72m" }],
  ["turn:a:b/c", { kind: "turn", turn: "a:b/c" }],
  ["now:", { kind: "now" }],
  [
    "now:user=bo&channel=telegram&edition=compact",
    { kind: "now", user: "bo", channel: "telegram", edition: "compact" },
  ],
  ["now:user=a%26b%3D+c&tokens=900", { kind: "now", user: "a&b= c", tokens: 900 }],
  ["now:at=2026-02-18T12%3A00%3A00Z", { kind: "now", at: "2026-02-18T12:00:00Z" }],
];
for (const [text, side] of rows)
  test(`${text} there and back`, () => {
    expect(sideIn(text)).toEqual(side);
    expect(sideText(side)).toBe(text);
  });

test("what nobody could mean is left out", () => {
  expect(sideIn("now:edition=tiny&tokens=-3&at=never&user=&more=1")).toEqual({ kind: "now" });
  expect([undefined, "", "turn:", "else:1"].map(sideIn)).toEqual([undefined, undefined, undefined, undefined]);
});
