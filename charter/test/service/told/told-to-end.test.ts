import { expect, test } from "vitest";
import { whole } from "../../homes.ts";
import { type NodeName, nodes } from "../../nodes.ts";
import { onScene, toldMeanwhile, toldOf, type Way } from "./told-to-end.ts";

type Case = readonly [way: Way, node: NodeName, signal: NodeJS.Signals, end: number | NodeJS.Signals];

/**
 * npm passes TERM and INT on, of everything else it dies itself; between npx and the command is a shell that passes nothing
 * on. What they started notices that they are gone.
 */
const all: readonly Case[] = nodes.flatMap((node): Case[] => [
  ...(["SIGTERM", "SIGINT", "SIGHUP"] as const).map((signal): Case => ["the launcher", node, signal, 0]),
  ...(["SIGTERM", "SIGINT"] as const).map((signal): Case => ["npm", node, signal, 0]),
  ...(["SIGHUP", "SIGQUIT", "SIGKILL"] as const).map((signal): Case => ["npm", node, signal, signal]),
  ...(["SIGTERM", "SIGHUP", "SIGKILL"] as const).map((signal): Case => ["npx", node, signal, signal]),
  ...(["SIGTERM", "SIGINT", "SIGHUP"] as const).map((signal): Case => ["process 1", node, signal, 0]),
  ...(node === "20" ? [["the launcher", node, "SIGKILL", "SIGKILL"] as const] : []),
]);
/** What the launcher alone does is looked at in told-again.test.ts, too. */
const some: readonly Case[] = [
  ["npm", "20", "SIGTERM", 0],
  ["process 1", "20", "SIGTERM", 0],
];

test.concurrent.for(whole ? all : some)(
  "%s on Node %s, sent %s while a turn is under way, ends with %s when it is answered: no process, port or lock is left",
  ([way, node, signal, end], context) =>
    onScene(context, [way, node], async (scene, by) => {
      const started = await scene.start(by);
      const told = toldOf(way, started);
      expect(await toldMeanwhile(scene, started, () => process.kill(told, signal))).toBe(end);
    }),
);
