import { expect, test } from "vitest";
import { messageOutcome, obstacleOf } from "./messages.ts";

const one = [{ id: "m1" }];
const two = [{ id: "m1" }, { id: "m2" }];
const ended = { state: "answered", reply: "Fine.", alone: true, noted: new Map<string, string>() };
const problem = { code: "model-busy", message: "The model is busy." };

test("one message: the answer is its reply, whatever was noted; a blank one is a failure", () => {
  expect([
    messageOutcome(one, ended),
    messageOutcome(one, { ...ended, noted: new Map([["m1", "Noted."]]) }),
    messageOutcome(one, { ...ended, reply: " \n" }),
    messageOutcome(one, { ...ended, reply: null }),
  ]).toEqual([
    { replies: [{ message: "m1", body: "Fine." }], failures: [] },
    { replies: [{ message: "m1", body: "Fine." }], failures: [] },
    { replies: [], failures: [{ message: "m1", because: "The turn's answer was blank." }] },
    { replies: [], failures: [{ message: "m1", because: "The turn's answer was blank." }] },
  ]);
});

test("several: each by its note, one without has failed; the answer goes to nobody", () => {
  const noted = new Map([
    ["m2", "To you."],
    ["m9", "To a stranger."],
  ]);
  expect(messageOutcome(two, { ...ended, alone: false, noted })).toEqual({
    replies: [{ message: "m2", body: "To you." }],
    failures: [{ message: "m1", because: "The turn ended without a reply to it." }],
  });
});

test("one of several that is left alone is not answered with what was said at the end of their turn", () => {
  expect(messageOutcome(one, { ...ended, alone: false })).toEqual({
    replies: [],
    failures: [{ message: "m1", because: "The turn ended without a reply to it." }],
  });
});

test("a turn that failed sends nothing, also of what was noted; its messages fail with the Problem's words", () => {
  const noted = new Map([["m1", "Noted."]]);
  expect([
    messageOutcome(two, { ...ended, state: "failed", reply: "Half an answer", problem, noted }),
    messageOutcome(one, { ...ended, state: "interrupted", reply: null, noted }),
    messageOutcome([], ended),
  ]).toEqual([
    {
      replies: [],
      failures: [
        { message: "m1", because: "model-busy: The model is busy.", outage: true },
        { message: "m2", because: "model-busy: The model is busy.", outage: true },
      ],
    },
    { replies: [], failures: [{ message: "m1", because: "The turn was interrupted." }] },
    { replies: [], failures: [] },
  ]);
});

test("what may be the model's costs no try at first, nor does what nobody can help; all else does", () => {
  const codes = ["model-unreachable", "model-rejected", "turn-time", "out-of-cycles", "agent-frozen", "turn-steps"];
  const told = codes.map((code) => {
    const problem = { code, message: "x" };
    const { failures } = messageOutcome(one, { ...ended, state: "failed", problem });
    return [code, failures[0]?.outage ?? false, obstacleOf(problem)];
  });
  expect(told).toEqual([
    ["model-unreachable", true, "away"],
    ["model-rejected", true, "away"],
    ["turn-time", true, "away"],
    ["out-of-cycles", true, "held"],
    ["agent-frozen", true, "held"],
    ["turn-steps", false, undefined],
  ]);
  expect(obstacleOf(undefined)).toBe(undefined);
});
