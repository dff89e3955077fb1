import { describe, expect, test } from "vitest";
import { assemble, type Room } from "./assemble.ts";
import type { Charter, GivesWayRule } from "./charter.ts";
import { fromText, type Part, present } from "./reading.ts";
import type { Section } from "./section.ts";
import type { Tokenizer } from "./tokens.ts";

const read = { trust: "own" as const, sources: [] };
const charter = (givesWay: GivesWayRule[], ...sections: Section[]): Charter => ({
  name: "test",
  layers: [{ name: "live", mutability: "live", sections }],
  givesWay,
});
/** One token a character, so that a limit in tokens is read like one in characters. */
const letters: Tokenizer = { name: "letters", exact: true, count: (text) => text.length };

const notes = (...texts: string[]): Part[] => texts.map((text) => ({ text, kind: "note" }));
const list = (rule: Partial<GivesWayRule>, parts: Part[], room: Room) => {
  const one = charter([{ section: "list", parts: "note", from: "end", told: "({missing} cut)", ...rule }], {
    name: "list",
    ...read,
  });
  return assemble(one, { list: present(parts) }, room).text;
};

const four = notes("alpha beta", "gamma delta", "epsilon zeta", "eta theta");
const rooms: [what: string, rule: Partial<GivesWayRule>, chars: number, text: string][] = [
  ["all", {}, 45, "alpha beta\ngamma delta\nepsilon zeta\neta theta"],
  [
    "the last goes, and the line that tells of it would not fit",
    {},
    44,
    "alpha beta\ngamma delta\nepsilon zeta\n(1 cut)",
  ],
  ["the last two", {}, 42, "alpha beta\ngamma delta\n(2 cut)"],
  ["from the start", { from: "start" }, 44, "(1 cut)\ngamma delta\nepsilon zeta\neta theta"],
  ["no more than it may", { keep: 3 }, 44, "alpha beta\ngamma delta\nepsilon zeta\n(1 cut)"],
  ["everything", {}, 10, "(4 cut)"],
];
for (const [what, rule, chars, text] of rooms)
  test(`giving way, ${what}`, () => {
    expect(list(rule, four, { chars })).toBe(text);
    expect(list(rule, four, { tokens: chars, tokenizer: letters })).toBe(text);
  });

const shortened = four.map((part, index) => ({ ...part, short: `${index}` }));
const shorts: [what: string, rule: Partial<GivesWayRule>, chars: number, text: string][] = [
  ["as few as are enough", {}, 44, "alpha beta\ngamma delta\n(2 cut)\n2\n3"],
  ["all are shortened before any goes", {}, 16, "(4 cut)\n0\n1\n2\n3"],
  ["then they go", {}, 14, "(4 cut)\n0\n1\n2"],
  ["those that may only be shortened stay", { to: "short" }, 15, "(4 cut)\n0\n1\n2\n3"],
];
for (const [what, rule, chars, text] of shorts)
  test(`giving way by short forms, ${what}`, () => expect(list(rule, shortened, { chars })).toBe(text));

test("a short form that is no shorter is none", () => {
  const parts = [
    { text: "one", kind: "note", short: "one!" },
    { text: "two and more", kind: "note", short: "two" },
  ];
  expect(list({ told: "…" }, parts, { chars: 12 })).toBe("one\n…\ntwo");
});

test("a rule for one edition says nothing in the other", () => {
  const one = charter(
    [
      { section: "list", parts: "note", from: "end", edition: "compact", told: "(compact)" },
      { section: "list", parts: "note", from: "start", edition: "full", told: "(full)" },
    ],
    { name: "list", ...read },
  );
  const at = (edition: "full" | "compact") => assemble(one, { list: present(four) }, { chars: 40, edition }).text;
  expect(at("full")).toBe("(full)\nepsilon zeta\neta theta");
  expect(at("compact")).toBe("alpha beta\ngamma delta\n(compact)");
});

test("rules speak in their order, each told where its first part stood", () => {
  const parts: Part[] = [
    { text: "# Ann", kind: "person", id: "ann" },
    { text: "ann said hello", kind: "line", parent: "ann" },
    { text: "# Bob", kind: "person", id: "bob" },
    { text: "bob said goodbye", kind: "line", parent: "bob" },
  ];
  const one = charter(
    [
      { section: "talk", parts: "line", from: "start", told: "({missing} lines, {kept} kept)" },
      { section: "talk", parts: "person", from: "end", keep: 1, told: "({missing} people, {kept} kept)" },
    ],
    { name: "talk", ...read },
  );
  const at = (chars: number) => {
    const { text, cuts } = assemble(one, { talk: present(parts) }, { chars });
    return [text, cuts.map(({ form, kept, missing, unit }) => `${form} ${unit} ${missing}/${kept + missing}`)];
  };
  expect(at(43)).toEqual(["# Ann\nann said hello\n# Bob\nbob said goodbye", []]);
  expect(at(42)).toEqual(["# Ann\n(2 lines, 0 kept)\n# Bob", ["shorter line 2/2"]]);
});

describe("two rules for one kind of part", () => {
  const at = (rules: Partial<GivesWayRule>[], parts: Part[], room: Room) => {
    const given = rules.map((rule) => ({ section: "list", parts: "note", from: "end" as const, told: "", ...rule }));
    const { text, cuts } = assemble(charter(given, { name: "list", ...read }), { list: present(parts) }, room);
    return [text, cuts.map(({ form, kept, missing }) => ({ form, kept, missing }))];
  };
  const shortens = { to: "short", told: "short {missing}/{kept}" } as const;
  const takes = { keep: 1, told: "cut {missing}/{kept}" };
  const named = four.map((part, index) => ({ ...part, short: `${"abcd"[index]}`.repeat(4) }));

  test("count apart: those that are short, and those that are gone", () => {
    expect(at([shortens, takes], named, { chars: 35 })).toEqual([
      "alpha beta\nshort 3/1\nbbbb\ncccc\ndddd",
      [{ form: "shortened", kept: 1, missing: 3 }],
    ]);
    expect(at([shortens, takes], named, { chars: 28 })).toEqual([
      "short 2/0\naaaa\nbbbb\ncut 2/2",
      [
        { form: "shortened", kept: 0, missing: 2 },
        { form: "shorter", kept: 2, missing: 2 },
      ],
    ]);
    expect(at([shortens, takes], named, { chars: 22 })).toEqual([
      "short 1/0\naaaa\ncut 3/1",
      [
        { form: "shortened", kept: 0, missing: 1 },
        { form: "shorter", kept: 1, missing: 3 },
      ],
    ]);
  });

  test("what the one that leaves out only shortened is told by it, where the other had no say", () => {
    expect(at([takes, shortens], shortened, { chars: 26 })).toEqual([
      "alpha beta\ncut 3/1\n1\n2\n3",
      [{ form: "shorter", kept: 1, missing: 3 }],
    ]);
  });

  test("count what each may take where both leave out, and say it once where they say the same", () => {
    const beyond = { keep: 2, told: "beyond {missing}" };
    expect(at([beyond, { told: "rest {missing}" }], four, { chars: 30 })).toEqual([
      "alpha beta\nrest 1\nbeyond 2",
      [
        { form: "shorter", kept: 1, missing: 2 },
        { form: "shorter", kept: 1, missing: 1 },
      ],
    ]);
    const same = { told: "cut {missing}" };
    expect(at([{ ...same, keep: 2 }, same], four, { chars: 22 })).toEqual([
      "alpha beta\ncut 3",
      [{ form: "shorter", kept: 1, missing: 3 }],
    ]);
  });
});

test("limits in characters and in tokens hold at once, and say which came first", () => {
  const half: Tokenizer = { name: "half", exact: true, count: (text) => Math.ceil(text.length / 2) };
  const one = charter([{ section: "list", parts: "note", from: "end", told: "({missing} cut)" }], {
    name: "list",
    ...read,
  });
  const at = (room: Room) => {
    const { text, cuts } = assemble(one, { list: present(four) }, { ...room, tokenizer: half });
    return [text, cuts[0]?.because];
  };
  expect(at({ chars: 45, tokens: 18 })).toEqual(["alpha beta\ngamma delta\n(2 cut)", "The prompt may have 18 tokens."]);
  expect(at({ chars: 30, tokens: 100 })).toEqual([
    "alpha beta\ngamma delta\n(2 cut)",
    "The prompt may have 30 characters.",
  ]);
  expect(at({ chars: 30, tokens: 10 })).toEqual(["alpha beta\n(3 cut)", "The prompt may have 30 characters."]);
});

test("what stable sections give up depends on what state is promised, not on what it says", () => {
  const one = charter(
    [
      { section: "list", parts: "note", from: "end", told: "({missing} cut)" },
      { section: "now", from: "end", told: "(later)" },
    ],
    { name: "list", ...read },
    { name: "now", stability: "state", reserve: { chars: 20, tokens: 20 }, ...read },
  );
  const at = (now: string) => assemble(one, { list: present(four), now: fromText(now) }, { chars: 60 }).text;
  const kept = "alpha beta\ngamma delta\n(2 cut)\n\n";
  expect([at("x"), at("x".repeat(28)), at("x".repeat(40))]).toEqual([
    `${kept}x`,
    `${kept}${"x".repeat(28)}`,
    `${kept}(later)`,
  ]);
});

test("a section of one part is left out whole, and again when the rule or the edition is another", () => {
  const one = charter(
    [{ section: "b", from: "end", told: "(gone)" }],
    { name: "a", words: "A" },
    { name: "b", ...read },
  );
  const words = { b: fromText("long words that nobody needs") };
  const { text, cuts, omitted } = assemble(one, words, { chars: 20 });
  expect([text, cuts, omitted]).toEqual([
    "A\n\n(gone)",
    [
      {
        section: "b",
        form: "dropped",
        kept: 0,
        missing: 1,
        unit: "parts",
        because: "The prompt may have 20 characters.",
      },
    ],
    [{ name: "b", reason: "gave-way" }],
  ]);
  expect(assemble(one, words, { chars: 20, edition: "compact" }).text).toBe("A\n\n(gone)");
  expect(assemble(one, { b: fromText("other words, as long as those") }, { chars: 20 }).text).toBe("A\n\n(gone)");
});

test("a section whose told line is as long as its words stays", () => {
  const one = charter(
    [{ section: "b", from: "end", told: "(gone)" }],
    { name: "a", words: "A" },
    { name: "b", ...read },
  );
  expect(() => assemble(one, { b: fromText("words!") }, { chars: 8 })).toThrow(
    "The prompt of “test” needs 9 characters and may have 8, even after trimming. Largest: “b” 6, “a” 3.",
  );
});

test("a part stays where one that is kept stands under it", () => {
  const parts: Part[] = [
    { text: "# top", kind: "note", id: "top" },
    { text: "## middle", kind: "note", id: "middle", parent: "top" },
    { text: "deep", kind: "note", parent: "middle" },
    { text: "another at the end", kind: "note" },
  ];
  const whole = "# top\n## middle\ndeep\nanother at the end";
  expect(list({ from: "start", keep: 2, told: "…" }, parts, { chars: 39 })).toBe(whole);
  expect(() => list({ from: "start", keep: 2, told: "…" }, parts, { chars: 38 })).toThrow("needs 39 characters");
  const titled = [{ ...(parts[0] as Part), short: "#t" }, ...parts.slice(1)];
  expect(list({ from: "start", keep: 2, told: "…" }, titled, { chars: 38 })).toBe(
    "…\n#t\n## middle\ndeep\nanother at the end",
  );
  expect(list({ from: "start", told: "…" }, parts, { chars: 38 })).toBe("…\nanother at the end");
  expect(list({ from: "end", keep: 1, told: "…" }, parts, { chars: 38 })).toBe("# top\n## middle\ndeep\n…");
  expect(list({ from: "end", keep: 1, told: "…" }, parts, { chars: 21 })).toBe("# top\n## middle\n…");
});

test("what was counted is not counted again: parts, short forms and told lines, in this room and the next", () => {
  const asked: string[] = [];
  const tokenizer: Tokenizer = { ...letters, count: (text) => asked.push(text) && text.length };
  const head = fromText("Head.");
  const one = charter(
    [{ section: "list", parts: "note", from: "end", keep: 1, told: "({missing} cut)" }],
    { name: "head", ...read },
    { name: "list", ...read },
  );
  const counted = (parts: Part[], tokens: number) => {
    asked.length = 0;
    const { text } = assemble(one, { head, list: present(parts) }, { tokens, tokenizer });
    return [text, asked];
  };
  expect(counted(shortened, 31)[0]).toBe("Head.\n\nalpha beta\n(3 cut)\n1\n2\n3");
  expect(counted([...shortened], 31)).toEqual(["Head.\n\nalpha beta\n(3 cut)\n1\n2\n3", []]);
  expect(counted([...shortened], 30)).toEqual(["Head.\n\nalpha beta\n(3 cut)\n1\n2", ["2"]]);
  const newer = [...shortened.slice(0, 3), { text: "new", kind: "note" }];
  expect(counted(newer, 31)).toEqual(["Head.\n\nalpha beta\n(3 cut)\n1\n2", ["new", "(1 cut)\n"]]);
});

test("parts under different ones take turns, those that stand alone too", () => {
  const parts: Part[] = [
    { text: "# a", id: "a" },
    { text: "a1 said so", kind: "note", parent: "a" },
    { text: "a2 said so", kind: "note", parent: "a" },
    { text: "# b", id: "b" },
    { text: "b1 said so", kind: "note", parent: "b" },
    { text: "alone with it", kind: "note" },
  ];
  const at = (from: "start" | "end", chars: number) => list({ from, told: "…" }, parts, { chars });
  expect([at("start", 48), at("start", 40), at("end", 40), at("end", 30)]).toEqual([
    "# a\n…\na2 said so\n# b\nb1 said so\nalone with it",
    "# a\n…\na2 said so\n# b\nalone with it",
    "# a\na1 said so\na2 said so\n# b\n…",
    "# a\na1 said so\n…\n# b",
  ]);
});

test("a rule without a kind takes every part, told lines never", () => {
  expect(list({ parts: undefined as never }, [{ text: "of no kind at all" }, ...notes("a note")], { chars: 20 })).toBe(
    "(2 cut)",
  );
});

test("a rule's line stands where its first part stood, also before that of a rule that spoke earlier", () => {
  const parts: Part[] = [
    { text: "old news of the day", kind: "news" },
    { text: "kept" },
    { text: "a line that was said", kind: "line" },
    { text: "another that was said", kind: "line" },
  ];
  const one = charter(
    [
      { section: "list", parts: "line", from: "end", keep: 1, told: "(lines)" },
      { section: "list", parts: "news", from: "end", told: "(news)" },
    ],
    { name: "list", heading: "# List", ...read },
  );
  const at = (chars: number) => assemble(one, { list: present(parts) }, { chars }).text;
  expect([at(70), at(50)]).toEqual([
    "# List\nold news of the day\nkept\na line that was said\n(lines)",
    "# List\n(news)\nkept\na line that was said\n(lines)",
  ]);
});

test("several sections give way, each only as far as the others leave it to", () => {
  const one = charter(
    [
      { section: "a", parts: "note", from: "end", told: "({missing} of a)" },
      { section: "b", parts: "note", from: "end", told: "({missing} of b)" },
    ],
    { name: "a", ...read },
    { name: "b", ...read },
  );
  const readings = { a: present(notes("alpha beta", "gamma delta")), b: present(notes("epsilon zeta", "eta theta")) };
  const at = (chars: number) => assemble(one, readings, { chars }).text.replaceAll("\n", "/");
  expect([at(46), at(45), at(40), at(31), at(30)]).toEqual([
    "alpha beta/gamma delta//epsilon zeta/eta theta",
    "alpha beta/(1 of a)//epsilon zeta/eta theta",
    "(2 of a)//epsilon zeta/eta theta",
    "(2 of a)//epsilon zeta/(1 of b)",
    "(2 of a)//(2 of b)",
  ]);
});

test("only what gave way says why, and the largest that could not are named", () => {
  const one = charter(
    [{ section: "b", parts: "note", from: "end", told: "(cut)" }],
    { name: "a", words: "A" },
    { name: "b", ...read },
    { name: "c", words: "Words of c." },
    { name: "d", words: "D." },
  );
  const { cuts } = assemble(one, { b: present(notes("alpha beta", "gamma delta")) }, { chars: 36 });
  expect(cuts.map(({ section, because }) => [section, because])).toEqual([["b", "The prompt may have 36 characters."]]);
  expect(() => assemble(one, { b: present(notes("alpha", "beta")) }, { chars: 9 })).toThrow(
    "needs 25 characters and may have 9, even after trimming. Largest: “c” 13, “b” 7, “a” 3.",
  );
});
