import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { frontMatter, plainFields, yamlFields } from "../../src/sources/front-matter.ts";
import { runs } from "../tiers/search.ts";
import { always } from "./generate.ts";

/** The YAML library as it comes, the only judge: in the fast path's tests it shares no option with the source but that maps are maps. */
function judged(words: string, stringKeys = false): unknown {
  try {
    return parse(words, { mapAsMap: true, logLevel: "silent", stringKeys });
  } catch {
    return "invalid";
  }
}

/** The fast path is sure of something: then the library says the same. Returns whether it was. */
function agrees(words: string): boolean {
  const fast = plainFields(words);
  if (fast) expect([words, fast]).toEqual([words, judged(words)]);
  return fast !== undefined;
}

// Pieces that mean something to YAML somewhere, and those that never do.

const marks = [
  ":",
  ": ",
  " #",
  "#",
  "# ",
  "- ",
  "-",
  "? ",
  "?",
  ", ",
  ",",
  "[",
  "]",
  "{",
  "}",
  "&a ",
  "*a",
  "!",
  "!!str ",
  "!!js/function ",
  "|",
  ">",
  "|-",
  ">+",
  ">2",
  "%",
  "@",
  "`",
  "'",
  "''",
  '"',
  '\\"',
  "\\",
  "\\\\",
  "\\n",
  "\\x41",
  "---",
  "...",
  "<<",
  "=",
  "~",
];
const spaces = ["", " ", "  ", "   ", "\t", " \t", "\u00a0", "\u2028", "\u0085", "\ufeff", "\u3000", "\u200b"];
const texts = [
  "a",
  "Use it",
  "when: ever",
  "pdf-tools",
  "e1",
  "x_y",
  "é",
  "日本",
  "🙂",
  "👩‍💻",
  "\ud83d",
  "it's",
  "http://a.b/c#d",
  "C:\\d",
];
const words = ["true", "True", "no", "yes", "on", "null", "NULL", "Null", "false", "FALSE", "nan", "inf", "y"];
const numbers = ["0", "-1", "+1", "1.0", ".5", "1e3", "0x1F", "0o7", "0b1", "1_000", "012", ".inf", "-.INF", ".NaN"];
const dates = ["2026-01-01", "2026-01-01T00:00:00Z", "12:30:45", "1:2"];
const line = fc.constantFrom("\n", "\n", "\n", "\n", "\n\n", "\r\n", "\r", " \n", "\n \n", "\n  ", "\n\t");

const anyPiece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...texts, ...words, ...numbers, ...dates) },
  { weight: 3, arbitrary: fc.constantFrom(...marks) },
  { weight: 2, arbitrary: fc.constantFrom(...spaces) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 3 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 2 }) },
);
const value = fc.array(anyPiece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(""));
const key = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("name", "description", "a", "metadata", "allowed-tools", "_x", "A9") },
  {
    weight: 1,
    arbitrary: fc.constantFrom("__proto__", "constructor", "null", "true", "1", "'a'", '"a"', "<<", "", "~", "a b"),
  },
);
const indent = fc.constantFrom("", "", "", "", " ", "  ", "  ", "    ", "\t", "- ", "  - ", "-");
const separator = fc.constantFrom(": ", ": ", ": ", ":", ":\n", ":\n  ", ":\n- ", ": >\n  ", ": |-\n  ", " : ", ":  ");
const entry = fc.tuple(indent, key, separator, value, line).map((pieces) => pieces.join(""));

test("whatever the fast path answers for lines that look like YAML is what the library answers", () => {
  expect(agrees("name: pdf\ndescription: Reads PDF files.\n")).toBe(true);
  always(
    [fc.array(entry, { minLength: 1, maxLength: 5 })],
    (entries) => void agrees(entries.join("")),
    runs(200, 10_000),
  );
});

test("whatever it answers for pieces of YAML in any order is what the library answers", () => {
  const soup = fc.array(fc.oneof(anyPiece, line, key, separator), { maxLength: 12 });
  always(
    [soup, fc.constantFrom("", "\n")],
    (pieces, end) => {
      agrees(`${pieces.join("")}${end}`);
      agrees(`a: ${pieces.join("")}${end}`);
    },
    runs(200, 10_000),
  );
});

test("it is right about every text of a few marks, wherever it stands", () => {
  const alphabet = ["a", " ", ":", "#", "'", '"', "-", "\n", ">", "|"];
  const before = ["", "a: ", "a:\n  ", "a:\n- ", "a: >\n  ", "b: c\n", "m:\n  k: "];
  const after = ["", "\n", "\nz: y\n", "\n  z: y\n"];
  const longer = (all: readonly string[]) => all.flatMap((text) => alphabet.map((mark) => text + mark));
  const every = [[""]];
  while (every.length <= runs(2, 3)) every.push(longer(every.at(-1) as string[]));
  for (const text of every.flat())
    for (const start of before)
      for (const end of after) if (plainFields(start + text + end)) agrees(start + text + end);
});

// Front matter as people write it: all of it is for the fast path.

const sentence = fc
  .array(
    fc.constantFrom("Use", "it", "when", "a file's", "(or two)", "are", "C#", "a:b", "–", "naïve", "日本", "[x],"),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .map((all) => `Reads ${all.join(" ")}.`);
const scalar = fc.oneof(
  sentence,
  sentence.map((one) => `"${one.replaceAll("it", '\\"it\\": #1')}"`),
  sentence.map((one) => `'${one.replaceAll("'", "''")}: yes'`),
  fc.constantFrom("MIT", "true", "false", "Apache-2.0"),
);
const lines = fc.array(sentence, { minLength: 1, maxLength: 3 }).map((all) => all.map((one) => `  ${one}`).join("\n"));
const written = fc.oneof(
  { weight: 4, arbitrary: scalar.map((one) => ` ${one}`) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(" >", " >-", " |", " |-"), lines).map(([how, all]) => `${how}\n${all}`),
  },
  {
    weight: 1,
    arbitrary: fc.array(scalar, { minLength: 1, maxLength: 3 }).map((all) => all.map((one) => `\n  - ${one}`).join("")),
  },
  {
    weight: 1,
    arbitrary: fc
      .array(scalar, { minLength: 1, maxLength: 3 })
      .map((all) => all.map((one, index) => `\n  k${index}: ${one}`).join("")),
  },
  { weight: 1, arbitrary: fc.constant("") },
);
const usual = fc
  .uniqueArray(fc.constantFrom("name", "description", "license", "metadata", "allowed-tools", "compatibility"), {
    minLength: 1,
  })
  .chain((keys) => fc.tuple(...keys.map((one) => written.map((after) => `${one}:${after}\n`))))
  .map((all) => all.join(""));

test("the fast path is sure of front matter as people write it, and right", () => {
  always(
    [usual],
    (front) => {
      expect([front, agrees(front)]).toEqual([front, true]);
    },
    runs(200, 10_000),
  );
});

test("it is right, or not sure, when anything at all is put into such front matter, or taken out", () => {
  always(
    [usual, fc.nat(), fc.nat(6), fc.oneof(anyPiece, line, key, separator)],
    (front, place, length, piece) => {
      const at = place % (front.length + 1);
      agrees(`${front.slice(0, at)}${piece}${front.slice(at + (length > 3 ? 0 : length))}`);
    },
    runs(200, 10_000),
  );
});

test("without the fast path the library's values come out the same, or the front matter is invalid", () => {
  always(
    [
      fc.oneof(
        usual,
        fc.array(entry, { minLength: 1, maxLength: 3 }).map((all) => all.join("")),
      ),
    ],
    (front) => {
      const parsed = yamlFields(front);
      const library = judged(front, true);
      if ("fields" in parsed && library instanceof Map)
        expect([front, [...parsed.fields.values()]]).toEqual([front, [...library.values()]]);
      else if ("fields" in parsed) expect([front, library, parsed.fields.size]).toEqual([front, null, 0]);
    },
  );
});

test("no file makes reading its front matter fail", () => {
  const any = fc.array(fc.oneof(anyPiece, line, key, separator, fc.constant("\n---\n")), { maxLength: 12 });
  always([any, fc.boolean()], (pieces, cut) => {
    expect(frontMatter(`---\n${pieces.join("")}`, cut).status).toMatch(/^(?:present|missing|open|invalid)$/);
  });
});
