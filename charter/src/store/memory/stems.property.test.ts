import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../../test/tiers/search.ts";
import { stemmers, stemsOf } from "./stems.ts";

test("each word is there as it is written and as its stem, in the language of the text", () => {
  expect(stemsOf("Meine Schwestern wohnen in großen Häusern.")).toBe(
    "meine mein schwestern schwest wohnen wohn in großen gross hausern haus",
  );
  expect(stemsOf("She was running to the houses.")).toBe("she was wa running run to the houses hous");
  expect(stemsOf("Моя сестра работает.")).toBe("моя мо сестра сестр работает работа");
  expect(stemsOf("他喜欢绿茶 tea")).toBe("他喜 喜欢 欢绿 绿茶 tea te");
});

test("no word is too odd for a stemmer: a note is never lost for its words", () => {
  const letters = fc.stringMatching(/^[a-zäöüßçéèñøåæœışğа-яёα-ωء-ي'’-]{1,40}$/u);
  fc.assert(
    fc.property(letters, (word) => {
      for (const [language, stem] of Object.entries(stemmers))
        expect([language, typeof stem(word)]).toEqual([language, "string"]);
    }),
    { numRuns: runs(100, 10_000) },
  );
});

test("what a text is found by has nothing in it but letters, digits and single spaces", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      expect(stemsOf(text)).toMatch(/^(?:[\p{L}\p{N}]+(?: [\p{L}\p{N}]+)*)?$/u);
    }),
    { numRuns: runs(100, 10_000) },
  );
});
