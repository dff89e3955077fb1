import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../test/tiers/search.ts";
import { judgeOwnWords } from "./own-words.ts";

const words =
  "Never |Pay |never |pay |Ida. |Meier! |Pay Ida. |Ask me? |Dr. |etc. |J. |3. |XIV. |Yahoo! |e.g. |... |, |; ".split(
    "|",
  );
const odd = [
  ...[":", " - ", "-", "(", ")", "\n", "\n\n", "  ", "\t", "\u00a0", "\u3000", "．", "。 ", "․ ", "："],
  ...["’", "'", '"', "“", ">", "`", "\u200b", "\u200d", "\u2028", "\u202e", "😀", "我"],
];
const piece = fc.oneof(
  { weight: 40, arbitrary: fc.constantFrom(...words) },
  { weight: 1, arbitrary: fc.constantFrom(...odd) },
);
const message = fc.array(piece, { minLength: 1, maxLength: 12 });
const spaced = (words: string) => words.trim().replace(/[ \t\r\n]+/g, " ");

const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

test("whatever is typed: an own note stands in it, begins where a sentence ends and ends where one ends", () => {
  fc.assert(
    fc.property(message, fc.nat(12), fc.nat(12), (all, from, to) => {
      const [typed, note] = [all.join(""), all.slice(from, to).join("")];
      if (!judgeOwnWords({ typed, words: note, use: "note" }).own) return;
      const [whole, part] = [spaced(typed), spaced(note)];
      const bare = part.replace(/\.$/, "");
      if (capital(bare) === capital(whole.replace(/\.$/, ""))) return;
      // A part is only ever taken out of plain words on one line.
      expect(typed.trim()).toMatch(/^[A-Za-z0-9 ,.!?;’'-]*$/);
      const begins = (rest: string) => rest.startsWith(bare) || capital(rest).startsWith(bare);
      const places = [...whole].flatMap((_, index) => (begins(whole.slice(index)) ? [index] : []));
      const isWhole = places.some((index) => {
        const [before, after] = [whole.slice(0, index), whole.slice(index + bare.length).replace(/^\./, "")];
        const said = whole.slice(index, whole.length - after.length);
        const opens = before === "" || /(?:^|[ '’-])[A-Za-z]{3,}[.!?] $/.test(before);
        const closes = after === "" || (/[A-Za-z]{3,}[.!?]$/.test(said) && /^ [A-Z]/.test(after));
        return opens && closes && !/\b(?:Dr|etc|XIV|J|Yahoo)[.!?] $/.test(before);
      });
      expect([whole, part, isWhole]).toEqual([whole, part, true]);
    }),
    { numRuns: runs(2000, 200_000) },
  );
});
