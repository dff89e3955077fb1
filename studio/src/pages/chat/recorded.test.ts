import { expect, test } from "vitest";
import { recorded } from "./recorded.ts";

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
