import { expect, test } from "vitest";
import type { Assembled } from "../../assembly/assembled.ts";
import { type Side, sentNow, sentOf, sideIn, sideText } from "./side.ts";

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

const span = (length: number, source = "own") => ({ length, source, revision: null, trust: "own" });
const section = (name: string, lengths: readonly (readonly [number, string])[], more = {}) => ({
  name,
  layer: "one",
  mutability: "amendable",
  stability: "stable",
  trust: "own",
  revision: 1,
  tokens: 5,
  spans: lengths.map(([length, source]) => span(length, source)),
  ...more,
});

test("what was sent is cut where the receipt says, without what parts sections and what delivery says before them", () => {
  const receipt = {
    slots: [
      {
        slot: "system",
        sections: [
          section("soul", [[6, "soul"]]),
          section(
            "rules",
            [
              [1, "a"],
              [4, "b"],
            ],
            { tokens: null },
          ),
        ],
      },
      {
        slot: "update",
        sections: [
          section(
            "soul",
            [
              [9, "delivery"],
              [3, "soul"],
            ],
            { revision: 2 },
          ),
        ],
      },
      { slot: "state", sections: [section("time", [[4, "clock"]], { mutability: "live" })] },
    ],
    cuts: [{ section: "rules" }],
  };
  const slots = ["Kind\n\nBe so.", "Changed: New", "Noon"].map((text, index) => ({
    slot: receipt.slots[index]?.slot as string,
    text,
    digest: "",
  }));
  expect(
    sentOf({ slots, receipt }).map(({ name, slot, text, cut, tokens, tail }) => [name, slot, text, cut, tokens, tail]),
  ).toEqual([
    ["soul", "system", "Kind", false, 5, false],
    ["rules", "system", "Be so", true, 0, false],
    ["soul", "update", "New", false, 5, true],
    ["time", "state", "Noon", false, 5, true],
  ]);
});

test("what parts two sections is no section's words: the last of a slot has nothing after it", () => {
  const receipt = {
    slots: [{ slot: "system", sections: [section("a", [[12, "a"]]), section("b", [[8, "b"]])] }],
    cuts: [],
  };
  const slots = [{ slot: "system", text: "One\n\n---\n\n\n\nTwo\n---\n", digest: "" }];
  expect(sentOf({ slots, receipt }).map(({ text }) => text)).toEqual(["One", "Two\n---"]);
});

test("a prompt that was assembled here stands in the order it would be sent in", () => {
  const about = { layer: "one", trust: "own", source: "own", revision: null, tokens: 3 } as const;
  const assembled = {
    text: "Kind\n---\nNoon\n\nHi\n\nRules",
    sections: [
      { ...about, name: "soul", mutability: "amendable", stability: "stable", start: 0, end: 9, gap: 5 },
      { ...about, name: "time", mutability: "live", stability: "state", start: 9, end: 15, gap: 2 },
      { ...about, name: "mail", mutability: "live", stability: "state", trust: "foreign", start: 15, end: 19, gap: 2 },
      { ...about, name: "rules", mutability: "fixed", stability: "stable", start: 19, end: 24, gap: 0 },
    ],
    cuts: [{ section: "soul" }],
    about: { receiver: { slots: "layered" } },
  };
  expect(
    sentNow(assembled as unknown as Assembled).map(({ name, slot, text, cut, tail }) => [name, slot, text, cut, tail]),
  ).toEqual([
    ["soul", "system", "Kind", true, false],
    ["rules", "system", "Rules", false, false],
    ["time", "update", "Noon", false, true],
    ["mail", "update", "Hi", false, true],
  ]);
  const one = { ...assembled, about: { receiver: { slots: "one-string" } } };
  expect(sentNow(one as unknown as Assembled).map(({ name, slot }) => [name, slot])).toEqual([
    ["soul", "system"],
    ["time", "system"],
    ["rules", "system"],
    ["mail", "update"],
  ]);
});
