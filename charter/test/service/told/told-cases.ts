import { expect, test } from "vitest";
import type { NodeName } from "../../nodes.ts";
import { onScene, toldMeanwhile, toldOf, type Way } from "./told-to-end.ts";

/** Who is sent which signal, and how it ends. */
export type Case = readonly [way: Way, node: NodeName, signal: NodeJS.Signals, end: number | NodeJS.Signals];

export function testCases(cases: readonly Case[]): void {
  test.concurrent.for(cases)(
    "%s on Node %s, sent %s while a turn is under way, ends with %s when it is answered: no process, port or lock is left",
    ([way, node, signal, end], context) =>
      onScene(context, [way, node], async (scene, by) => {
        const started = await scene.start(by);
        const told = toldOf(way, started);
        expect(await toldMeanwhile(scene, started, () => process.kill(told, signal))).toBe(end);
      }),
  );
}
