import { expect, test } from "vitest";
import type { Skill } from "./skill.ts";
import { skillsReading } from "./skills.ts";

const skill = (name: string, more: Partial<Skill> = {}): Skill => ({
  name,
  description: `Does ${name}.`,
  location: `/skills/${name}/SKILL.md`,
  ...more,
});
const textsOf = (skills: readonly Skill[], max?: number) => {
  const reading = skillsReading(skills, "charter", max);
  return reading.status === "present" ? reading.parts.map(({ text }) => text) : reading.status;
};
const lines = (name: string) =>
  `  <skill>\n    <name>${name}</name>\n    <description>Does ${name}.</description>\n    <location>/skills/${name}/SKILL.md</location>\n  </skill>`;

test("sorted by code units, the first of a name, hidden ones left out", () => {
  const skills = [
    skill("b"),
    skill("B"),
    skill("a", { hidden: true }),
    skill("b", { description: "Other." }),
    skill("é"),
  ];
  expect(textsOf(skills)).toEqual([lines("B"), lines("b"), lines("é")]);
});

test("a hidden skill hides its name", () => {
  expect(textsOf([skill("a", { hidden: true }), skill("a")])).toBe("empty");
});

test("marks of XML are escaped; a name and a location have one line", () => {
  expect(
    textsOf([skill("a", { name: "a\n&b\u2028", description: `<"it's">\n&amp;`, location: "/x\ny\u202e/SKILL.md" })]),
  ).toEqual([
    "  <skill>\n    <name>a&#xa;&amp;b&#x2028;</name>\n    <description>&lt;&quot;it&apos;s&quot;&gt;\n&amp;amp;</description>\n    <location>/x&#xa;y&#x202e;/SKILL.md</location>\n  </skill>",
  ]);
});

test("the same list has the same reading, the same skill the same part", () => {
  const [a, b] = [skill("a"), skill("b")];
  const list = [a];
  const [first, second] = [skillsReading(list), skillsReading([b, a])];
  expect(skillsReading(list)).toBe(first);
  if (first.status !== "present" || second.status !== "present") throw new Error("not there");
  expect(second.parts[0]).toBe(first.parts[0]);
});

test("what has no room is left out from the end, and the last line tells how many", () => {
  const skills = ["a", "b", "c"].map((name) => skill(name));
  const size = Buffer.byteLength(lines("a"));
  const told = (missing: number) => `  <!-- ${missing} more skills were left out to fit -->`;
  expect(textsOf(skills, 3 * size + 2)).toEqual([lines("a"), lines("b"), lines("c")]);
  expect(textsOf(skills, 3 * size + 1)).toEqual([lines("a"), lines("b"), told(1)]);
  expect(textsOf(skills, 2 * size + 1 + told(1).length)).toEqual([lines("a"), told(2)]);
  expect(textsOf(skills, 2 * size + 2 + told(1).length)).toEqual([lines("a"), lines("b"), told(1)]);
  expect(textsOf(skills, 10)).toEqual([told(3)]);
});

test("in pi's wording they stand as given", () => {
  const reading = skillsReading([skill("b"), skill("a", { location: "/x\ny" }), skill("b", { hidden: true })], "pi");
  expect(reading.status === "present" && reading.parts.map(({ text }) => text.split("\n")[1])).toEqual([
    "    <name>b</name>",
    "    <name>a</name>",
  ]);
});

test.each([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&apos;"],
])("a mark that stands alone is escaped, too: %s", (mark, written) => {
  const description = `One ${mark} two`;
  expect(textsOf([skill("a", { description })])).toEqual([lines("a").replace("Does a.", `One ${written} two`)]);
});
