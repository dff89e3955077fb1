import { expect, test } from "vitest";
import { assemble } from "./assemble.ts";
import { type Charter, charterData, defineCharter } from "./charter.ts";
import { Problem } from "./problem.ts";
import { empty, fromText } from "./reading.ts";

const charter: Charter = defineCharter({
  name: "small",
  layers: [
    {
      name: "law",
      mutability: "fixed",
      sections: [{ name: "law", words: "Be kind.", trust: "own", sources: [() => empty] }],
    },
    {
      name: "own",
      mutability: { amendableBy: ["agent"], scope: "agent" },
      sections: [{ name: "wishes", original: "None.", read: (standing) => fromText(standing.toUpperCase()) }],
      fallback: [{ name: "newcomer", mutability: "live", trust: "own", sources: [() => fromText("New here.")] }],
    },
  ],
  givesWay: [{ section: "wishes", from: "end", keep: Number.POSITIVE_INFINITY, told: "(cut)" }],
});

test("what is read is left out, what is declared stays", () => {
  expect(charterData(charter)).toEqual({
    name: "small",
    layers: [
      { name: "law", mutability: "fixed", sections: [{ name: "law", words: "Be kind.", trust: "own", sources: [] }] },
      {
        name: "own",
        mutability: { amendableBy: ["agent"], scope: "agent" },
        sections: [{ name: "wishes", original: "None." }],
        fallback: [{ name: "newcomer", mutability: "live", trust: "own", sources: [] }],
      },
    ],
    givesWay: [{ section: "wishes", from: "end", keep: Number.MAX_SAFE_INTEGER, told: "(cut)" }],
  });
});

test("a reading that is missing is still missed", () => {
  const readings = { law: empty, wishes: empty };
  expect(() => assemble(charterData(charter), readings)).toThrow(Problem);
  expect(assemble(charterData(charter), { ...readings, newcomer: fromText("New here.") }).text).toBe(
    "Be kind.\n\nNew here.",
  );
});
