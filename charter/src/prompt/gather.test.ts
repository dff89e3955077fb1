import { expect, test } from "vitest";
import type { Charter } from "./charter.ts";
import { gather, standingReading } from "./gather.ts";
import { Problem } from "./problem.ts";
import { empty, fromText, unavailable } from "./reading.ts";
import type { Source, SourceContext } from "./source.ts";

const turn: SourceContext = { now: "2026-02-18T00:00:00Z", tools: [], standing: {} };
const charter = (...sources: Source[]): Charter => ({
  name: "test",
  layers: [
    { name: "live", mutability: "live", sections: [{ name: "a", sources }] },
    { name: "own", mutability: { amendableBy: ["agent"] }, sections: [{ name: "b", original: "born" }] },
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
