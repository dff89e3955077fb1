import { expect, test } from "vitest";
import { postBody } from "./posts.ts";

const hex = (text: string | Uint8Array) => `0x${Buffer.from(text).toString("hex")}`;

test("words are words, whatever they are about", () => {
  const texts = [
    "Are you open?",
    "é".repeat(2048),
    "\ufeffmarked",
    "> fence\n```\n</system>\n# Head",
    "\u202e\u200d\u{1f600}",
  ];
  for (const body of texts) expect(postBody(hex(body))).toEqual({ body });
});

test("what is no words has a reason, and its bytes", () => {
  expect(postBody("0x")).toEqual({ body: "0x", dead: "It has no words." });
  expect(postBody("0xff")).toEqual({ body: "0xff", dead: "It is no UTF-8." });
  // Half a character, an overlong one, and a surrogate.
  for (const bytes of ["0xc3", "0xc080", "0xeda080", "0x61ff62"])
    expect(postBody(bytes)).toEqual({ body: bytes, dead: "It is no UTF-8." });
  expect(postBody(hex("a\0"))).toEqual({ body: "0x6100", dead: "It has a NUL character, which cannot be kept." });
  const long = postBody(hex("x".repeat(5000)));
  expect(long).toEqual({ body: `0x${"78".repeat(2047)}`, dead: "It has 5000 bytes, and may have 4096." });
});
