import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/agent/index.ts";
import { calls, type Line, scripted, spoken } from "./model.ts";
import { newStage, type Stage, tool } from "./stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await newStage();
});
afterEach(() => stage.close());

const textMended = (what: string) => ({
  code: "text-mended",
  message: `${what} had half a character or a NUL, which nothing can carry: each is “\uFFFD” now.`,
});
const sleep = async () => {};
const page = tool("page", () => "Obey.", { harmless: true });
const send = tool("send", () => "Sent.", { trusted: true });

describe("an answer that could be neither kept nor sent back is mended, and the operator is told", () => {
  const answers: [what: string, answer: Line, spoken: readonly string[]][] = [
    ["a NUL", "Fine.\0", ["assistant: Fine.\ufffd"]],
    ["half a character", "Fine.\ud83d", ["assistant: Fine.\ufffd"]],
    ["a NUL in a call's id", calls(["send", {}, "a\0b"]), ["assistant: send {}", "tool: Sent 1."]],
    [
      "half a character in a call's name",
      calls(["send\ud83d"]),
      ["assistant: send\ufffd {}", "tool: There is no tool “send\ufffd”. The tools are “send”."],
    ],
    [
      "half a character in its arguments",
      calls(["send", '{"to":"\ud83d"}']),
      ['assistant: send {"to":"\ufffd"}', "tool: Sent 1."],
    ],
  ];
  for (const [what, answer, spokenThen] of answers)
    test(what, async () => {
      const ran: string[] = [];
      const tools = [tool("send", () => `Sent ${ran.push("send")}.`)];
      const model = scripted([answer, "Fine.", "Fine."]);
      const agent = stage.agent(model, { sleep, tools });
      const { state, notices } = await agent.runTurn({ input: "One.", user: "mia" });
      expect([state, notices]).toEqual(["answered", [textMended("An answer of “test/one”")]]);
      await agent.runTurn({ input: "Two.", user: "mia" });
      expect(spoken(model.requests.at(-1) as never)).toEqual(expect.arrayContaining([...spokenThen]));
    });
});

describe("arguments that break what looks at them are told the model, and the turn goes on", () => {
  const told = async (tools: Parameters<Stage["agent"]>[1], ...lines: Line[]) => {
    const model = scripted([...lines, "Done."]);
    expect(await stage.agent(model, tools).runTurn({ input: "Go.", user: "mia" })).toMatchObject({ reply: "Done." });
    return spoken(model.requests.at(-1) as never).findLast((words) => words.startsWith("tool: "));
  };

  test("a schema whose own code throws", async () => {
    const input = z.object({ query: z.string().transform((words) => JSON.parse(words)) });
    const look = defineTool({
      name: "look",
      summary: "Looks",
      input,
      trusted: true,
      harmless: true,
      run: () => "Seen.",
    });
    expect(await told({ tools: [look] }, calls(["look", { query: "{" }]))).toMatch(
      /^tool: Not run: the arguments do not fit “look”\. Expected property name/,
    );
  });

  test("arguments as deep as a stack, for a call that must wait for a person", async () => {
    const deep = `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
    expect(await told({ tools: [page, send] }, calls(["page"]), calls(["send", deep]))).toMatch(
      /^tool: Not run: a person must approve the call first, and its arguments cannot be kept/,
    );
    expect(await stage.store.calls.list({ agent: "ada" })).toEqual([]);
  });

  test("a hook that makes of them what cannot be kept", async () => {
    const hook = { name: "odd", "before-tool": () => ({ input: { many: 1n } }) };
    expect(await told({ tools: [page, send], hooks: [hook] }, calls(["page"]), calls(["send"]))).toMatch(
      /^tool: Not run: a person must approve the call first, and its arguments cannot be kept/,
    );
  });

  test("a tool that throws what has no words", async () => {
    const thrown = [Object.create(null), { toString: () => Symbol("no") }, Object.assign(new Error(), { message: 5n })];
    for (const one of thrown)
      expect(await told({ tools: [tool("throws", () => Promise.reject(one))] }, calls(["throws"]))).toMatch(
        /^tool: It failed: (?:something that cannot be put into words|5)$/,
      );
  });
});

test("half a character or a NUL in a tool's result is mended, or every later request of the session would be rejected", async () => {
  const model = scripted([calls(["cut"]), "Done."]);
  const agent = stage.agent(model, { tools: [tool("cut", () => "tea\0 \ud83d")] });
  const { turn, notices } = await agent.runTurn({ input: "Go.", user: "mia" });
  expect(notices).toEqual([textMended("A result of the tool “cut”")]);
  expect(spoken(model.requests.at(-1) as never)).toContain("tool: tea\ufffd \ufffd");
  expect((await stage.store.steps.of(turn))[0]?.result).toMatchObject({ results: [{ output: "tea\ufffd \ufffd" }] });
});

test("thousands of calls in one answer: those over the limit are told so, and kept together", async () => {
  let writes = 0;
  const store = {
    ...stage.store,
    turns: {
      ...stage.store.turns,
      recordResult: (...about: Parameters<Stage["store"]["turns"]["recordResult"]>) => {
        writes++;
        return stage.store.turns.recordResult(...about);
      },
    },
  };
  const many = Array.from({ length: 3000 }, (_, index) => ["look", {}, `c${index}`] as const);
  const model = scripted([calls(...many), "Done."]);
  const agent = stage.agent(model, { store, tools: [tool("look", () => "Seen.")], limits: { toolCalls: 5 } });
  const { turn } = await agent.runTurn({ input: "Go.", user: "mia" });
  expect(writes).toBe(7); // the intents, five results, and the rest
  const [step] = await stage.store.steps.of(turn);
  expect(step?.result?.results).toEqual(
    many.map(([name, , call], index) =>
      index < 5
        ? { call, name, output: "Seen." }
        : { call, name, output: "Not run: the limit is 5 calls per turn.", failed: true },
    ),
  );
});
