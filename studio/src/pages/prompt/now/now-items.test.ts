import type { NextRequestAnswer } from "charter/answers";
import { expect, test } from "vitest";
import { nowStrata } from "../../../assembly/now-strata.ts";
import { nowItems } from "./now-items.ts";

const section = (name: string, text: string): NextRequestAnswer["parts"][number]["sections"][number] => ({
  ...{ name, text, layer: "self", mutability: "amendable", stability: "stable", trust: "own" },
  ...{ source: "charter", revision: 1, spans: [], tokens: 2 },
});
const soul = section("soul", "Be kind.");
const changed = section("soul", "Be brief.");
const time = section("time", "Noon.");
const said = { role: "user" as const, text: "Hello." };
const next = {
  input: 2,
  request: {
    tools: [],
    system: [{ text: "Be kind." }],
    messages: [
      said,
      { role: "system" as const, text: "soul now reads: Be brief.", update: "soul" },
      { role: "user" as const, text: "" },
      { role: "system" as const, text: "Noon." },
    ],
  },
  parts: [
    { slot: "state" as const, message: 3, sections: [time] },
    { slot: "system" as const, message: null, sections: [soul] },
    { slot: "update" as const, message: 1, sections: [changed] },
  ],
};

test("a request is read in its order: prefix, history with updates in it, the message to come, state", () => {
  expect(nowItems(next)).toEqual({
    prefix: [{ kind: "section", section: soul, tail: false }],
    history: [
      { kind: "message", message: said },
      { kind: "update", sections: [changed], text: "soul now reads: Be brief." },
      { kind: "input" },
    ],
    state: [{ kind: "section", section: time, tail: true }],
  });
});

test("the picture has the prefix first, then the updates, then the state", () => {
  expect(nowStrata(next).map(({ name, text, tail }) => [name, text, tail])).toEqual([
    ["soul", "Be kind.", false],
    ["soul", "Be brief.", true],
    ["time", "Noon.", true],
  ]);
});
