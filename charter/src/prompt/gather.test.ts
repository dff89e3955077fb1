import { expect, test } from "vitest";
import type { Charter } from "./charter.ts";
import { gather, standingReading, withStanding } from "./gather.ts";
import { Problem } from "./problem.ts";
import { empty, fromText, type Source, type SourceContext, unavailable } from "./reading.ts";

const turn: SourceContext = { now: "2026-02-18T00:00:00Z", tools: [], standing: {} };
const charter = (...sources: Source[]): Charter => ({
  name: "test",
  layers: [
    { name: "live", mutability: "live", sections: [{ name: "a", trust: "own", sources }] },
    {
      name: "own",
      mutability: { amendableBy: ["agent"], scope: "agent" },
      sections: [{ name: "b", original: "born" }],
    },
  ],
});

test("every source is read, and an amendable section reads its standing text", async () => {
  const one: Source = async ({ now }) => fromText(now);
  expect(
    await gather(
      charter(one, () => empty),
      { ...turn, standing: { b: { text: "now", revision: 4 } } },
    ),
  ).toEqual({
    a: { status: "present", parts: [{ text: "2026-02-18T00:00:00Z" }] },
    b: { status: "present", parts: [{ text: "now", source: "standing", revision: 4 }] },
  });
});

test("without a standing text the original is read; one that could not be looked at is unavailable", async () => {
  expect((await gather(charter(), turn)).b).toEqual({
    status: "present",
    parts: [{ text: "born", source: "original", revision: 0, trust: "own" }],
  });
  expect((await gather(charter(), { ...turn, standing: { b: { unavailable: "database down" } } })).b).toEqual(
    unavailable("database down"),
  );
});

test("a source that throws is unavailable; a Problem it throws is passed on", async () => {
  const broken: Source = () => {
    throw new Error("EACCES");
  };
  const mistaken: Source = () => {
    throw new Problem("unknown-channel", "There is no channel “fax”.", "Use web.");
  };
  expect((await gather(charter(broken), turn)).a).toEqual(unavailable("EACCES"));
  await expect(gather(charter(mistaken), turn)).rejects.toThrow("There is no channel “fax”.");
});

const nonsense: unknown[] = [
  undefined,
  "text",
  { status: "present" },
  { status: "present", parts: [{}] },
  { status: "away" },
  { status: "unavailable" },
];
for (const given of nonsense)
  test(`a source that gives ${JSON.stringify(given)} is a Problem that names the section`, async () => {
    await expect(gather(charter((() => given) as Source), turn)).rejects.toThrow(
      "A source of “a” gave something that is no reading.",
    );
  });

test("the same standing text gives the same reading, so that nothing is rendered twice", () => {
  const section = { name: "b", original: "born" };
  const standing = { text: "now", revision: 1 };
  expect(standingReading(section, standing)).toBe(standingReading(section, standing));
  expect(standingReading(section, undefined)).toBe(standingReading(section, undefined));
});

test("readings of a moment ago take on the standing words of now, and keep the rest", () => {
  const own = { amendableBy: ["agent"], scope: "agent" } as const;
  const one: Charter = {
    name: "test",
    layers: [
      { name: "live", mutability: "live", sections: [{ name: "a", trust: "own", sources: [] }] },
      {
        name: "own",
        mutability: own,
        sections: [
          { name: "b", original: "born" },
          { name: "c", trust: "own", sources: [() => empty] },
        ],
      },
    ],
  };
  const before = { a: fromText("A"), b: fromText("old"), c: fromText("C") };
  expect(withStanding(one, before, { b: { text: "now", revision: 4 }, c: { text: "x", revision: 1 } })).toEqual({
    a: before.a,
    b: { status: "present", parts: [{ text: "now", source: "standing", revision: 4 }] },
    c: before.c,
  });
});

test("a section makes its reading of its standing text, and notices of both are kept", () => {
  const seen = { code: "seen", message: "Seen." };
  const old = { code: "old", message: "Old." };
  const section = { name: "b", read: (text: string) => ({ ...fromText(text.toUpperCase()), notices: [seen] }) };
  expect(standingReading(section, { text: "now", revision: 2, notices: [old] })).toEqual({
    status: "present",
    parts: [{ text: "NOW", source: "standing", revision: 2 }],
    notices: [seen, old],
  });
  expect(standingReading(section, { text: "", revision: 2, notices: [old] })).toEqual({
    status: "empty",
    notices: [seen, old],
  });
  expect(standingReading({ name: "b" }, { text: "now", revision: 2, notices: [old] })).toMatchObject({
    notices: [old],
  });
});

test("a section that can make nothing of its standing text is a Problem", () => {
  const fails = (thrown: unknown) => () =>
    standingReading(
      {
        name: "b",
        read: () => {
          throw thrown;
        },
      },
      { text: "now", revision: 1 },
    );
  expect(fails(new Error("no YAML"))).toThrow("“b” could not use its current text: no YAML");
  expect(fails(new Problem("bad-notes", "Line 3 is no note.", "Fix it."))).toThrow("Line 3 is no note.");
  expect(() => standingReading({ name: "b", read: () => ({}) as never }, { text: "now", revision: 1 })).toThrow(
    "A source of “b” gave something that is no reading.",
  );
});

test("only the sections that are wanted are read, each with the caller's patience", async () => {
  const waited: string[] = [];
  const read = await gather(
    charter(async () => fromText("A")),
    turn,
    (reading, section) => {
      waited.push(section);
      return reading;
    },
    ({ name }, layer) => name === "a" && layer.name === "live",
  );
  expect([read, waited]).toEqual([{ a: fromText("A") }, ["a"]]);
});
