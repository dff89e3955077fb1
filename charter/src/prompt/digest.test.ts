import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { plainSha256 } from "./digest.ts";

const byNode = (text: string) => createHash("sha256").update(text).digest("hex");

test("it is the SHA-256 that Node computes, at every length around the end of a block, and of any letters", () => {
  const texts = Array.from({ length: 200 }, (_, length) => "x".repeat(length));
  texts.push("ß–😀\u0000", "half \ud83d", "a long text. ".repeat(5000));
  expect(texts.map(plainSha256)).toEqual(texts.map(byNode));
});
