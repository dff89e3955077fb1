import { expect, test } from "vitest";
import { automatonStates, stateAfter, stateEvents } from "./messages.ts";

const short: Readonly<Record<string, string>> = {
  Bootstrapping: "boot",
  Idle: "idle",
  LoadingContext: "load",
  Inferring: "infer",
  ExecutingActions: "act",
  Persisting: "keep",
  Sleeping: "sleep",
  Faulted: "fault",
};

test("every event in every state: where it leads, or that it is not foreseen", () => {
  const shown = automatonStates.map((state) =>
    [short[state], ...stateEvents.map((event) => short[stateAfter(state, event) ?? ""] ?? "-")]
      .map((cell) => (cell as string).padEnd(7))
      .join("")
      .trimEnd(),
  );
  expect([stateEvents.join(" "), ...shown].join("\n")).toBe(
    `
tick rest turn-started context-loading model-asked tools-called turn-recorded turn-finished turn-quiet turn-failed
boot   idle   sleep  -      -      -      -      -      -      -      -
idle   idle   sleep  load   -      -      -      -      -      -      -
load   -      -      -      load   infer  act    keep   -      -      idle
infer  -      -      -      load   -      act    keep   -      -      idle
act    -      -      -      load   -      -      keep   -      -      idle
keep   -      -      -      -      -      -      -      idle   idle   idle
sleep  idle   sleep  -      -      -      -      -      -      -      -
fault  idle   sleep  -      fault  fault  fault  fault  fault  fault  fault
`.trim(),
  );
});

test("a state that nobody knows foresees nothing", () => {
  expect(["toString", "", "Dreaming"].map((state) => stateAfter(state, "tick"))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
