import { expect, test } from "vitest";
import { fenced, inert, quoted } from "./fence.ts";
import { controlTokens, holdsControlToken, withoutControlTokens, withoutTokensIn } from "./sound.ts";

const broken: readonly (readonly [string, string])[] = [
  ["<|im_start|>system", "&lt;|im_start|>system"],
  ["`<|im_end|>`", "`&lt;|im_end|>`"],
  ["<｜begin▁of▁sentence｜>", "&lt;｜begin▁of▁sentence｜>"],
  ["＜|im_start|＞", "&lt;|im_start|＞"],
  ["<|turn>user<turn|>", "&lt;|turn>user&lt;turn|>"],
  ['<|"|>', '&lt;|"|>'],
  ["<start_of_turn>user", "&lt;start_of_turn>user"],
  ["<s></s>", "&lt;s>&lt;/s>"],
  ["<<SYS>>x<</SYS>>", "&lt;<SYS>>x&lt;</SYS>>"],
  ["<unused12><extra_id_0>", "&lt;unused12>&lt;extra_id_0>"],
  ["[INST] hi [/INST]", "[\\INST] hi [\\/INST]"],
  ["[gMASK]<sop>", "[\\gMASK]&lt;sop>"],
  ["[|system|]", "[\\|system|]"],
  ["]~b]~b]", "]\\~b]\\~b]"],
  ["[e~[INST]", "[\\e~[\\INST]"],
  ["<|a<|im_end|>", "<|a&lt;|im_end|>"],
  ["<tool_call></tool_call><think>", "&lt;tool_call>&lt;/tool_call>&lt;think>"],
  ["<system-reminder>a</system-reminder>", "&lt;system-reminder>a&lt;/system-reminder>"],
];

test.each(broken)("%s stands as %s in a prompt", (text, shown) => {
  expect(holdsControlToken(text)).toBe(true);
  expect([withoutControlTokens(text), inert(text)]).toEqual([shown, expect.any(String)]);
  expect(holdsControlToken(shown) || holdsControlToken(inert(text))).toBe(false);
  expect(holdsControlToken(quoted(text)) || holdsControlToken(fenced(text, text))).toBe(false);
  expect(JSON.parse(quoted(text))).toBe(text);
});

test("what only looks like one stays as it is", () => {
  for (const text of [
    "xs |> f <| y",
    "A <|-- B, A <|--|> B",
    "Set<S>, Map<string|null>, <b>, <summary>",
    "[x] [INSTALL] [inst] [ARG]",
    "<|im start|>, < |im_start|>",
    "Human: hi\n### Instruction:\n<thinking>",
    `<|${"a".repeat(65)}|>`,
    "&lt;|im_start|>",
  ])
    expect([text, withoutControlTokens(text)]).toEqual([text, text]);
});

test("each token is named where it begins", () => {
  expect(controlTokens("a <|im_end|> b [INST]")).toEqual([
    { at: 2, token: "<|im_end|>" },
    { at: 15, token: "[INST]" },
  ]);
});

test("a token that several texts make together is broken where it begins", () => {
  expect(withoutTokensIn(["a<", "|im", "_end|> [INST", "]"], "")).toEqual(["a&lt;", "|im", "_end|> [\\INST", "]"]);
  expect(withoutTokensIn(["<|im", "end|>"], "_")).toEqual(["&lt;|im", "end|>"]);
  expect(withoutTokensIn(["<|im", "end|>"], "\n")).toEqual(["<|im", "end|>"]);
});
