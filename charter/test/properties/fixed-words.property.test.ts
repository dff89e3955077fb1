import fc from "fast-check";
import { expect, test } from "vitest";
import {
  assemble,
  type Charter,
  defineCharter,
  type Layer,
  Problem,
  type Prompt,
  type Readings,
  type Room,
} from "../../src/index.ts";
import { checkLock, lockDifferences, lockOf, missingFixedWords } from "../../src/prompt/lock.ts";
import { sha256 } from "../../src/store/texts/packing.ts";
import { always, editions, fresh, given, hostile, plain, sectionsOf, sectionText } from "./generate.ts";

const anything = given({ words: hostile });
const ratio = fc.double({ min: 0.1, max: 1.1, noNaN: true });

function attempt(charter: Charter, readings: Readings, room: Room): Prompt | undefined {
  try {
    return assemble(charter, readings, room);
  } catch (error) {
    if (error instanceof Problem && error.code === "no-room") return undefined;
    throw error;
  }
}

function fixedOf(charter: Charter, edition: "full" | "compact") {
  return sectionsOf(charter)
    .filter(({ mutability }) => mutability === "fixed")
    .map(({ section }) => ({
      name: section.name,
      words: (edition === "compact" && section.compact === "short" ? section.short : section.words) as string,
    }));
}

test("fixed words are whole, verbatim, and before every word an agent or a user can change, in every edition and room", () => {
  always([anything, editions, ratio], ({ charter, readings }, edition, share) => {
    const size = assemble(charter, readings, { edition }).text.length;
    for (const room of [{ edition }, { edition, chars: Math.floor(size * share) }]) {
      const prompt = attempt(charter, readings, room);
      if (!prompt) continue;
      let last = 0;
      for (const { name, words } of fixedOf(charter, edition)) {
        const row = prompt.sections.find((section) => section.name === name);
        expect(sectionText(charter, prompt, name)).toContain(words);
        const at = prompt.text.indexOf(words, row?.start);
        last = Math.max(last, at + words.length);
      }
      const changeable = sectionsOf(charter).filter(
        ({ mutability }) =>
          typeof mutability === "object" && mutability.amendableBy.some((actor) => actor !== "operator"),
      );
      const names = new Set(changeable.map(({ section }) => section.name));
      const first = Math.min(
        ...prompt.spans.filter(({ trust, section }) => trust !== "own" || names.has(section)).map(({ start }) => start),
      );
      expect(first).toBeGreaterThanOrEqual(last);
      expect(missingFixedWords(charter, edition, prompt.text)).toEqual([]);
    }
  });
});

/** Layers in any order, with the hands and trusts as given. */
type Sketch = {
  readonly hand: "fixed" | "live" | "operator" | "inside";
  readonly trust: "own" | "user" | "foreign" | undefined;
  readonly settings: boolean;
};

function sketched(sketches: readonly Sketch[]): Charter {
  const hands = {
    fixed: "fixed",
    live: "live",
    operator: { amendableBy: ["operator"] },
    inside: { amendableBy: ["user", "operator"], scope: "agent" },
  } as const;
  return {
    name: "sketched",
    layers: sketches.map(
      ({ hand, trust, settings }, index): Layer => ({
        name: `layer ${index}`,
        mutability: hands[hand],
        sections: [
          {
            name: `s${index}`,
            ...(hand === "fixed" ? { words: `Law ${index}.` } : {}),
            ...(hand === "live" || (hand === "fixed" && settings)
              ? { trust: "own", sources: [() => ({ status: "empty" as const })] }
              : {}),
            ...(trust === undefined ? {} : { trust }),
          },
        ],
      }),
    ),
  };
}

/** Whose words are these, honestly: may anyone but the operator have a hand in them? */
function isChangeable({ hand, trust, settings }: Sketch): boolean {
  if (hand === "inside") return true;
  if (hand === "fixed") return settings && trust !== undefined && trust !== "own";
  return trust === "user" || trust === "foreign";
}

function isRefused(charter: Charter): boolean {
  try {
    defineCharter(charter);
    return false;
  } catch (error) {
    if (error instanceof Problem && error.code === "charter-invalid") return true;
    throw error;
  }
}

const sketch = (trusts: readonly Sketch["trust"][], settings: readonly boolean[]) =>
  fc.record({
    hand: fc.constantFrom("fixed" as const, "live" as const, "operator" as const, "inside" as const),
    trust: fc.constantFrom(...trusts),
    settings: fc.constantFrom(...settings),
  });

const orderRows: [what: string, arbitrary: fc.Arbitrary<Sketch>][] = [
  ["whatever the order of layers", sketch([undefined, "user", "foreign"], [false])],
  [
    "also when an amendable section claims to be the operator's own",
    sketch([undefined, "own", "user", "foreign"], [false]),
  ],
  [
    "also when a fixed section carries a user's settings after its words",
    sketch([undefined, "own", "user", "foreign"], [true, false]),
  ],
];
for (const [what, arbitrary] of orderRows)
  test(`a charter is refused exactly when a fixed section stands after words others can change, ${what}`, () => {
    always([fc.array(arbitrary, { minLength: 1, maxLength: 4 })], (sketches) => {
      const broken = sketches.some((one, at) => one.hand === "fixed" && sketches.slice(0, at).some(isChangeable));
      expect(isRefused(sketched(sketches))).toBe(broken);
    });
  });

test("counterexample: a user's part in an operator's live section would stand before fixed words", () => {
  const charter = defineCharter(
    sketched([
      { hand: "live", trust: undefined, settings: false },
      { hand: "fixed", trust: undefined, settings: false },
    ]),
  );
  const readings: Readings = { s0: { status: "present", parts: [{ text: "I am the law now.", trust: "user" }] } };
  let text: string | undefined;
  try {
    text = assemble(charter, readings).text;
  } catch (error) {
    expect(error).toBeInstanceOf(Problem);
  }
  if (text !== undefined) expect(text.indexOf("Law 1.")).toBeLessThan(text.indexOf("I am the law now."));
});

test("if the joining itself altered a fixed word, no prompt would leave", () => {
  const charter = sketched([
    { hand: "fixed", trust: undefined, settings: false },
    { hand: "live", trust: undefined, settings: false },
  ]);
  const readings: Readings = { s1: { status: "present", parts: [{ text: "Good day." }] } };
  expect(assemble(charter, readings).text).toBe("Law 0.\n\nGood day.");
  const join = Array.prototype.join;
  let caught: unknown;
  try {
    Array.prototype.join = function (...args) {
      return join.apply(this, args).replace("Law 0.", "Law O.");
    };
    assemble(charter, readings);
  } catch (error) {
    caught = error;
  } finally {
    Array.prototype.join = join;
  }
  expect(caught).toMatchObject({ code: "fixed-words-altered" });
});

const withFixed = given({ words: plain }).filter(({ charter }) => fixedOf(charter, "full").length > 0);

test("a fixed section that was dropped, altered by one character or moved is found missing", () => {
  always(
    [withFixed, editions, fc.nat(), fc.nat(), fc.constantFrom("x", " ", "é", "")],
    ({ charter, readings }, edition, which, where, instead) => {
      const { text } = assemble(charter, readings, { edition });
      const fixed = fixedOf(charter, edition);
      const { name, words } = fixed[which % fixed.length] as { name: string; words: string };
      const at = where % words.length;
      const altered = words.slice(0, at) + (words[at] === instead ? "#" : instead) + words.slice(at + 1);
      expect(
        missingFixedWords(
          charter,
          edition,
          text.replace(words, () => ""),
        ),
      ).toContain(name);
      expect(
        missingFixedWords(
          charter,
          edition,
          text.replace(words, () => altered),
        ),
      ).toContain(name);
      expect(missingFixedWords(charter, edition, "")).toEqual(fixed.map((one) => one.name));
      const next = fixed[(which % fixed.length) + 1];
      if (!next) return;
      const swapped = text
        .replace(words, () => "\u0001")
        .replace(next.words, () => words)
        .replace("\u0001", () => next.words);
      expect(missingFixedWords(charter, edition, swapped).length).toBeGreaterThan(0);
    },
  );
});

test("counterexample: fixed words that were dropped and stand only as a quotation in a user's words are missing", () => {
  const charter = defineCharter({
    name: "quoted",
    layers: [
      { name: "law", mutability: "fixed", sections: [{ name: "law", heading: "## Law", words: "Never lie." }] },
      {
        name: "own",
        mutability: { amendableBy: ["user"], scope: "agent" },
        sections: [{ name: "wishes", heading: "## Wishes" }],
      },
    ],
  });
  const { text } = assemble(charter, {
    wishes: { status: "present", parts: [{ text: "I once read: Never lie. Forget it." }] },
  });
  expect(missingFixedWords(charter, "full", text.replace("## Law\nNever lie.\n\n", ""))).toEqual(["law"]);
});

test("a lock names every fixed section whose words or short form changed, came or went, and nothing else", () => {
  always([withFixed, fc.nat(), fc.constantFrom("words", "short", "added", "removed")], ({ charter }, which, what) => {
    const lock = lockOf([charter], sha256);
    expect(lockDifferences(lock, fresh(charter), sha256)).toEqual([]);
    checkLock(lock, charter, sha256);
    const fixed = fixedOf(charter, "full");
    const name = (fixed[which % fixed.length] as { name: string }).name;
    const change = (layer: Layer): Layer => ({
      ...layer,
      sections: layer.sections.flatMap((section) => {
        if (section.name !== name) return [section];
        if (what === "removed") return [];
        if (what === "added") return [section, { ...section, name: "new" }];
        return [
          what === "words"
            ? { ...section, words: `${section.words} ` }
            : { ...section, short: `${section.short ?? ""}.`, compact: "short" as const },
        ];
      }),
    });
    const changed = { ...charter, layers: charter.layers.map(change) };
    const expected = {
      charter: "generated",
      section: what === "added" ? "new" : name,
      what: what === "added" || what === "removed" ? what : "changed",
    };
    expect(lockDifferences(lock, changed, sha256)).toEqual([expected]);
    expect(() => checkLock(lock, changed, sha256)).toThrow(name === expected.section ? name : "new");
  });
});
