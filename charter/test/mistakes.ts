import { expect, test } from "vitest";
import { Problem } from "../src/prompt/problem.ts";

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
