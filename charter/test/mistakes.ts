import { expect, test } from "vitest";
import { defineCharter } from "../src/prompt/charter.ts";
import { Problem } from "../src/prompt/problem.ts";
import { fromText } from "../src/prompt/reading.ts";

/** Things as plain JavaScript has them: no compiler stands before a mistake. */
// biome-ignore lint/suspicious/noExplicitAny: that is the point.
export type Anything = any;

export const charter: Anything = defineCharter({
  name: "librarian",
  layers: [
    { name: "law", mutability: "fixed", sections: [{ name: "safety", words: "Be safe." }] },
    {
      name: "goals",
      mutability: { amendableBy: ["agent"], scope: "agent" },
      sections: [{ name: "goals", heading: "## Goals", original: "Find books." }],
    },
    {
      name: "now",
      mutability: "live",
      sections: [{ name: "clock", trust: "own", sources: [({ now }) => fromText(now)] }],
    },
  ],
});

export const turn: Anything = { now: "2026-02-18T09:00:00Z", tools: [], standing: {} };

/** What was done, and the Problem it comes to: its code and message. */
export type Mistake = readonly [mistake: string, act: () => unknown, problem: string];

/** Each mistake is a Problem that says what to do, and no TypeError. */
export function testMistakes(where: string, mistakes: readonly Mistake[]): void {
  for (const [mistake, act, problem] of mistakes)
    test(`${where}: ${mistake}`, async () => {
      const thrown = await (async () => act())().catch((error: unknown) => error);
      if (!(thrown instanceof Problem)) throw new Error(`no Problem: ${String(thrown)}`);
      expect(`${thrown.code}: ${thrown.message}`).toBe(problem);
      expect(thrown.hint).toMatch(/^[A-Z].*\.$/s);
      expect(thrown.hint).not.toMatch(/undefined|\[object/);
    });
}
