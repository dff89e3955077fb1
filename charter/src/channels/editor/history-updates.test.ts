import { expect, test } from "vitest";
import { historyUpdates } from "./editor.ts";

test("a session is shown again as it was: asked, called, answered", () => {
  const call = { id: "c1", name: "bash", input: '{"command":"ls"}' };
  const view = {
    id: "t1/c1",
    tool: "bash",
    title: "bash ls",
    kind: "execute",
    places: [],
    input: { command: "ls" },
  };
  const turns = [
    {
      id: "t1",
      input: "list",
      reply: "Two.",
      state: "answered",
      tainted: false,
      steps: [
        {
          step: 1,
          result: { answer: { text: "", calls: [call] }, results: [{ call: "c1", name: "bash", output: "a\nb" }] },
        },
        { step: 2, result: { answer: { text: "Two.", calls: [] } } },
      ],
    },
    { id: "t2", input: "and now?", reply: null, state: "failed", tainted: false, steps: [{ step: 1, result: null }] },
    { id: "t3", input: "old", reply: "Kept.", state: "answered", tainted: false, steps: [] },
    { id: "t4", input: "", reply: null, state: "erased", tainted: false, steps: [] },
  ] as const;
  expect(historyUpdates(turns, "/work")).toEqual([
    { kind: "asked", message: "t1/asked", text: "list" },
    { kind: "call", call: view },
    { kind: "result", call: view, output: "a\nb", failed: false },
    { kind: "answer", message: "t1/2", text: "Two." },
    { kind: "asked", message: "t2/asked", text: "and now?" },
    { kind: "asked", message: "t3/asked", text: "old" },
    { kind: "answer", message: "t3/reply", text: "Kept." },
  ]);
});
