import { expect, test } from "vitest";
import { empty, firstOf, fromText, join, present, type Reading, unavailable } from "./reading.ts";

const one = present([{ text: "one" }]);
const two = present([{ text: "two" }]);
const away = unavailable("the disk is gone");

const joins: [what: string, readings: Reading[], joined: Reading][] = [
  ["nothing", [], { status: "empty" }],
  ["all empty", [empty, empty], { status: "empty" }],
  ["one of them there", [empty, one], { status: "present", parts: [{ text: "one" }] }],
  ["both there", [one, two], { status: "present", parts: [{ text: "one" }, { text: "two" }] }],
  ["one empty, one out of reach", [empty, away], { status: "unavailable", reason: "the disk is gone" }],
  [
    "one there, one out of reach",
    [one, away],
    {
      status: "present",
      parts: [{ text: "one" }],
      notices: [{ code: "source-unavailable", message: "the disk is gone" }],
    },
  ],
  [
    "notices of all of them",
    [
      { ...empty, notices: [{ code: "a", message: "A" }] },
      { ...one, notices: [{ code: "b", message: "B" }] },
    ],
    {
      status: "present",
      parts: [{ text: "one" }],
      notices: [
        { code: "a", message: "A" },
        { code: "b", message: "B" },
      ],
    },
  ],
  [
    "notices of nothing but empty ones",
    [{ ...empty, notices: [{ code: "a", message: "A" }] }, empty],
    { status: "empty", notices: [{ code: "a", message: "A" }] },
  ],
];
for (const [what, readings, joined] of joins) test(`join, ${what}`, () => expect(join(...readings)).toEqual(joined));

test("a single reading is handed on as the same object, so that it is known again", () => {
  expect(join(one)).toBe(one);
});

const firsts: [what: string, readings: Reading[], first: Reading][] = [
  ["nothing", [], empty],
  ["the first there", [one, two], one],
  ["an empty one is passed over", [empty, two], two],
  ["one out of reach is not replaced by the next", [away, two], away],
  ["all empty", [empty, empty], empty],
];
for (const [what, readings, first] of firsts)
  test(`first of, ${what}`, () => expect(firstOf(...readings)).toEqual(first));

test("blank text is empty, and no parts are", () => {
  expect([fromText(""), fromText(" \n\t"), fromText(null), fromText(undefined), present([])]).toEqual(
    Array.from({ length: 5 }, () => ({ status: "empty" })),
  );
});
