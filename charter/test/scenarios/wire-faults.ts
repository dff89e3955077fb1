import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { defineTool, type TurnOutcome } from "../../src/agent/index.ts";
import { assistant } from "../../src/charters/index.ts";
import type { Reply } from "../../src/testing/strict/recorder.ts";
import { complaint, type Kind, type Speech, speak } from "../../src/testing/strict/speech.ts";
import { expectAsKept } from "../agent/as-kept.ts";
import { called, type Line, type Loopback, newLoopback, type Told } from "../agent/extensions/loopback-agent.ts";
import { readBody } from "../agent/on-wire.ts";
import { key, modelNames } from "../delivery/loopback.ts";

/** What goes wrong between an agent and its provider: mended, or told; never passed off as an answer, never done twice. */

export const fine: Speech = { text: ["All ", "done."] };
export const pay = called("pay_1", "pay", { to: "cy", amount: 5 });

function refused(kind: Kind, status: number, headers: Record<string, string> = {}): Reply {
  return { status, headers, body: complaint(kind, "Not now.") };
}

/** The events before and with the first that has these words; then the connection breaks, in the middle of the next. */
function cutAfter(kind: Kind, said: Speech, words: string): Reply {
  const events = speak(kind, said);
  const at = events.findIndex((event) => event.includes(words)) + 1;
  const next = events[at] ?? "";
  return { body: [...events.slice(0, at), next.slice(0, next.length / 2)], ends: "cut" };
}

/** Cut where a call's arguments have half arrived; Google sends them whole, so there the event itself is halved. */
function cutInArguments(kind: Kind): Reply {
  const said = { text: ["I will pay. "], ...pay };
  if (kind !== "google") return cutAfter(kind, said, kind === "anthropic" ? "input_json_delta" : 'arguments":"{');
  return cutAfter(kind, said, "I will pay.");
}

export let loopback: Loopback;
let agent: Told;
export let paid: string[];
let turns: string[];

export async function begin(kind: Kind): Promise<void> {
  loopback = await newLoopback(kind);
  paid = [];
  turns = [];
  const tool = defineTool({
    name: "pay",
    summary: "Pay someone",
    input: z.object({ to: z.string(), amount: z.number() }),
    trusted: true,
    harmless: true,
    run: ({ to, amount }, { call }) => {
      paid.push(call);
      return `Paid ${amount} to ${to}.`;
    },
  });
  agent = loopback.agent({ charter: assistant(), tools: [tool] });
  await take("Hello", { text: ["Hi."] });
}

export async function take(input: string, ...lines: readonly Line[]): Promise<TurnOutcome> {
  loopback.play(...lines);
  const outcome = await agent.runTurn({ input, user: "bo" });
  turns.push(outcome.turn);
  expect(loopback.unplayed()).toBe(0);
  return outcome;
}

/** Whatever happened before: the next turn is one like any other, and every request of the session is as it was kept. */
export async function goesOn(): Promise<void> {
  const outcome = await take("Are you still there?", { text: ["I am."] });
  expect(outcome).toMatchObject({ state: "answered", reply: "I am." });
  const { kind, model, store, recorder } = loopback;
  await expectAsKept({ kind, receiver: model.receiver, store, requests: recorder.requests }, turns);
}

/** What of the last turn anyone could see, in order. */
function seen(): string[] {
  return agent.events.flatMap((event) => {
    if (event.turn !== turns.at(-1)) return [];
    if (event.kind === "draft") return [`“${event.text}”`];
    if (event.kind === "draft-dropped") return ["dropped"];
    if (event.kind === "retry") return [`retry after ${event.waitMs} ms: ${event.fault.code}`];
    if (event.kind === "tool-call") return [`calls ${event.call.name}`];
    if (event.kind === "turn-end") return [`${event.outcome.state}: ${event.outcome.reply}`];
    return [];
  });
}

export async function keptOf(turn: string) {
  const { state, reply } = await loopback.store.turns.get(turn);
  const steps = await loopback.store.steps.of(turn);
  const codes = steps.map(({ result }) => (result?.faults ?? []).map(({ code }) => code));
  return { state, reply, faults: codes };
}

type Row = readonly [what: string, lines: (kind: Kind) => readonly Line[], seen: readonly string[], faults: string[]];

const busy = (kind: Kind) => refused(kind, 429, { "retry-after": "2" });
const broken = (kind: Kind) => refused(kind, 500);
const mended: readonly Row[] = [
  [
    "is busy and says for how long",
    (kind) => [busy(kind), fine],
    ["retry after 2000 ms: model-busy", "“All ”", "“done.”", "answered: All done."],
    ["model-busy"],
  ],
  [
    "fails",
    (kind) => [broken(kind), broken(kind), fine],
    [
      ...["retry after 500 ms: model-failed", "retry after 1000 ms: model-failed"],
      ...["“All ”", "“done.”", "answered: All done."],
    ],
    ["model-failed", "model-failed"],
  ],
  [
    "breaks off in the middle of its words",
    (kind) => [cutAfter(kind, { text: ["It is ", "not ", "so."] }, "It is "), fine],
    ["“It is ”", "dropped", "retry after 500 ms: model-cut", "“All ”", "“done.”", "answered: All done."],
    ["model-cut"],
  ],
];

/** What holds with every provider. */
export function testFaults(kind: Kind): void {
  beforeEach(() => begin(kind));
  afterEach(() => loopback.close());

  test.each(mended)("one that %s is asked again, and then answers", async (_what, lines, expected, faults) => {
    const outcome = await take("Do it.", ...lines(kind));
    expect(outcome).toMatchObject({ state: "answered", reply: "All done.", steps: 1 });
    expect(seen()).toEqual(expected);
    expect(await keptOf(outcome.turn)).toEqual({ state: "answered", reply: "All done.", faults: [faults] });
    await goesOn();
  });

  test.each([
    ["nothing", [], []],
    ["nothing but white space", [" ", "\n"], ["“ ”", "“\n”"]],
  ])("one that says %s is told so and then answers; the second time the turn ends", async (_what, text, drafts) => {
    const outcome = await take("Do it.", { text }, fine);
    expect(outcome).toMatchObject({ state: "answered", reply: "All done.", steps: 2 });
    expect(seen()).toEqual([...drafts, "dropped", "“All ”", "“done.”", "answered: All done."]);
    expect(await keptOf(outcome.turn)).toEqual({ state: "answered", reply: "All done.", faults: [[], []] });
    await goesOn();
    const failed = await take("Say it.", { text }, { text });
    expect(failed).toMatchObject({
      ...{ state: "failed", reply: null },
      problem: { code: "model-failed", message: `“${modelNames[kind]}” gave no answer: The answer was empty.` },
    });
    expect((await keptOf(failed.turn)).faults).toEqual([[], ["model-failed"]]);
    expect(new Set(loopback.bodies().slice(-2)).size).toBe(2);
    await goesOn();
  });

  test("one that breaks off in the middle of a call's arguments is asked again; the call is made once", async () => {
    const outcome = await take("Pay cy.", cutInArguments(kind), { text: ["I will pay. "], ...pay }, fine);
    expect(outcome).toMatchObject({ state: "answered", reply: "All done.", steps: 2 });
    expect(seen()).toEqual([
      ...["“I will pay. ”", "dropped", "retry after 500 ms: model-cut"],
      ...["“I will pay. ”", "calls pay", "“All ”", "“done.”", "answered: All done."],
    ]);
    expect(paid).toEqual(["pay_1"]);
    expect((await keptOf(outcome.turn)).faults).toEqual([["model-cut"], []]);
    await goesOn();
  });

  const lasting: readonly [what: string, line: (kind: Kind) => Line, code: string, says: string][] = [
    ["is busy", busy, "model-busy", "Not now."],
    ["fails", broken, "model-failed", "Not now."],
    [
      "breaks off",
      () => cutAfter(kind, { text: ["It is ", "not ", "so."] }, "It is "),
      "model-cut",
      "broke off before its end",
    ],
  ];
  test.each(lasting)("one that always %s is given up, and that is told", async (_what, line, code, says) => {
    const outcome = await take("Do it.", line(kind), line(kind), line(kind), line(kind));
    expect(outcome).toMatchObject({ state: "failed", reply: null, problem: { code } });
    expect(outcome.problem?.message).toMatch(new RegExp(`“${modelNames[kind]}” .*${says}.* Asked 4 times\\.$`));
    expect(seen().filter((what) => !/^retry|^dropped|^“It is ”$/.test(what))).toEqual(["failed: null"]);
    expect(seen().filter((what) => what === "dropped")).toHaveLength(code === "model-cut" ? 4 : 0);
    expect(await keptOf(outcome.turn)).toEqual({ state: "failed", reply: null, faults: [Array(4).fill(code)] });
    await goesOn();
    const { spoken } = readBody(kind, loopback.bodies().at(-1) ?? "");
    const words = spoken.flatMap((one) => ("text" in one ? [one.text] : []));
    expect(words.slice(words.indexOf("Do it."), words.indexOf("Are you still there?"))).toEqual([
      "Do it.",
      ...(code === "model-cut" ? ["It is"] : []),
      "[Stopped here: this message has no finished answer.]",
    ]);
  });

  test("one that wants to be left alone for longer than the turn may last is asked once", async () => {
    const outcome = await take("Do it.", refused(kind, 429, { "retry-after": "86400" }));
    expect(outcome).toMatchObject({ state: "failed", reply: null, problem: { code: "model-busy" } });
    expect([seen(), loopback.waits]).toEqual([["failed: null"], []]);
    expect(await keptOf(outcome.turn)).toEqual({ state: "failed", reply: null, faults: [["model-busy"]] });
    await goesOn();
  });

  test("one that does not know the key is asked once, and the key is not told", async () => {
    const said = `Incorrect API key provided: ${key}.`;
    const outcome = await take("Do it.", { status: 401, body: complaint(kind, said) });
    expect(outcome).toMatchObject({
      state: "failed",
      reply: null,
      problem: {
        code: "model-rejected",
        message: `“${modelNames[kind]}” rejected the request (401): Incorrect API key provided: (the key).`,
        hint: "Check the model's name and key, and what the provider says. What you wrote stays in the conversation.",
      },
    });
    expect(seen()).toEqual(["failed: null"]);
    const [step] = await loopback.store.steps.of(outcome.turn);
    expect(step?.result).toMatchObject({
      input: "Do it.",
      faults: [
        {
          code: "model-rejected",
          message: `“${modelNames[kind]}” rejected the request (401): Incorrect API key provided: (the key).`,
          retry: false,
        },
      ],
    });
    await goesOn();
  });

  test("arguments that make no sense are told to the model; the tool runs when they do", async () => {
    const wrong: Speech = {
      calls: [{ id: "pay_0", name: "pay", input: kind === "google" ? '{"to":5}' : '{"to": "cy", "amount"' }],
    };
    const outcome = await take("Pay cy.", wrong, pay, fine);
    expect(outcome).toMatchObject({ state: "answered", reply: "All done.", steps: 3 });
    expect(paid).toEqual(["pay_1"]);
    const results = (await loopback.store.steps.of(outcome.turn)).map(({ result }) => result?.results);
    expect(results).toEqual([
      [
        {
          call: "pay_0",
          name: "pay",
          output: expect.stringMatching(
            kind === "google"
              ? /^Not run: the arguments do not fit “pay”\. to: .*; amount: .*\.$/
              : /^Not run: the arguments are no JSON \(.*\)\. Write them again, whole\.$/,
          ),
          failed: true,
        },
      ],
      [{ call: "pay_1", name: "pay", output: "Paid 5 to cy." }],
      undefined,
    ]);
    await goesOn();
  });

  test("a provider that fails after a tool has run does not make it run again", async () => {
    const outcome = await take("Pay cy.", pay, broken(kind), cutAfter(kind, { text: ["I ", "paid."] }, "I "), fine);
    expect(outcome).toMatchObject({ state: "answered", reply: "All done.", steps: 2 });
    expect(paid).toEqual(["pay_1"]);
    expect((await keptOf(outcome.turn)).faults).toEqual([[], ["model-failed", "model-cut"]]);
    await goesOn();
  });

  test("nor does one that never comes back: what was done is told with the next turn", async () => {
    const outcome = await take("Pay cy.", pay, broken(kind), broken(kind), broken(kind), broken(kind));
    expect(outcome).toMatchObject({ state: "failed", reply: null, problem: { code: "model-failed" } });
    expect(await keptOf(outcome.turn)).toEqual({
      state: "failed",
      reply: null,
      faults: [[], Array(4).fill("model-failed")],
    });
    await goesOn();
    expect(paid).toEqual(["pay_1"]);
    const { spoken } = readBody(kind, loopback.bodies().at(-1) ?? "");
    const from = spoken.findIndex((one) => "text" in one && one.text === "Pay cy.");
    expect(spoken.slice(from, from + 5).map(({ breakpoint: _, ...one }) => one)).toEqual([
      { role: "user", text: "Pay cy." },
      { role: "call", id: "pay_1", name: "pay", input: { to: "cy", amount: 5 } },
      { role: "result", id: "pay_1", output: "Paid 5 to cy." },
      // No user speaks right after results: the line stands in the answer's place.
      { role: "assistant", text: "[Stopped here: this message has no finished answer.]" },
      { role: "user", text: "Are you still there?" },
    ]);
  });

  test("a tool that does not exist is told with those that do", async () => {
    const outcome = await take("Fly.", called("fly_1", "fly", { to: "Rome" }), fine);
    expect(outcome).toMatchObject({ state: "answered", steps: 2 });
    const [first] = await loopback.store.steps.of(outcome.turn);
    expect(first?.result?.results).toEqual([
      {
        call: "fly_1",
        name: "fly",
        output:
          "There is no tool “fly”. The tools are “update_instructions”, “read_memory”, “save_memory”, “update_memory”, “forget_memory”, “pay”.",
        failed: true,
      },
    ]);
    await goesOn();
  });
}
