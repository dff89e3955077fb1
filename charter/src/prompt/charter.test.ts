import { expect, test } from "vitest";
import { type Charter, defineCharter, findSection } from "./charter.ts";
import { Problem } from "./problem.ts";
import type { Layer } from "./section.ts";

const law: Layer = { name: "law", mutability: "fixed", sections: [{ name: "rules", words: "Be kind." }] };
const goals: Layer = {
  name: "goals",
  mutability: { amendableBy: ["agent"], scope: "agent" },
  sections: [{ name: "goals" }],
};
const live = { name: "live", mutability: "live" } as const;
const charter = (...layers: Layer[]): Charter => ({ name: "test", layers });
const faultsOf = (one: unknown): string => {
  try {
    defineCharter(one as Charter);
  } catch (error) {
    if (error instanceof Problem && error.code === "charter-invalid") return error.message;
    throw error;
  }
  return "none";
};
const scopeHint =
  'say scope: "user" (each user has a copy of their own) or scope: "agent" (one text that all users of the agent are sent).';
const cannot = (fault: string) => `The charter “test” cannot be used: ${fault}`;

const rows: [what: string, charter: unknown, faults: string][] = [
  ["sound", charter(law, goals), "none"],
  ["two of a name", charter(law, law), cannot("Two layers are called “law”. Two sections are called “rules”.")],
  [
    "fixed after what an agent can change",
    charter(goals, law),
    cannot("The fixed section “rules” comes after “goals”, which others can change."),
  ],
  [
    "fixed after foreign words",
    charter({ ...live, sections: [{ name: "inbox", trust: "foreign", sources: [] }] }, law),
    cannot("The fixed section “rules” comes after “inbox”, which others can change."),
  ],
  [
    "fixed without words",
    charter({ ...law, sections: [{ name: "rules" }] }),
    cannot("“rules” is fixed and has no words."),
  ],
  [
    "fixed in a fallback",
    charter({
      ...live,
      sections: [{ name: "a", trust: "own", sources: [] }],
      fallback: [{ name: "b", words: "B", mutability: "fixed" }],
    }),
    cannot("“b” is fixed, so it cannot be a layer's fallback."),
  ],
  [
    "fixed and left out of an edition",
    charter({ ...law, sections: [{ name: "rules", words: "Be kind.", compact: "omit" }] }),
    cannot("“rules” is fixed, so no edition may leave it out; give it a short form."),
  ],
  [
    "fixed and cut",
    charter({ ...law, sections: [{ name: "rules", words: "Be kind.", limit: { chars: 3, told: "cut" } }] }),
    cannot("“rules” is fixed, so nothing may cut it."),
  ],
  [
    "giving way: unknown, fixed, untold",
    {
      ...charter(law, goals),
      givesWay: [
        { section: "nobody", from: "end", told: "x" },
        { section: "rules", from: "end", told: "x" },
        { section: "goals", from: "end", told: "" },
      ],
    },
    cannot(
      "givesWay names “nobody”, which is no section. givesWay names “rules”, which is fixed. givesWay for “goals” has no told: a cut must be told to the model.",
    ),
  ],
  [
    "state without a reserve beside stable words that give way",
    {
      ...charter(goals, { ...live, sections: [{ name: "clock", trust: "own", sources: [], stability: "state" }] }),
      givesWay: [{ section: "goals", from: "end", told: "x" }],
    },
    cannot("“clock” is state without a reserve, so what “goals” gives up would depend on it."),
  ],
  [
    "characters no prompt may carry",
    charter({ ...law, sections: [{ name: "rules", words: "a\0b", heading: "\ud800" }] }),
    cannot(
      "“rules”: heading holds a character that no prompt may carry. “rules”: words holds a character that no prompt may carry.",
    ),
  ],
  [
    "words misspelled",
    {
      ...charter({ ...law, mutability: "fixd" as never }, { ...live, sections: [{ name: "b", wrods: "x" } as never] }),
      seperator: "x",
    },
    cannot(
      'The charter has no field “seperator”; there are name, layers, separator, limit, givesWay. “rules” says "fixd" of who may change it; say "fixed", "live" or { amendableBy, scope }. “b” has no field “wrods”; there are name, lead, heading, words, short, original, fallback, closing, separator, wordings, sources, read, mutability, stability, trust, limit, reserve, compact, replaced. “b” is generated per turn, and has neither sources nor words.',
    ),
  ],
  [
    "values of the wrong kind",
    charter({ ...live, sections: [{ name: "a", sources: ["x"], original: 7, trust: "most" } as never] }),
    cannot(
      "“a”: original is not text. “a”: trust is “most”; it can be own, user, foreign. “a”: sources is not a list of functions.",
    ),
  ],
  ["no name", { name: "", layers: [law] }, "The charter “” cannot be used: It has no name."],
  ["a name that is none", { name: 7, layers: [law] }, "The charter “?” cannot be used: It has no name."],
  ["giving way that is no list", { ...charter(law), givesWay: {} }, cannot("“givesWay” is not a list of rules.")],
  [
    "a short form that is locked for nothing, a read that cannot be called",
    charter({ ...goals, sections: [{ name: "goals", short: "x" }, { name: "b", read: "x" } as never] }),
    cannot("“goals” has a locked short form and is not fixed. “b”: read is not a function."),
  ],
  [
    "a compact edition of fixed words without a short form",
    charter({ ...law, sections: [{ name: "rules", words: "Be kind.", compact: "short" }] }),
    cannot("“rules” has no short form for the compact edition."),
  ],
  [
    "a fallback that is no list, an unknown field of a layer",
    charter({ ...live, sections: [], colour: "red" } as never, { ...goals, sections: [], fallback: {} } as never),
    cannot(
      "Layer “live” has no field “colour”; there are name, owner, mutability, sections, fallback, separator. Layer 2 has no list of sections.",
    ),
  ],
  [
    "hands that are none",
    charter({ ...goals, mutability: { amendableBy: ["nobody"] } } as never),
    cannot(
      '“goals” says {"amendableBy":["nobody"]} of who may change it; say "fixed", "live" or { amendableBy, scope }.',
    ),
  ],
  [
    "an approval by somebody else, a misspelt field of it, and one of what only the operator changes",
    charter(
      { ...goals, mutability: { amendableBy: ["agent"], scope: "agent", approvedBy: "user" } } as never,
      {
        name: "b",
        mutability: { amendableBy: ["agent"], scope: "agent", aprovedBy: "operator" },
        sections: [{ name: "b" }],
      } as never,
      {
        name: "c",
        mutability: { amendableBy: ["operator"], approvedBy: "operator" },
        sections: [{ name: "c" }],
      } as never,
    ),
    cannot(
      "“goals”: approvedBy is “user”; it can be operator, nobody. “b”: mutability has no field “aprovedBy”; there are amendableBy, scope, approvedBy. “c” is approved by the operator, and only the operator may change it: leave approvedBy out.",
    ),
  ],
  [
    "nobody says whose copy is changed, or whose words sources bring",
    charter(
      { ...goals, mutability: { amendableBy: ["agent", "operator"] } } as never,
      { name: "b", mutability: { amendableBy: ["user"], scope: "bo" }, sections: [{ name: "b" }] } as never,
      { name: "c", mutability: { amendableBy: ["operator"], scope: "user" }, sections: [{ name: "c" }] },
      {
        ...live,
        sections: [
          { name: "d", sources: [] },
          { name: "e", trust: "foreign", sources: [] },
        ],
      },
    ),
    cannot(
      `“goals”: mutability says no scope: ${scopeHint} “b”: mutability says the scope "bo": ${scopeHint} “c” is changed by the operator alone, so it is everybody's: leave its scope "user" out. “d” has sources and says no trust: say whose words they bring: "own" (the operator's or your code's), "user" (the turn's user's or the agent's) or "foreign" (anybody else's; they are quoted).`,
    ),
  ],
  [
    "the scope of all users where only the operator changes it, and an approval by nobody",
    charter(
      { name: "a", mutability: { amendableBy: ["operator"], scope: "agent" }, sections: [{ name: "a" }] },
      { ...goals, mutability: { amendableBy: ["agent"], scope: "user", approvedBy: "nobody" } },
    ),
    "none",
  ],
  [
    "nobody says who may change it",
    charter({ name: "x", sections: [{ name: "a" }] } as never),
    cannot('“a” says nothing of who may change it; say "fixed", "live" or { amendableBy, scope }.'),
  ],
  ["no layers", { name: "test" }, cannot("“layers” is not a list.")],
  ["a layer without sections", charter({ name: "x" } as unknown as Layer), cannot("Layer 1 has no list of sections.")],
  [
    "a section without a name",
    charter({ ...live, sections: [{}] } as unknown as Layer),
    cannot("A section has no name."),
  ],
  ["nothing", undefined, "The charter “?” cannot be used: It is missing, where a charter is expected."],
];
for (const [what, one, faults] of rows) test(`a charter, ${what}`, () => expect(faultsOf(one)).toBe(faults));

test("a defined charter cannot be changed any more", () => {
  const defined = defineCharter(
    charter({ name: "law", mutability: "fixed", sections: [{ name: "rules", words: "Be kind." }] }),
  );
  const section = defined.layers[0]?.sections[0] as { words: string };
  expect(() => {
    section.words = "Be cruel.";
  }).toThrow(TypeError);
});

test("nothing in a defined charter can be changed any more", () => {
  const sections = [
    { name: "a", trust: "own" as const, sources: [], limit: { chars: 1, told: "x" }, reserve: { chars: 1, tokens: 1 } },
  ];
  const fallback = [{ name: "b", words: "B" }];
  const defined = defineCharter(
    charter(
      { ...live, sections, fallback },
      { name: "c", mutability: { amendableBy: ["agent"], scope: "agent" }, sections: [{ name: "c" }] },
    ),
  );
  const [first, second] = defined.layers;
  const all = [
    defined,
    defined.layers,
    first,
    sections,
    fallback,
    sections[0],
    sections[0]?.limit,
    sections[0]?.reserve,
  ];
  expect(all.map((one) => Object.isFrozen(one))).toEqual(all.map(() => true));
  expect(second?.mutability).toSatisfy(({ amendableBy }) => Object.isFrozen(amendableBy));
  expect(defineCharter(defined)).toBe(defined);
});

test("an unknown section is a Problem that names those there are; a layer of two has no name for one", () => {
  const defined = charter(law, {
    ...live,
    sections: [
      { name: "a", words: "A" },
      { name: "b", words: "B" },
    ],
  });
  const hint = (name: string) => {
    try {
      return findSection(defined, name).section.name;
    } catch (error) {
      return (error as Problem).hint;
    }
  };
  expect([hint("live"), hint("law")]).toEqual(["Its sections are “rules”, “a”, “b”.", "rules"]);
});

test("a section answers to its name, and to its layer's where it is the only one", () => {
  const defined = charter({ ...law, name: "0" }, { ...goals, name: "6" });
  expect([findSection(defined, "goals"), findSection(defined, "6")].map(({ section }) => section.name)).toEqual([
    "goals",
    "goals",
  ]);
  expect(() => findSection(defined, "7")).toThrow("The charter “test” has no section “7”.");
});
