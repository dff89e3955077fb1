import type { ApprovalListAnswer, TurnAnswer } from "charter/answers";
import { expect, test } from "vitest";
import { flow, saidIn, waitingElsewhere } from "./recorded.ts";
import { begun, type Said } from "./talk.ts";

const turn = (id: string, more: Partial<TurnAnswer> = {}): TurnAnswer => ({
  id,
  scope: { agent: "ada", user: "olga" },
  session: "s1",
  channel: "web",
  input: `${id}?`,
  reply: `${id}!`,
  state: "answered",
  tainted: false,
  startedAt: "2026-02-18T12:00:00.000Z",
  endedAt: null,
  steps: 1,
  micros: null,
  ...more,
});
const said = (key: string, id?: string): Said => ({
  key,
  input: key,
  at: "2026-02-18T12:00:00.000Z",
  so: id === undefined ? begun : { ...begun, turn: id },
});
const keys = (turns: readonly TurnAnswer[], quiet: readonly string[] = [], here: readonly Said[] = []) =>
  flow(turns, new Set(quiet), here).map(({ kind, key }) => `${kind} ${key}`);

test("oldest first; runs with nothing to report are left out", () => {
  expect(keys([turn("c"), turn("b", { channel: "scheduled", session: "s9" }), turn("a")], ["b"])).toEqual([
    "turn a",
    "turn c",
  ]);
});

test("what was said here stays in its place when it comes on record, and at the end until then", () => {
  expect(keys([turn("b"), turn("a")], [], [said("one", "b"), said("two", "c"), said("three")])).toEqual([
    "turn a",
    "turn one",
    "said two",
    "said three",
  ]);
});

test("what was erased is not shown from here either", () => {
  expect(flow([turn("a", { state: "erased" })], new Set(), [said("one", "a")])).toEqual([
    { kind: "turn", key: "a", turn: turn("a", { state: "erased" }) },
  ]);
});

test("where a new conversation begins is seen; other channels have sessions of their own", () => {
  const turns = [turn("d", { session: "s2" }), turn("c"), turn("b", { channel: "telegram", session: "s7" }), turn("a")];
  expect(keys(turns)).toEqual(["turn a", "turn b", "turn c", "anew anew-d", "turn d"]);
  const back = flow([turn("e"), ...turns], new Set(), []).filter(({ kind }) => kind === "anew");
  expect(back).toEqual([
    { kind: "anew", key: "anew-d", back: false },
    { kind: "anew", key: "anew-e", back: true },
  ]);
});

test("what waits and stands in no turn that is shown: one's own, and the agent's", () => {
  const held = [
    { id: "h1", section: "soul", scope: { agent: "ada" }, proposal: {} },
    { id: "h2", section: "instructions", scope: { agent: "ada", user: "bo" }, proposal: {} },
    { id: "h3", section: "instructions", scope: { agent: "ada", user: "olga" }, proposal: { turn: "a" } },
  ];
  const calls = [{ id: "c1", tool: "send_mail", scope: { agent: "ada", user: "olga" }, turn: "z" }];
  const all = { proposals: held, calls } as unknown as ApprovalListAnswer;
  expect(waitingElsewhere(all, "olga", new Set(["a"]))).toEqual([
    { held: "h1", what: "proposal", name: "soul" },
    { held: "c1", what: "call", name: "send_mail" },
  ]);
});

test("of what was said here, a session has what was said in it, also before it is on record", () => {
  const [there, early, elsewhere, nowhere] = [
    { ...said("there"), so: { ...begun, session: "s1" } },
    { ...said("early"), to: "s1" },
    { ...said("elsewhere"), so: { ...begun, session: "s2" } },
    said("nowhere"),
  ];
  const all = [there, early, elsewhere, nowhere];
  expect(saidIn(all, "s1")).toEqual([there, early]);
  expect(saidIn(all, undefined)).toEqual(all);
});
