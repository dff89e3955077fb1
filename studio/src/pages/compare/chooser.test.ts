import type { TurnAnswer } from "charter/answers";
import { expect, test } from "vitest";
import { type Known, presets } from "./chooser.tsx";
import { sideText } from "./side.ts";

const turn = (id: string, user: string, more: Partial<TurnAnswer> = {}) =>
  ({ id, scope: { agent: "ada", user }, channel: "web", steps: 1, state: "answered", ...more }) as TurnAnswer;
const told = (known: Known) =>
  presets(known).map(({ pair }) => pair && `${sideText(pair.left)} | ${sideText(pair.right)}`);

test("pairs of what there is: turns with words, other users, other channels", () => {
  const turns = [
    turn("d", "bo", { steps: 0, state: "failed" }),
    turn("c", "bo", { channel: "telegram" }),
    turn("b", "olga"),
    turn("a", "bo"),
  ];
  expect(told({ turns, users: ["olga", "bo"], channels: ["web", "telegram"], user: "olga" })).toEqual([
    "turn:c | now:user=bo&channel=telegram",
    "turn:a | turn:c",
    "now:user=olga | now:user=bo",
    "now:user=olga&channel=web | now:user=olga&channel=telegram",
    "now:user=olga&edition=full | now:user=olga&edition=compact",
  ]);
});

test("where there is nothing yet, only editions can be compared", () => {
  expect(told({ turns: [], users: ["olga"], channels: ["web"], user: "olga" })).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    "now:user=olga&edition=full | now:user=olga&edition=compact",
  ]);
});
