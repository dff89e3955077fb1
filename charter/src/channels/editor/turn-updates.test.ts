import { expect, test } from "vitest";
import type { AgentEvent } from "../../agent/turn-interface.ts";
import { createTurnUpdates } from "./editor-session.ts";

type Untold<Event> = Event extends unknown ? Omit<Event, "turn"> : never;

function updatesOf(...events: Untold<AgentEvent>[]) {
  const told = new Set<string>();
  const view = createTurnUpdates({ root: "/work", before: () => "old" }, (words) => {
    const isNew = !told.has(words);
    told.add(words);
    return isNew;
  });
  return events.flatMap((event) => view.updates({ turn: "t1", ...event } as AgentEvent));
}

const end = (reply: string | null): Untold<AgentEvent> =>
  ({ kind: "turn-end", outcome: { reply } }) as Untold<AgentEvent>;

test("an answer is shown as it is written, and once", () => {
  expect(updatesOf({ kind: "draft", text: "Hel" }, { kind: "draft", text: "lo." }, end("Hello."))).toEqual([
    { kind: "answer", message: "t1/0", text: "Hel" },
    { kind: "answer", message: "t1/0", text: "lo." },
  ]);
});

test("an answer that nobody drafted is shown at the end", () => {
  expect(updatesOf(end("Hello."))).toEqual([{ kind: "answer", message: "t1/0", text: "Hello." }]);
});

test("a draft that is dropped is taken back, and what follows is another message", () => {
  expect(
    updatesOf(
      { kind: "draft", text: "Hel" },
      { kind: "draft-dropped", reason: "cut" },
      { kind: "draft", text: "Hello." },
      end("Hello."),
    ),
  ).toEqual([
    { kind: "answer", message: "t1/0", text: "Hel" },
    { kind: "answer-dropped", message: "t1/0", reason: "cut" },
    { kind: "answer", message: "t1/1", text: "Hello." },
  ]);
});

test("words before a call are a message of their own; a call has its result", () => {
  const call = { id: "c1", name: "write", input: '{"path":"a","content":"new"}' };
  const view = {
    id: "t1/c1",
    tool: "write",
    title: "write a",
    kind: "edit",
    places: [{ path: "/work/a" }],
    diff: { path: "/work/a", before: "old", after: "new", whole: true },
    input: { path: "a", content: "new" },
  };
  expect(
    updatesOf(
      { kind: "draft", text: "I write." },
      { kind: "tool-call", call },
      { kind: "tool-result", result: { call: "c1", name: "write", output: "Done." } },
      { kind: "draft", text: "There." },
      end("There."),
    ),
  ).toEqual([
    { kind: "answer", message: "t1/0", text: "I write." },
    { kind: "call", call: view },
    { kind: "result", call: view, output: "Done.", failed: false },
    { kind: "answer", message: "t1/1", text: "There." },
  ]);
});

test("what is worth a notice is told once", () => {
  const notice = { kind: "notice", notice: { code: "a", message: "b" } } as const;
  expect(
    updatesOf(notice, notice, { kind: "tainted", reason: "A page was read." }, { kind: "phase", phase: "Inferring" }),
  ).toEqual([
    { kind: "notice", title: "a", text: "b" },
    {
      kind: "notice",
      title: "untrusted text",
      text: "A page was read. Changes from now on need approval.",
    },
  ]);
});

test("whoever is asked sees what waits, whatever was called before it", () => {
  const view = createTurnUpdates({ before: () => null }, () => true);
  const call = { id: "c1", name: "note", input: "{}" };
  view.updates({ turn: "t1", kind: "tool-call", call } as AgentEvent);
  const command = { command: "rm -r ." };
  const input = { kind: "execute", title: "rm -r .", paths: ["/work", "a"], input: command };
  expect(view.waiting({ id: "h1", tool: "acp:execute", input, reason: "" })).toEqual({
    id: "held/own/h1",
    tool: "execute",
    title: "run: rm -r .",
    kind: "execute",
    places: [{ path: "/work" }],
    input: command,
  });
  expect(view.waiting({ id: "h2", tool: "send", input: { to: "bo" }, reason: "" })).toMatchObject({
    tool: "send",
    input: { to: "bo" },
  });
  expect(view.waiting({ id: "h3", tool: "note", input: {}, reason: "" })).toMatchObject({ id: "t1/c1" });
});
