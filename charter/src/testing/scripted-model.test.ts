import { expect, test } from "vitest";
import type { ModelRequest } from "../delivery/model.ts";
import { Problem } from "../prompt/problem.ts";
import { callsTools, failsWith, hangsUntilAborted, replyOf, scriptedModel } from "./scripted-model.ts";

const usage = { input: 1000, read: 600, written: 100, output: 20 };
const asking = { signal: new AbortController().signal };
const request: ModelRequest = {
  tools: [],
  system: [{ text: "Be kind." }],
  messages: [{ role: "user", text: "Hello." }],
};

test("it answers line by line, and keeps every request as it was", async () => {
  const call = { id: "call-a", name: "weather", input: '{"city":"Rome"}' };
  const model = scriptedModel([
    "Hello.",
    callsTools(["weather", { city: "Rome" }, "call-a"]),
    failsWith({ message: "Busy." }),
    ({ messages }) => `You said ${messages.length} thing.`,
    { text: "I was cut", finish: "length" },
  ]);
  const messages = [...request.messages];
  const answers = [await model.ask({ ...request, messages }, asking)];
  messages.pop();
  for (let times = 1; times < 5; times++) answers.push(await model.ask(request, asking));
  expect(answers).toEqual([
    { answer: { text: "Hello.", calls: [], finish: "stop", usage } },
    { answer: { text: "", calls: [call], finish: "tool-calls", usage } },
    { fault: { code: "model-busy", message: "Busy.", retry: true } },
    { answer: { text: "You said 1 thing.", calls: [], finish: "stop", usage } },
    { answer: { text: "I was cut", calls: [], finish: "length", usage } },
  ]);
  expect(model.requests).toEqual([request, request, request, request, request]);
});

test("a text is heard as it comes", async () => {
  const heard: string[] = [];
  await scriptedModel(["Hello."]).ask(request, { ...asking, onText: (text) => heard.push(text) });
  expect(heard).toEqual(["Hello."]);
});

test.each([
  [[], 1, "once", "no line"],
  [["Hello."], 2, "a 2nd time", "one line"],
  [["One.", "Two."], 3, "a 3rd time", "2 lines"],
  [Array.from({ length: 11 }, () => "Yes."), 12, "a 12th time", "11 lines"],
])("a script of %j that is asked %i times says so", async (lines, times, asked, length) => {
  const model = scriptedModel(lines);
  for (let count = 1; count < times; count++) await model.ask(request, asking);
  await expect(model.ask(request, asking)).rejects.toEqual(
    new Problem(
      "script-over",
      `The model was asked ${asked}, and its script has ${length}.`,
      "Add a line to the script, or give scriptedModel(…, { repeatLast: true }).",
    ),
  );
});

test("a script that is no list is refused", () => {
  expect(() => scriptedModel("Hello." as unknown as string[])).toThrow(
    new Problem(
      "bad-script",
      "The script of a model is a list of lines, and it was given a text.",
      'Give scriptedModel(["Hello."]).',
    ),
  );
});

test("a call that is no list is refused, before its name is taken apart into letters", () => {
  const given = callsTools as unknown as (...given: unknown[]) => unknown;
  const hint = 'Give each call as a list, name first: callsTools(["weather", { city: "Rome" }]).';
  const refused = (is: string) =>
    new Problem("bad-script", `A call of a tool that callsTools was given is ${is}.`, hint);
  expect(() => given("weather", { city: "Rome" })).toThrow(refused("a text"));
  expect(() => given(["weather"], undefined)).toThrow(refused("missing"));
  expect(() => given({ name: "weather" })).toThrow(refused("an object that does not fit"));
});

test("a line that is none is a Problem that names it", async () => {
  const model = scriptedModel([7 as unknown as string]);
  await expect(model.ask(request, asking)).rejects.toThrow("A line of the model's script is 7.");
});

test("the reply of a turn that was not awaited is no reply", () => {
  const given = replyOf as (outcome: unknown) => unknown;
  const wanted = (is: string) =>
    `replyOf takes the outcome of a turn, and it was given ${is}: replyOf(await agent.runTurn({ input, user })).`;
  expect(() => given(Promise.resolve())).toThrow(wanted("a promise"));
  expect(() => given(undefined)).toThrow(wanted("nothing"));
});

test("the last line answers for ever where that is asked for, and say() gives another script", async () => {
  const model = scriptedModel(["One.", "Two."], { repeatLast: true });
  const texts: unknown[] = [];
  const ask = async () => texts.push((await model.ask(request, asking)).answer?.text);
  for (let times = 0; times < 3; times++) await ask();
  model.say("Three.", "Four.");
  for (let times = 0; times < 3; times++) await ask();
  expect(texts).toEqual(["One.", "Two.", "Two.", "Three.", "Four.", "Four."]);
});

test("it is what it is told to be", () => {
  const { receiver } = scriptedModel([], { receiver: { name: "test/small", window: 4000 } });
  expect([receiver.name, receiver.window, receiver.slots]).toEqual(["test/small", 4000, "layered"]);
});

test("one that hangs is called off", async () => {
  const stopping = new AbortController();
  const heard: string[] = [];
  const model = scriptedModel([
    hangsUntilAborted({ text: "Well", onStart: () => stopping.abort() }),
    hangsUntilAborted(),
  ]);
  const options = { signal: stopping.signal, onText: (text: string) => heard.push(text) };
  const off = { fault: { code: "model-aborted", message: "It was called off.", retry: false } };
  expect([await model.ask(request, options), await model.ask(request, options), heard]).toEqual([off, off, ["Well"]]);
});

test("every call has an id of its own", () => {
  const ids = [callsTools(["a"], ["b"]), callsTools(["a"])].flatMap(({ calls = [] }) => calls.map(({ id }) => id));
  expect(new Set(ids).size).toBe(3);
});
