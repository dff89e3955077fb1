import type { ApprovalListAnswer, TurnAnswer } from "charter/answers";
import { expect, test } from "vitest";
import { begun } from "../../kit/unfold.ts";
import { flow, glimpse, recorded, saidIn, shown, waitingElsewhere } from "./recorded.ts";
import type { Said } from "./talk.ts";

const call = (id: string, name: string, input: object = {}) => ({ id, name, input: JSON.stringify(input) });
const refusals = [{ guard: "no-override", because: "It would." }];

test("an amendment through a tool is a tool and a card, as it was when it happened", () => {
  const output = {
    verdict: "accepted",
    section: "instructions",
    says: "“instructions” is at revision 1 now.",
    refusals: [],
    revision: 1,
    diff: "…",
    quote: { says: "62 tokens." },
  };
  const steps = [
    {
      result: {
        answer: {
          text: "Let me note that.",
          calls: [call("c1", "update_instructions", { instructions: "In French." })],
        },
        results: [{ call: "c1", name: "update_instructions", output: JSON.stringify(output) }],
      },
    },
    { result: { answer: { text: "C'est noté.", calls: [] } } },
  ];
  const events = [
    { kind: "amended", detail: { section: "instructions", operation: "rewrite", actor: "agent", revision: 1 } },
    { kind: "turn-ended", detail: { state: "answered" } },
  ];
  expect(recorded(steps, events)).toEqual({
    happened: [
      { kind: "aside", text: "Let me note that." },
      {
        kind: "tool",
        name: "update_instructions",
        input: { instructions: "In French." },
        output,
        state: "done",
      },
      { kind: "amendment", section: "instructions", revision: 1, diff: "…", says: "62 tokens." },
    ],
  });
});

test("refusals and what waits; the same call again in a later step waits by itself", () => {
  const refused = { verdict: "refused", section: "instructions", refusals };
  const steps = [
    {
      result: {
        answer: { text: "", calls: [call("a", "update_instructions"), call("b", "send_mail")] },
        results: [
          { output: JSON.stringify(refused), failed: true },
          { output: "It waits.", failed: true },
        ],
      },
    },
    {
      result: { answer: { text: "", calls: [call("b", "send_mail")] }, results: [{ output: "Waits.", failed: true }] },
    },
  ];
  const events = [
    { kind: "amendment-refused", detail: { section: "instructions", refusals } },
    { kind: "tool-held", detail: { held: "h1", call: "b", tool: "send_mail" } },
    { kind: "tool-held", detail: { held: "h2", call: "b", tool: "send_mail" } },
  ];
  expect(recorded(steps, events).happened).toEqual([
    { kind: "tool", name: "update_instructions", input: {}, output: refused, state: "refused" },
    { kind: "refusal", section: "instructions", refusals },
    { kind: "tool", name: "send_mail", input: {}, output: "It waits.", state: "waits" },
    { kind: "held", held: "h1", what: "call", name: "send_mail" },
    { kind: "tool", name: "send_mail", input: {}, output: "Waits.", state: "waits" },
    { kind: "held", held: "h2", what: "call", name: "send_mail" },
  ]);
});

test("a change that changed nothing is told as that", () => {
  const output = { verdict: "unchanged", section: "instructions", says: "Nothing.", revision: 2 };
  const result = {
    answer: { text: "", calls: [call("a", "update_instructions")] },
    results: [{ output: JSON.stringify(output) }],
  };
  expect(recorded([{ result }], []).happened).toEqual([
    { kind: "tool", name: "update_instructions", input: {}, output, state: "done" },
    { kind: "notice", code: "unchanged", message: "“instructions” says exactly this already: nothing was changed." },
  ]);
});

test("what only an event tells of has a card, too", () => {
  const events = [
    { kind: "amended", detail: { section: "soul", revision: 3 } },
    { kind: "amendment-held", detail: { section: "soul", held: "h3", refusals } },
  ];
  expect(recorded([], events).happened).toEqual([
    { kind: "amendment", section: "soul", revision: 3 },
    { kind: "held", held: "h3", what: "proposal", name: "soul" },
  ]);
});

test("why there is no answer; a call without a result; nothing at all", () => {
  const notices = [{ code: "answer-cut", message: "Cut." }];
  const because = { code: "model-rejected", message: "The key is over." };
  const steps = [{ result: { answer: { text: "", calls: [call("a", "inbox")] } } }, { result: { notices, because } }];
  expect(recorded(steps, [])).toEqual({
    happened: [
      { kind: "tool", name: "inbox", input: {}, state: "running" },
      { kind: "notice", code: "answer-cut", message: "Cut." },
    ],
    because: "The key is over.",
  });
  expect(recorded([{ result: null }], [])).toEqual({ happened: [] });
});

test("the agent's own tools, and what it asked leave for", () => {
  const tool = { title: "Read a.txt", kind: "read", status: "done", paths: ["/a.txt"] } as const;
  const steps = [{ result: { answer: { text: "Read.", calls: [] } }, ownTools: [{ id: "t1", ...tool }] }];
  const events = [{ kind: "tool-held", detail: { held: "h1", call: "p1", tool: "acp:execute" } }];
  expect(recorded(steps, events).happened).toEqual([
    { kind: "own-tool", id: "t1", tool },
    { kind: "held", held: "h1", what: "call", name: "use a tool of its own (execute)" },
  ]);
});

test("the answer of who called tools while it answered is no aside", () => {
  const result = {
    answer: { text: "Let me look. Sunny.", calls: [call("a", "look")] },
    results: [{ output: "sun" }],
  };
  const tool = { kind: "tool", name: "look", input: {}, output: "sun", state: "done" };
  expect(recorded([{ result }], [], "Let me look. Sunny.").happened).toEqual([tool]);
  expect(recorded([{ result }], []).happened).toEqual([{ kind: "aside", text: "Let me look. Sunny." }, tool]);
});

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

test("what a tool was given, whole and at a glance", () => {
  expect(shown({ to: "ida", times: 2 })).toBe('{\n  "to": "ida",\n  "times": 2\n}');
  expect(shown("as it is")).toBe("as it is");
  expect(shown(undefined)).toBe("");
  const rows: [unknown, string][] = [
    [{ to: "ida", times: 2 }, "ida · 2"],
    [{}, ""],
    [{ deep: { er: 1 } }, '{"deep":{"er":1}}'],
    ["two\n\nlines", "two lines"],
    [null, "null"],
    ["👍".repeat(100), `${"👍".repeat(79)}…`],
  ];
  expect(rows.map(([value]) => glimpse(value))).toEqual(rows.map(([, words]) => words));
});
