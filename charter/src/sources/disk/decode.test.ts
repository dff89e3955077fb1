import { describe, expect, test } from "vitest";
import { decode } from "./decode.ts";

const path = "/srv/app/AGENTS.md";
const bytes = (...values: readonly (number | string)[]) =>
  Buffer.concat(values.map((value) => (typeof value === "string" ? Buffer.from(value) : Buffer.from([value]))));
const warning = (code: string, message: string) => ({
  severity: "warning",
  code,
  path,
  message: `${path}, ${message}`,
});
const invalid = (line: number) =>
  warning("invalid-utf8", `line ${line}: bytes that are no UTF-8 were replaced by \uFFFD. Save the file as UTF-8.`);

describe("the bytes of a file as text", () => {
  test.each<[what: string, given: Buffer, text: string]>([
    ["plain words", bytes("Grüße 👋\n"), "Grüße 👋\n"],
    ["a byte-order mark goes", bytes(0xef, 0xbb, 0xbf, "Hello"), "Hello"],
    ["\\r\\n becomes \\n", bytes("a\r\nb\r\n"), "a\nb\n"],
    ["a lone \\r is a line end too", bytes("a\rb\r\rc"), "a\nb\n\nc"],
    ["a U+FFFD that is meant is no fault", bytes("a\uFFFDb"), "a\uFFFDb"],
    ["nothing", bytes(), ""],
  ])("%s", (_what, given, text) => {
    expect(decode(given, path, false)).toEqual({ text, length: given.length, diagnostics: [] });
  });

  test("bytes that are no UTF-8 are replaced, and the first line with some is named", () => {
    const given = bytes("one\ntwo ", 0xff, "\nthree ", 0xc3);
    expect(decode(given, path, false)).toEqual({
      text: "one\ntwo \uFFFD\nthree \uFFFD",
      length: given.length,
      diagnostics: [invalid(2)],
    });
  });

  test("a NUL is replaced: no prompt can hold one", () => {
    expect(decode(bytes("one\ntwo\0\0"), path, false)).toEqual({
      text: "one\ntwo\uFFFD\uFFFD",
      length: 9,
      diagnostics: [warning("nul-character", "line 2: NUL characters were replaced by \uFFFD. Is this a text file?")],
    });
  });

  test.each([
    ["utf-16le", Buffer.from("\uFEFFHi 👋\r\n", "utf16le")],
    ["utf-16be", Buffer.from("\uFEFFHi 👋\r\n", "utf16le").swap16()],
  ])("%s, as some Windows shells write it, is read and told", (_what, given) => {
    expect(decode(given, path, false)).toEqual({
      text: "Hi 👋\n",
      length: given.length,
      diagnostics: [warning("utf-16", "line 1: the file is UTF-16. It was read all the same; save it as UTF-8.")],
    });
  });

  test("a path that would break the line stands quoted", () => {
    const [told] = decode(bytes(0xff), "/a\nb/AGENTS.md", false).diagnostics;
    expect(told?.message).toMatch(/^"\/a\\nb\/AGENTS\.md", line 1: /);
  });
});

describe("where the file goes on", () => {
  const text = "aé€👋";
  const whole = Buffer.from(text);

  test("a character that was cut in the middle is left out, at every place it can be cut", () => {
    const cuts = Array.from({ length: whole.length + 1 }, (_, end) => decode(whole.subarray(0, end), path, true));
    expect(cuts.map((cut) => [cut.text, cut.length, cut.diagnostics.length])).toEqual([
      ["", 0, 0],
      ["a", 1, 0],
      ["a", 1, 0],
      ["aé", 3, 0],
      ["aé", 3, 0],
      ["aé", 3, 0],
      ["aé€", 6, 0],
      ["aé€", 6, 0],
      ["aé€", 6, 0],
      ["aé€", 6, 0],
      ["aé€👋", 10, 0],
    ]);
  });

  test("bytes that no character begins with stay faults", () => {
    expect(decode(bytes("a", 0x80, 0x80, 0x80, 0x80), path, true).diagnostics).toEqual([invalid(1)]);
    expect(decode(bytes("a", 0xff), path, true).length).toBeLessThanOrEqual(2);
  });

  test("UTF-16 is cut after a whole character as well", () => {
    const wide = Buffer.from("\uFEFFa👋", "utf16le");
    expect(decode(wide.subarray(0, 5), path, true)).toMatchObject({ text: "a", length: 4 });
    expect(decode(wide.subarray(0, 6), path, true)).toMatchObject({ text: "a", length: 4 });
    expect(decode(wide, path, true)).toMatchObject({ text: "a👋", length: 8 });
  });
});
