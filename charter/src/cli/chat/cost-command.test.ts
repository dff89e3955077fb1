import { expect, test } from "vitest";
import { standInReceiver } from "../../delivery/stand-in.ts";
import type { Screen } from "../terminal/screen.ts";
import { costCommand } from "./prompt-commands.ts";
import type { Talk } from "./talk.ts";

const plain = (text: string) => text;
const screen = { width: 100, paint: { bold: plain, dim: plain }, isTerminal: false } as unknown as Screen;
const usage = { input: 1_000_000, read: null, written: null, output: null };
const step = (receiver: string) => ({ step: 1, receipt: { receiver, slots: [] }, result: { usage } });
const steps: Record<string, unknown> = { first: [step("mine/dear")], last: [step("mine/now")] };

test("what another model was asked before is paid by its own price, and where that is unknown nobody makes it up", async () => {
  const talk = {
    scope: { agent: "ada", user: "bo" },
    store: {
      agents: { get: async () => ({}) },
      spending: { sums: async () => ({ days: [], models: [] }) },
      steps: { of: async (turn: string) => steps[turn] },
      sessions: { history: async () => [{ id: "first" }, { id: "last" }] },
    },
    model: () => ({
      receiver: { ...standInReceiver, name: "mine/now", price: { input: 2, read: 0, write: 0, output: 0 } },
    }),
    host: () => ({ models: {} }),
    lastTurn: async () => "last",
    session: () => "one",
  } as unknown as Talk;
  const costs = async () =>
    ((await costCommand(talk, screen).run("", {} as never)) as string[]).filter((line) => line.includes("billed"));
  expect((await costs()).map((line) => line.trim().split(/ +/).at(-1))).toEqual(["$2.0", "–"]);
  steps.first = [step("anthropic/claude-sonnet-4-5")];
  expect((await costs()).map((line) => line.trim().split(/ +/).at(-1))).toEqual(["$2.0", "$5.0"]);
});
