import { expect, test } from "vitest";
import { figures } from "./turn-foot.tsx";

const over = { state: "answered", startedAt: "2026-01-01T10:00:00.000Z", endedAt: "2026-01-01T10:00:01.200Z" } as const;
const usage = { input: 1200, read: 0, written: 0, output: 40 };

const turns: [what: string, turn: Parameters<typeof figures>[0], said: readonly string[]][] = [
  ["all of it", { ...over, usage, cost: 0.0012 }, ["1,200 tokens in, 40 out", "$0.00120", "1.2 s"]],
  ["one token", { ...over, usage: { ...usage, input: 1 }, cost: 0 }, ["1 token in, 40 out", "$0", "1.2 s"]],
  ["no price", { ...over, usage, cost: null }, ["1,200 tokens in, 40 out", "1.2 s"]],
  ["only the reply counted", { ...over, usage: { ...usage, input: null }, cost: null }, ["40 tokens out", "1.2 s"]],
  ["only the request counted", { ...over, usage: { ...usage, output: null } }, ["1,200 tokens in", "1.2 s"]],
  ["nothing counted", over, ["1.2 s"]],
  ["nobody knows when it ended", { ...over, state: "interrupted", endedAt: null }, []],
  ["it still runs", { ...over, state: "running", endedAt: null, usage, cost: 1 }, []],
  ["it was erased", { ...over, state: "erased", usage, cost: 1 }, []],
];
for (const [what, turn, said] of turns)
  test(`under a turn: ${what}`, () => {
    expect(figures(turn)).toEqual(said);
  });
