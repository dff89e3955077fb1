import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { type Charter, defineCharter } from "./charter.ts";
import { checkLock, type Lock, type LockDifference, lockDifferences, lockOf, missingFixedWords } from "./lock.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const law = (words: string, short?: string): Charter => ({
  name: "test",
  layers: [
    {
      name: "law",
      mutability: "fixed",
      sections: [
        { name: "rules", heading: "## Rules", words, ...(short ? { short, compact: "short" } : {}) },
        { name: "more", words: "And honest." },
      ],
    },
    {
      name: "own",
      mutability: { amendableBy: ["agent"], scope: "agent" },
      sections: [{ name: "goals", original: "Grow." }],
    },
  ],
});

test("a lock pins the words and the short form of every fixed section, shows them line by line, and nothing else", () => {
  const rules = { words: sha256("Be kind.\nAlways."), short: sha256("Kind.") };
  const more = { words: sha256("And honest.") };
  const charters = [law("Be kind.\nAlways.", "Kind.")];
  expect(lockOf(charters, sha256)).toEqual({
    version: 1,
    charters: {
      test: {
        rules: { ...rules, text: ["Be kind.", "Always."], shortText: ["Kind."] },
        more: { ...more, text: ["And honest."] },
      },
    },
  });
  expect(lockOf(charters, sha256, { text: false })).toEqual({ version: 1, charters: { test: { rules, more } } });
});

test("a lock that shows other words than it pins is refused, so what a reviewer reads is what is pinned", () => {
  const pinned = lockOf([law("Be cruel.", "Cruel.")], sha256).charters.test;
  for (const shown of [{ text: ["Be kind."] }, { shortText: ["Kind."] }]) {
    const charters = { test: { ...pinned, rules: { ...pinned?.rules, ...shown } } } as Lock["charters"];
    expect(() => checkLock({ version: 1, charters }, law("Be cruel.", "Cruel."), sha256)).toThrow(
      "The lock shows other words for “rules” of “test” than it pins.",
    );
  }
});

test("where settings choose the words, all that can be chosen is pinned, and no choice needs another lock", () => {
  const wordings = ["Be kind.", "Sleep at night.", "Sleep at noon."];
  const chosen = (words: string, lines = wordings): Charter => ({
    name: "test",
    layers: [{ name: "law", mutability: "fixed", sections: [{ name: "rules", words, wordings: lines }] }],
  });
  const pinned = lockOf([chosen("Be kind.\nSleep at night.")], sha256);
  expect(pinned.charters).toEqual({ test: { rules: { words: sha256(wordings.join("\n")), text: wordings } } });
  expect(lockDifferences(pinned, chosen("Be kind.\nSleep at noon."), sha256)).toEqual([]);
  expect(lockDifferences(pinned, chosen("Be kind.", ["Be kind.", "Sleep never."]), sha256)).toEqual([
    { charter: "test", section: "rules", what: "changed" },
  ]);
  expect(() => lockOf([defineCharter(chosen("Be cruel."))], sha256)).toThrow(
    "“rules” says “Be cruel.”, which is none of its wordings.",
  );
});

const lock = lockOf([law("Be kind.")], sha256);
const rows: [what: string, charter: Charter, differences: LockDifference[]][] = [
  ["the same", law("Be kind."), []],
  ["one changed", law("Be cruel."), [{ charter: "test", section: "rules", what: "changed" }]],
  ["a short form added", law("Be kind.", "Kind."), [{ charter: "test", section: "rules", what: "changed" }]],
  [
    "sections removed",
    { name: "test", layers: [] },
    [
      { charter: "test", section: "rules", what: "removed" },
      { charter: "test", section: "more", what: "removed" },
    ],
  ],
  [
    "a charter nobody locked",
    { ...law("Be kind."), name: "other" },
    [
      { charter: "other", section: "rules", what: "added" },
      { charter: "other", section: "more", what: "added" },
    ],
  ],
];
for (const [what, charter, differences] of rows)
  test(`a lock compared, ${what}`, () => expect(lockDifferences(lock, charter, sha256)).toEqual(differences));

test("a mismatch is a Problem that names the section", () => {
  expect(() => checkLock(lock, law("Be cruel."), sha256)).toThrow(
    "The fixed text of “test” differs from charter.lock: “rules (changed)”.",
  );
});

const texts: [what: string, text: string, missing: string[]][] = [
  ["whole", "## Rules\nBe kind.\n\nAnd honest.\n\nGrow.", []],
  ["with more around it", "Hello.\n## Rules\nBe kind.\nAnd so on.\nAnd honest.\nBye.", []],
  ["one altered", "## Rules\nBe  kind.\nAnd honest.", ["rules"]],
  ["one only quoted", "He said: ## Rules\nBe kind.\nAnd honest.", ["rules"]],
  ["out of order", "And honest.\n## Rules\nBe kind.", ["more"]],
  ["gone", "", ["rules", "more"]],
];
for (const [what, text, missing] of texts)
  test(`fixed words in a text handed back, ${what}`, () => {
    expect(missingFixedWords(law("Be kind."), "full", text)).toEqual(missing);
  });
