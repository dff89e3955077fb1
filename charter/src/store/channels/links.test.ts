import { expect, test } from "vitest";
import { codeDigest, newCode } from "./links.ts";

test("a code is eight of 32 letters, each as likely as another", () => {
  const all = Array.from({ length: 32 }, (_, index) => index);
  const letters = [0, 8, 16, 24].map((from) => newCode((bytes) => bytes.set(all.slice(from, from + 8))));
  expect(letters.join("")).toBe("0123456789ABCDEFGHJKMNPQRSTVWXYZ");
  expect(newCode((bytes) => bytes.set([32, 64, 96, 128, 160, 192, 224, 255]))).toBe("0000000Z");
});

test("however a code is typed, it is the same one", () => {
  const whole = codeDigest("ada", "telegram", "0A1B01ZZ");
  for (const typed of ["0a1b01zz", "0A1B-01ZZ", " 0a1b 01zz\n", "oaibolzz", "OALBOIZZ"])
    expect(codeDigest("ada", "telegram", typed)).toBe(whole);
  for (const other of ["0A1B01Z2", "0A1B01Z", "0A1B01ZZZ", ""])
    expect(codeDigest("ada", "telegram", other)).not.toBe(whole);
});

test("a code of one agent and channel is no other's", () => {
  const digests = [
    codeDigest("ada", "telegram", "0A1B01ZZ"),
    codeDigest("eve", "telegram", "0A1B01ZZ"),
    codeDigest("ada", "matrix", "0A1B01ZZ"),
    codeDigest("ad", "atelegram", "0A1B01ZZ"),
  ];
  expect(new Set(digests).size).toBe(4);
});
