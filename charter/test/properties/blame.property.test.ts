import fc from "fast-check";
import { expect, test } from "vitest";
import { blame } from "../../src/index.ts";
import { always, broken } from "./generate.ts";

const texts = fc.array(fc.oneof(broken, fc.constantFrom("", "a", "a b", "a\nb", "b\na\n", "a b a b", "\n", "  ")), {
  minLength: 1,
  maxLength: 6,
});

test("stretches cover the text exactly, and their words stand in the revision that is named for them", () => {
  always([texts, fc.boolean()], (all, piled) => {
    // Either each text for itself, or each with what stood before: then much is kept.
    const written = piled ? all.map((_, at) => all.slice(Math.max(0, at - 2), at + 1).join("\n")) : all;
    const [original = "", ...later] = written;
    const amendments = later.map((after, index) => ({ revision: index + 1, after }));
    const stretches = blame({ text: original, revision: 0 }, amendments);
    const text = written.at(-1) ?? "";
    expect(stretches.map(({ start, end }) => text.slice(start, end)).join("")).toBe(text);
    let done = 0;
    for (const { start, end, revision } of stretches) {
      expect([start, end > start]).toEqual([done, true]);
      expect(written[revision]).toContain(text.slice(start, end));
      done = end;
    }
  });
});

type Word = { readonly word: string; readonly gap: string; readonly by: number };
const gap = fc.constantFrom(" ", " ", " ", "\n", ", ", "\n\n");
const edit = fc.record({ kind: fc.constantFrom("put", "take", "change"), at: fc.nat(40), many: fc.nat(3), gap });

test("a word nobody touched stays whose it was, and a word that was written is its writer's", () => {
  const revisions = fc.array(fc.array(edit, { minLength: 1, maxLength: 3 }), { maxLength: 5 });
  always([fc.array(gap, { maxLength: 30 }), revisions], (gaps, all) => {
    let made = 0;
    const written = (between: string, by: number): Word => ({ word: `w${++made}`, gap: between, by });
    const textOf = (list: readonly Word[]) => list.map((one) => one.word + one.gap).join("");
    let list = gaps.map((between) => written(between, 0));
    const original = textOf(list);
    const amendments = all.map((edits, index) => {
      for (const { kind, at, many, gap: between } of edits) {
        const place = Math.min(at, list.length);
        const fresh = Array.from({ length: many + 1 }, () => written(between, index + 1));
        list = list.toSpliced(place, kind === "put" ? 0 : many + 1, ...(kind === "take" ? [] : fresh));
      }
      return { revision: index + 1, after: textOf(list) };
    });
    const stretches = blame({ text: original, revision: 0 }, amendments);
    let at = 0;
    for (const { word, gap: between, by } of list) {
      const hands = stretches.filter(({ start, end }) => start < at + word.length && end > at);
      expect([word, hands.map(({ revision }) => revision)]).toEqual([word, [by]]);
      at += word.length + between.length;
    }
  });
});
