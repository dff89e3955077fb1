import { expect, test } from "vitest";
import { comparePrompts, type SentPrompt } from "../../operations/turns/diff.ts";
import type { SentSection } from "../../prompt/receipt.ts";

type Given = readonly [name: string, text: string, more?: Partial<SentSection>];

function section([name, text, more = {}]: Given): SentSection {
  const about = { layer: "own", trust: "own", source: "standing", whose: "agent", tokens: null, spans: [] } as const;
  return { name, ...about, mutability: "amendable", stability: "stable", revision: 1, digest: `of ${text}`, ...more };
}

/** One slot's sections, or several slots by their names. */
function sent(...slots: readonly (readonly [slot: string, ...sections: Given[]])[]): SentPrompt {
  const texts = new Map(slots.flatMap(([, ...sections]) => sections.map(([name, text]) => [name, text])));
  return {
    receipt: {
      charter: "test",
      edition: "full",
      lock: "",
      receiver: null,
      slots: slots.map(([slot, ...sections]) => ({
        slot,
        digest: "",
        breakpoints: [],
        sections: sections.map(section),
      })),
      tokens: null,
      cuts: [],
      omitted: [],
      notices: [],
    },
    text: ({ name }) => texts.get(name) ?? "",
  };
}

const law: Given = ["law", "Harm no one.\n\n"];
const about = { mutability: "amendable", stability: "stable", whose: "agent" } as const;

test("the same bytes in the same slots are identical", () => {
  expect(comparePrompts(sent(["system", law]), sent(["system", law]))).toEqual({
    identical: true,
    break: null,
    sections: [],
  });
});

test("a changed section: what changed, and the byte from which on nothing is cached", () => {
  const before = sent(["system", law, ["goals", "Grow.\n\n"], ["end", "Bye."]]);
  const after = sent(["system", law, ["goals", "Grow well.\n\n", { revision: 3 }], ["end", "Bye."]]);
  expect(comparePrompts(before, after)).toEqual({
    identical: false,
    break: { slot: "system", byte: 18, section: "goals" },
    sections: [
      {
        section: "goals",
        slot: "system",
        what: "changed",
        ...about,
        revisions: { before: 1, after: 3 },
        diff: "--- goals (before)\n+++ goals (after)\n@@ -1,3 +1,3 @@\n-Grow.\n+Grow well.\n \n \n",
      },
    ],
  });
});

test("bytes are counted, not characters, and a break inside a character is found inside it", () => {
  const before = sent(["system", ["goals", "naïve 🐝"]]);
  const after = sent(["system", ["goals", "naïve 🐞"]]);
  // n a ï(2) v e space = 7 bytes; 🐝 and 🐞 share three of their four.
  expect(comparePrompts(before, after).break).toEqual({ slot: "system", byte: 10, section: "goals" });
});

type Break = readonly [what: string, before: SentPrompt, after: SentPrompt, section: string, byte: number];

const breaks: readonly Break[] = [
  [
    "words added at a section's end are that section's, not the next one's",
    sent(["system", ["goals", "Grow.\n"], ["end", "Bye."]]),
    sent(["system", ["goals", "Grow.\nRest.\n"], ["end", "Bye."]]),
    "goals",
    6,
  ],
  [
    "words taken from a section's end, too",
    sent(["system", ["goals", "Grow.\nRest.\n"], ["end", "Bye."]]),
    sent(["system", ["goals", "Grow.\n"], ["end", "Bye."]]),
    "goals",
    6,
  ],
  [
    "a section that came breaks what follows it",
    sent(["system", law, ["end", "Bye."]]),
    sent(["system", law, ["goals", "Grow."], ["end", "Bye."]]),
    "goals",
    14,
  ],
  [
    "a section that went breaks what followed it",
    sent(["system", law, ["goals", "Grow."], ["end", "Bye."]]),
    sent(["system", law, ["end", "Bye."]]),
    "goals",
    14,
  ],
  ["something more at the very end", sent(["system", law]), sent(["system", law, ["end", "Bye."]]), "end", 14],
  [
    "the first slot that differs",
    sent(["system", law], ["end", ["clock", "9:00"]]),
    sent(["system", law], ["end", ["clock", "9:30"]]),
    "clock",
    2,
  ],
  ["a slot that came", sent(["system", law]), sent(["system", law], ["end", ["clock", "9:00"]]), "clock", 0],
  [
    "two sections that changed places",
    sent(["system", ["a", "One."], ["b", "Two."]]),
    sent(["system", ["b", "Two."], ["a", "One."]]),
    "b",
    0,
  ],
];
for (const [what, before, after, name, byte] of breaks)
  test(`the prefix broke: ${what}`, () => {
    expect(comparePrompts(before, after).break).toMatchObject({ section: name, byte });
  });

test("sections that came, went and moved are told in order", () => {
  const before = sent(["system", law, ["old", "Past."], ["clock", "9:00"]]);
  const after = sent(["system", law, ["new", "Future."]], ["end", ["clock", "9:00"]]);
  expect(comparePrompts(before, after).sections.map(({ section: name, what, slot }) => [name, what, slot])).toEqual([
    ["new", "came", "system"],
    ["old", "went", "system"],
    ["clock", "moved", "end"],
  ]);
});
