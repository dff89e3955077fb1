import { describe, expect, test } from "vitest";
import type { Problem } from "../../prompt/problem.ts";
import { makeBody, readBody } from "./memory-key.ts";

const anywhere = () => true;

test.each([
  ["core", "I am Ada.", '{"slug":"core","profile":"I am Ada."}'],
  ["core", "", '{"slug":"core","profile":""}'],
  ["mem/a", "é\n“”😀", '{"slug":"mem/a","value":"é\\n“”😀"}'],
  ["mem/a", null, '{"slug":"mem/a","value":null}'],
])("the body of %s with %j is written and read again", (slug, text, json) => {
  expect(makeBody(slug, text)).toBe(json);
  expect(readBody(json, anywhere)).toEqual({ slug, text });
});

test("65,535 bytes are the most, as UTF-8 and with what JSON adds", () => {
  const room = 65_535 - '{"slug":"core","profile":""}'.length;
  const fits = [
    `${"a".repeat(room)}`,
    `${"é".repeat(room >> 1)}${"a".repeat(room % 2)}`,
    `${'"'.repeat(room >> 1)}${"a".repeat(room % 2)}`,
  ];
  for (const text of fits) {
    const body = makeBody("core", text) as string;
    expect(Buffer.byteLength(body)).toBe(65_535);
    expect(readBody(body, anywhere)).toEqual({ slug: "core", text });
    expect(makeBody("core", `${text}a`)).toMatchObject({
      code: "bad-memory",
      message: "The memory “core” would be 65,536 bytes as JSON; at most 65,535 can be published.",
    });
    expect(readBody(body.replace('"}', 'a"}'), anywhere)).toEqual({ fault: "it has more than 65,535 bytes" });
  }
});

test.each([
  ["core", null, "bad-memory: The memory “core” cannot be deleted."],
  ["core", "\ud800", "bad-memory: The memory “core” holds half a character or a NUL."],
  ["mem/a", "a\0", "bad-memory: The memory “mem/a” holds half a character or a NUL."],
  ["mem/A", "a", "bad-slug: A memory's name is neither “core” nor in the form of “mem/name”."],
])("%s with %j is not written", (slug, text, told) => {
  const { code, message } = makeBody(slug, text) as Problem;
  expect(`${code}: ${message}`).toBe(told);
});

describe("what is read", () => {
  test.each([
    ['{"profile":"x","slug":"core","more":{"a":[1]},"value":7}', { slug: "core", text: "x" }],
    ['{"slug":"core","profile":" \\n"}', { slug: "core", text: " \n" }],
    ['{"\\u0073lug":"core","profile":"x"}', { slug: "core", text: "x" }],
    ['{"slug":"core","profile":"x","profile":"y"}', { fault: "a name occurs twice in one object" }],
    ['{"slug":"core","profile":"x","more":[{"a":1,"a":1}]}', { fault: "a name occurs twice in one object" }],
    ['{"slug":"core","profile":"\\ud800"}', { fault: "it holds half a character" }],
    ['{"slug":"core","profile":"\\u0000"}', { fault: "its “profile” holds a NUL, which cannot be kept" }],
    ['{"slug":"core","value":"x"}', { fault: "its “profile” is no text" }],
    ['{"slug":"core","profile":null}', { fault: "its “profile” is no text" }],
    ['{"slug":"core","profile":["x"]}', { fault: "its “profile” is no text" }],
    ['{"slug":"mem/a","profile":"x"}', { fault: "its “value” is no text" }],
    ['{"slug":"mem/a","value":false}', { fault: "its “value” is no text" }],
    ['{"slug":"mem/A","value":"x"}', { fault: "its slug is none" }],
    ['{"slug":["core"],"profile":"x"}', { fault: "its slug is none" }],
    ['{"__proto__":{"slug":"core","profile":"x"}}', { fault: "its slug is none" }],
    ['{"profile":"x"}', { fault: "its slug is none" }],
    ['[{"slug":"core","profile":"x"}]', { fault: "it is no object" }],
    ["null", { fault: "it is no object" }],
    ['"core"', { fault: "it is no object" }],
    ["", { fault: "it is no JSON" }],
  ])("%s", (json, found) => {
    expect(readBody(json, anywhere)).toEqual(found);
  });

  test("where its slug does not belong, the rest is not looked at", () => {
    expect(readBody('{"slug":"core","profile":7}', (slug) => slug === "mem/a")).toEqual({
      fault: "its slug belongs under another d tag",
    });
  });
});
