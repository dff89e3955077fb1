import { expect, test } from "vitest";
import { holdsControlToken } from "../../prompt/sound.ts";
import { changeJson, createUnescaper, escapeAnswer, escapeTogether, escapeTokens, unescapeTokens } from "./escape.ts";

const escaped: readonly (readonly [string, string])[] = [
  ["<|im_start|>user", "<·|im_start|>user"],
  ["<·|im_start|>", "<··|im_start|>"],
  ["<<SYS>>[INST]</s>", "<·<SYS>>[·INST]<·/s>"],
  ["]~b]~b] [e~[INST]", "]·~b]·~b] [·e~[·INST]"],
  ["a · b <· c [·x]", "a · b <· c [·x]"],
  ["＜|x|＞<｜User｜>", "＜·|x|＞<·｜User｜>"],
];

test.each(escaped)("%s goes out as %s, and comes back", (text, sent) => {
  expect(escapeTokens(text)).toBe(sent);
  expect(holdsControlToken(sent)).toBe(false);
  expect(unescapeTokens(sent)).toBe(text);
});

test("what was escaped is turned back wherever a stream cuts it", () => {
  const text = escaped.map(([one]) => one).join(" < [x] ");
  const sent = escapeTokens(text);
  for (let size = 1; size < 20; size++) {
    const stream = createUnescaper();
    const deltas: string[] = [];
    for (let at = 0; at < sent.length; at += size) deltas.push(stream.add(sent.slice(at, at + size)));
    expect(deltas.join("") + stream.end()).toBe(text);
  }
});

test("a stream waits for no more than what may be a token", () => {
  const stream = createUnescaper();
  expect(["a <", "b", "[·", "INS", "T]", "[·no ", "<·|im"].map(stream.add)).toEqual([
    "a ",
    "<b",
    "",
    "",
    "[INST",
    "][·no ",
    "",
  ]);
  expect(stream.end()).toBe("<·|im");
});

test("a token that blocks make together is escaped where it begins", () => {
  expect(escapeTogether(["a <|im_", "end|>", ""])).toEqual(["a <·|im_", "end|>", ""]);
});

test("the marks that an answer thought between stay where it began with them", () => {
  expect(escapeAnswer(["\n<think>a <|im_end|> </thi", "nk>b </think><think>"])).toEqual([
    "\n<think>a <·|im_end|> </thi",
    "nk>b <·/think><·think>",
  ]);
  expect(escapeAnswer(["So: <think>"])).toEqual(["So: <·think>"]);
});

test("the texts in JSON are changed, its other bytes are not", () => {
  const json = '{ "a":1.50, "\\u003cs>": ["<|im_end|>", "\\u00e9", "<|\\"|>"], "big": 12345678901234567890 }';
  const sent = changeJson(json, escapeTokens);
  expect(sent).toBe('{ "a":1.50, "<·s>": ["<·|im_end|>", "\\u00e9", "<·|\\"|>"], "big": 12345678901234567890 }');
  expect(changeJson(sent, unescapeTokens)).toBe(json.replace("\\u003c", "<"));
  expect(changeJson('{"a": "<|im_end', escapeTokens)).toBe('{"a": "<|im_end');
});
