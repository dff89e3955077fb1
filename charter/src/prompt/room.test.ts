import { expect, test } from "vitest";
import { roomLeft } from "../amend/guards.ts";
import { assemble, boundsOf } from "./assemble.ts";
import type { Charter } from "./charter.ts";
import { fromText, present } from "./reading.ts";
import type { Tokenizer } from "./tokens.ts";

const charter: Charter = {
  name: "test",
  limit: { chars: 60, compact: { chars: 40, tokens: 20 } },
  layers: [
    { name: "0", mutability: "fixed", sections: [{ name: "law", words: "Be kind." }] },
    {
      name: "1",
      mutability: { amendableBy: ["agent"], scope: "agent" },
      sections: [{ name: "goals", heading: "## Goals", original: "Grow." }],
    },
    {
      name: "2",
      mutability: "live",
      sections: [{ name: "now", trust: "own", sources: [], stability: "state", reserve: { chars: 10, tokens: 5 } }],
    },
  ],
};
const half: Tokenizer = { name: "half", exact: true, count: (text) => Math.ceil(text.length / 2) };

test("the caller's limits stand in for the charter's, and an edition has its own", () => {
  expect(boundsOf(charter, {})).toEqual({ edition: "full", chars: 60 });
  expect(boundsOf(charter, { edition: "compact" })).toEqual({ edition: "compact", chars: 40, tokens: 20 });
  expect(boundsOf(charter, { edition: "compact", chars: 0, tokens: 7 })).toEqual({
    edition: "compact",
    chars: 0,
    tokens: 7,
  });
  expect(boundsOf({ ...charter, limit: { tokens: 9 } }, { edition: "compact" })).toEqual({
    edition: "compact",
    tokens: 9,
  });
});

for (const limit of [-1, 1.5, Number.NaN])
  test(`a limit of ${limit} is a Problem`, () => {
    expect(() => assemble(charter, {}, { chars: limit })).toThrow(`The limit of ${limit} chars is no whole number.`);
  });

const readings = { goals: fromText("Grow."), now: fromText("a long line of now") };

test("the room others leave, beside what state was promised, in every limit that holds", () => {
  expect(roomLeft(charter, readings, "goals")).toEqual([{ unit: "chars", limit: 60, left: 29, needs: 5 }]);
  expect(roomLeft(charter, readings, "goals", { tokens: 30, tokenizer: half })).toEqual([
    { unit: "chars", limit: 60, left: 29, needs: 5 },
    { unit: "tokens", limit: 30, left: 14, needs: 3 },
  ]);
  expect(roomLeft(charter, readings, "goals", { chars: 12 })).toEqual([
    { unit: "chars", limit: 12, left: 0, needs: 5 },
  ]);
});

test("a section that is not there, or moves, has no room of its own; without a limit there is no answer", () => {
  expect(roomLeft(charter, readings, "now")).toEqual([]);
  expect(roomLeft({ ...charter, limit: {} }, readings, "goals")).toEqual([]);
});

test("what can give way leaves its room", () => {
  const giving: Charter = {
    name: "test",
    limit: { chars: 30 },
    givesWay: [{ section: "list", from: "end", told: "…" }],
    layers: [
      {
        name: "1",
        mutability: { amendableBy: ["agent"], scope: "agent" },
        sections: [{ name: "goals", original: "Grow." }],
      },
      { name: "2", mutability: "live", sections: [{ name: "list", trust: "own", sources: [] }] },
    ],
  };
  const list = present([{ text: "one of them" }, { text: "another of them" }]);
  expect(roomLeft(giving, { goals: fromText("Grow."), list }, "goals")).toEqual([
    { unit: "chars", limit: 30, left: 15, needs: 5 },
  ]);
});
