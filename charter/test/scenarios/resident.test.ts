import { describe, expect, test } from "vitest";
import { factsOf } from "../../src/charters/facts.ts";
import { newcomerWords, residentFromFacts } from "../../src/charters/resident/resident.ts";
import type { Actor } from "../../src/index.ts";
import { promptOf, show, verdictOn } from "../cli.ts";

/** A resident: what the host says, what the operator says, what the agent remembers of itself. */

const now = "2026-02-18T15:04:00Z";
const given = (facts: object) => residentFromFacts(factsOf({ now, ...facts }), () => new Date(0));

const base = "You live in Buzz.";
const operator = "Answer in French.";
const core = { status: "present", text: "You are Eva." };
const blank = { status: "present", text: " \n\t" };
const none = { status: "empty" };
const away = { status: "unavailable" };

const rows: [what: string, operator: string | undefined, core: object | undefined, expected: string[]][] = [
  ["operator present, core present", operator, core, [base, "Answer in French.", "You are Eva."]],
  ["operator present, core confirmed empty", operator, none, [base, "Answer in French."]],
  ["operator present, core unavailable", operator, away, [base, "Answer in French."]],
  ["operator absent, core present", undefined, core, [base, "You are Eva."]],
  ["operator absent, core confirmed empty", undefined, none, [base, newcomerWords]],
  ["operator absent, core unavailable", undefined, away, [base]],

  ["operator empty, core present", "", core, [base, "You are Eva."]],
  ["operator blank, core present", " \n", core, [base, "You are Eva."]],
  ["operator empty, core confirmed empty", "", none, [base, newcomerWords]],
  ["operator blank, core confirmed empty", " \n", none, [base, newcomerWords]],
  ["operator blank, core unavailable", " \n", away, [base]],
  ["operator present, core blank", operator, blank, [base, "Answer in French."]],
  ["operator absent, core blank", undefined, blank, [base, newcomerWords]],
  ["operator blank, core blank", "\t", blank, [base, newcomerWords]],
  ["operator absent, nothing said of core", undefined, undefined, [base]],
];

describe("the truth table", () => {
  for (const [what, operatorWords, coreFact, expected] of rows)
    test(what, async () => {
      const facts = { base, operator: operatorWords, core: coreFact };
      expect((await promptOf(given(facts))).text).toBe(expected.join("\n\n"));
    });

  for (const [what, operatorWords, coreFact, expected] of rows.slice(0, 6))
    test(`${what}, through the command`, () => {
      const answer = show("resident", { now, base, operator: operatorWords, core: coreFact });
      const notice = "notice: source-unavailable: “core” could not be read: core memory is out of reach\n";
      expect(answer).toMatchObject({
        code: 0,
        stdout: expected.join("\n\n"),
        stderr: coreFact === away ? notice : "",
      });
    });

  test("a blank base is no section either", async () => {
    for (const words of [undefined, "", " \n"]) {
      expect((await promptOf(given({ base: words, operator, core }))).text).toBe("Answer in French.\n\nYou are Eva.");
      expect((await promptOf(given({ base: words, core: none }))).text).toBe(newcomerWords);
      expect((await promptOf(given({ base: words, core: away }))).text).toBe("");
    }
  });
});

describe("unavailable is never empty", () => {
  test("the report says which section could not be read, and why", async () => {
    const prompt = await promptOf(given({ base, core: away }));
    expect(prompt.sections.map(({ name }) => name)).toEqual(["base"]);
    expect(prompt.omitted).toEqual([
      { name: "operator", reason: "empty" },
      { name: "core", reason: "unavailable" },
    ]);
    expect(prompt.notices).toEqual([
      {
        code: "source-unavailable",
        section: "core",
        message: "“core” could not be read: core memory is out of reach",
      },
    ]);
  });

  test("a confirmed nothing is no notice", async () => {
    const prompt = await promptOf(given({ base, core: none }));
    expect(prompt.sections.map(({ name, layer }) => [name, layer])).toEqual([
      ["base", "base"],
      ["newcomer", "identity"],
    ]);
    expect([prompt.notices, prompt.omitted]).toEqual([
      [],
      [
        { name: "operator", reason: "empty" },
        { name: "core", reason: "empty" },
      ],
    ]);
  });

  test("words beside a status that has none are not used", async () => {
    expect((await promptOf(given({ base, core: { status: "unavailable", text: "You are Eva." } }))).text).toBe(base);
    expect((await promptOf(given({ base, core: { status: "empty", text: "You are Eva." } }))).text).toBe(
      `${base}\n\n${newcomerWords}`,
    );
  });
});

describe("each section stands as it is, without a label", () => {
  test("their own headings and lines are untouched", async () => {
    const facts = { base: "# Base\n\nOne.", operator: "## Two\n- a", core: { status: "present", text: "Three.\n" } };
    expect((await promptOf(given(facts))).text).toBe("# Base\n\nOne.\n\n## Two\n- a\n\nThree.\n");
  });

  const hands: [section: string, actor: Actor, verdict: string][] = [
    ["base", "operator", "accepted"],
    ["base", "agent", "refused"],
    ["operator", "operator", "accepted"],
    ["operator", "agent", "refused"],
    ["operator", "user", "refused"],
    ["core", "agent", "refused"],
    ["core", "operator", "refused"],
    ["newcomer", "operator", "refused"],
  ];
  for (const [section, actor, verdict] of hands)
    test(`${section}, by the ${actor}: ${verdict}`, async () => {
      const operation = { kind: "rewrite", content: "Be kind." } as const;
      expect((await verdictOn(given({ base, operator, core }), { section, actor, operation })).verdict).toBe(verdict);
    });

  test("an operator prompt that stands is in the next prompt, and one that was cleared lets the newcomer speak", async () => {
    const facts = { base, operator, core: none };
    expect((await promptOf(given({ ...facts, standing: { operator: "Be kind." } }))).text).toBe(`${base}\n\nBe kind.`);
    expect((await promptOf(given({ ...facts, standing: { operator: "" } }))).text).toBe(`${base}\n\n${newcomerWords}`);
  });
});
