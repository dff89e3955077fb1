import { expect, test } from "vitest";
import type { WaitingCall } from "../../agent/turn-interface.ts";
import { approvalQuestion, approveAnswer } from "./conversation.ts";
import { createScreen } from "./screen.ts";

const as = (text: string) => text;
const paint = { red: as, green: as, yellow: as, cyan: as, dim: as, bold: as };

const held: WaitingCall = {
  id: "h1",
  tool: "write",
  input: { path: "a.txt", content: "one\n\ttwo" },
  reason: "You are asked because “fetch” brought text of others into this conversation.",
  place: "/home/bo/app",
  mayAllow: true,
};

test.for([
  ["y", true],
  [" YES ", true],
  ["n", false],
  ["no", false],
  ["a", "session"],
  ["allow", "session"],
  ["m", "mine"],
  ["Mine", "mine"],
  ["", undefined],
  ["yes, all", undefined],
  ["always", undefined],
] as const)("“%s” is the answer %s", ([said, answer]) =>
  expect(approveAnswer(said, { mayAllow: true, ofPicture: true })).toBe(answer),
);

test("where nothing may be allowed for a session, the key for it is no answer", () => {
  expect([approveAnswer("a", {}), approveAnswer("mine", {})]).toEqual([undefined, undefined]);
});

/** A terminal at which these words are typed. */
function terminal(...typed: readonly (string | undefined)[]) {
  let shown = "";
  const out = { isTTY: true, columns: 80, rows: 24, write: (text: string) => (shown += text) };
  const screen = createScreen({ out, err: out, paint, opening: "ada › " });
  const said = [...typed];
  const ask = async (question: string) => {
    shown += `${question}${said[0] ?? ""}\n`;
    return said.shift();
  };
  const lines = { next: async () => undefined, onInterrupt: () => {}, close: () => {}, ask };
  return { approve: approvalQuestion(lines, screen), shown: () => shown.split("\n") };
}

const never = new AbortController().signal;

test("the question says what, where, why and with what; what is no answer is asked again", async () => {
  const { approve, shown } = terminal("what?", "a");
  expect(await approve?.(held, never)).toBe("session");
  const keys = "  [y]es, once, [a]llow write in this session, or [n]o: ";
  expect(shown()).toEqual([
    "  ? asked: The agent wants to write the file `a.txt` in /home/bo/app. You are",
    "    asked because “fetch” brought text of others into this conversation.",
    "    + one",
    "    + \ttwo",
    `${keys}what?`,
    `${keys}a`,
    "",
  ]);
});

test("what may be allowed only once has no key for the session", async () => {
  const { mayAllow: _, ...once } = held;
  const { approve, shown } = terminal("y");
  expect(await approve?.(once, never)).toBe(true);
  expect(shown().at(-2)).toBe("  [y]es, once, or [n]o: y");
});

test("whoever leaves has said nothing, and where nobody types nobody is asked", async () => {
  expect(await terminal(undefined).approve?.(held, never)).toBeUndefined();
  const lines = { next: async () => undefined, onInterrupt: () => {}, close: () => {} };
  const out = { write: () => {} };
  expect(approvalQuestion(lines, createScreen({ out, err: out, paint, opening: "" }))).toBeUndefined();
});
