import { expect, test } from "vitest";
import { sampleOf, sentOf } from "../../test/stage/sample-of.ts";
import { marksOf } from "./marks.ts";
import { listed, markText, sampleText } from "./told.ts";

const broke = { what: "section", section: "soul", revision: 2, actor: "operator", turn: null, reason: null } as const;

test("a sample is told whole to whoever cannot see it", () => {
  const sample = sampleOf("t", {
    startedAt: "2020-02-18T12:00:00.000",
    sections: [sentOf("rules", 90), sentOf("notes", 10)],
    usage: { input: 200, read: 100, written: 0, output: 4 },
    amended: [{ section: "notes", revision: 3, actor: "agent" }],
    refused: 1,
    held: 2,
    state: "failed",
    missed: true,
    broke: { ...broke, says: "The operator changed “soul” (revision 2)." },
  });
  expect(sampleText(sample)).toBe(
    "18 Feb 2020 12:00:00, bo on web: “Hello!”. 100 tokens in 2 sections. 50.0 % read from the cache. " +
      "The agent amended “notes”. 1 proposal refused. 2 needed approval. It failed. " +
      "Cache miss: The operator changed “soul” (revision 2).",
  );
});

test("of a turn that has sent nothing yet there is little to say, and a new session breaks nothing", () => {
  const sample = sampleOf("t", {
    startedAt: "2020-02-18T12:00:00.000",
    scope: { agent: "art" },
    channel: null,
    input: "",
    state: "running",
    broke: { ...broke, what: "opened", section: null, says: "The session was new." },
  });
  expect(sampleText(sample)).toBe("18 Feb 2020 12:00:00, nobody. It is running.");
});

test("a miss that nobody can explain is told as a miss", () => {
  const sample = sampleOf("t", { startedAt: "2020-02-18T12:00:00.000", missed: true });
  expect(sampleText(sample)).toBe("18 Feb 2020 12:00:00, bo on web: “Hello!”. Cache miss: Why is not known.");
});

test("each hand that amended is one mark, however often", () => {
  const amended = [
    { section: "notes", revision: 1, actor: "agent" },
    { section: "soul", revision: 2, actor: "agent" },
    { section: "rules", revision: 3, actor: "user" },
  ] as const;
  expect(marksOf(sampleOf("t", { amended })).map(markText)).toEqual([
    "the agent amended “notes” and “soul”",
    "the user amended “rules”",
  ]);
});

test("names are listed once each, and many are counted", () => {
  expect(listed(["a", "a"])).toBe("“a”");
  expect(listed(["a", "b", "c"])).toBe("“a”, “b” and “c”");
  expect(listed(["a", "b", "c", "d", "e"])).toBe("“a”, “b”, “c” and 2 more");
});
