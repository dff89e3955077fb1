import { describe, expect, test } from "vitest";
import { parseStrict } from "./memory-key.ts";

const twice = { fault: "a name occurs twice in one object" };
const half = { fault: "it holds half a character" };
const none = { fault: "it is no JSON" };
const deep = { fault: "it is nested more than 128 deep" };

describe("a name that stands twice in one object is found", () => {
  test.each([
    ['{"a":1,"a":1}'],
    ['{"a":1,"b":2,"a":3}'],
    ['{"slug":1,"\\u0073lug":2}'],
    ['{"\\u0073\\u006c\\u0075g":1,"slug":2}'],
    ['{"\\/":1,"/":2}'],
    ['{"\\n":1,"\\u000a":2}'],
    ['{"é":1,"\\u00E9":2}'],
    ['{"😀":1,"\\ud83d\\ude00":2}'],
    ['{"":1,"":2}'],
    ['{"__proto__":1,"__proto__":2}'],
    ['{"a":{"b":[1,{"c":{},"c":0}]}}'],
    ['[[[{"a" \n:1,"a"\t:2}]]]'],
    ['{"a":{"x":1},"b":{"x":1},"a":[]}'],
    ['{"a":"}","a":"{"}'],
    ['{"a\\"":1,"a\\u0022":1}'],
    ['{"a\\\\":1,"a\\\\":1}'],
  ])("%s", (text) => {
    expect(parseStrict(text)).toEqual(twice);
  });
});

describe("what only looks like it is read", () => {
  test.each([
    ['{"a":{"a":{"a":[{"a":1},{"a":2}]}}}'],
    ['{"a":"a","b":"a"}'],
    ['{"a":"\\"a\\":1,\\"a\\":2"}'],
    ['["a","a",{"a":"a"}]'],
    ['{"a":"x\\\\","b":"{\\"a\\":1"}'],
    ['{"a":1,"A":2,"a ":3,"\\u0000a":4}'],
    ['{"e\\u0301":1,"é":2}'],
    ['{"constructor":1,"toString":2,"__proto__":{"a":1}}'],
    ['"a"'],
    ["-1.5e300"],
    ["1e999"],
    ["null"],
    ["[]"],
    [" {} \n"],
    [`{"a":"${"x".repeat(60_000)}"}`],
    [`{"a":"${"\\n".repeat(30_000)}"}`],
    [`${"[".repeat(128)}${"]".repeat(128)}`],
  ])("%s", (text) => {
    expect(parseStrict(text)).toEqual({ value: JSON.parse(text) });
  });
});

test.each([
  ["nothing", "", none],
  ["a word", "slug", none],
  ["JSON and more", "{} {}", none],
  ["a byte order mark", "\ufeff{}", none],
  ["a comment", "{/* */}", none],
  ["a comma too many", '{"a":1,}', none],
  ["half a character as it is", '{"a":"\ud800"}', half],
  ["half a character, escaped", '{"a":"\\ud800"}', half],
  ["half a character in a name", '{"\\udc00":1}', half],
  ["half a character deep inside", '{"a":[{"b":"\\ud83dx"}]}', half],
  ["lists 129 deep", `${"[".repeat(129)}${"]".repeat(129)}`, deep],
  ["objects 30,000 deep", `${'{"a":'.repeat(30_000)}1${"}".repeat(30_000)}`, deep],
  ["a million lists that are not closed", "[".repeat(1_000_000), none],
])("%s is refused", (_what, text, fault) => {
  expect(parseStrict(text)).toEqual(fault);
});
