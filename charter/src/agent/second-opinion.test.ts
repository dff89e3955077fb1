import { expect, test } from "vitest";
import { busy, hangs, type Line, type Scripted, scripted } from "../../test/agent/model.ts";
import { opinionData, opinionQuestion } from "../amend/second-opinion.ts";
import type { Model } from "../delivery/model.ts";
import { defineCharter } from "../prompt/charter.ts";
import { Problem } from "../prompt/problem.ts";
import type { SpendingTotal } from "../store/turns/spending.ts";
import { createSecondOpinion, type SecondOpinionOptions } from "./question.ts";
import type { OpinionBill } from "./turn/turn-state.ts";

const charter = defineCharter({
  name: "test",
  layers: [
    {
      name: "own",
      mutability: { amendableBy: ["agent"], scope: "agent" },
      sections: [{ name: "goals", original: "Grow." }],
    },
  ],
});
const about = { charter, section: "goals", actor: "agent", before: "Grow.", after: "Read." } as const;
const scope = { agent: "ada", user: "bo" };
const noSums = async () => ({ days: [], models: [] });
const nothing: SpendingTotal = { micros: 0, input: 0, read: 0, written: 0, output: 0 };

type Asked = { readonly model?: Scripted; readonly lines?: readonly Line[]; readonly spent?: SpendingTotal };

async function ask({ lines = ["no"], model = scripted(lines), spent = nothing }: Asked, more: object = {}) {
  const waits: number[] = [];
  const bills: OpinionBill[] = [];
  const options: SecondOpinionOptions = {
    store: { spending: { add: async () => {}, of: async () => ({ user: spent, agent: spent }), sums: noSums } },
    loadModel: async () => model,
    clock: () => new Date("2026-02-18T15:04:00Z"),
    sleep: async (milliseconds) => void waits.push(milliseconds),
    onBill: (bill) => bills.push(bill),
    ...more,
  };
  const result = await createSecondOpinion(options)("test/one")?.ask(about, scope);
  return { result, model, waits, bills };
}

test("the model is sent the fixed question and the data, and no tools", async () => {
  const { model, result } = await ask({});
  const [request] = model.requests;
  expect([request?.tools, request?.system]).toEqual([[], [{ text: opinionQuestion }]]);
  expect(request?.messages).toEqual([{ role: "user", text: expect.stringContaining("> Read.\n\nDoes the proposed") }]);
  expect(result).toMatchObject({ opinion: { says: "no" } });
});

test("nobody is asked where neither the host nor the settings name a model", () => {
  const store = {
    spending: { add: async () => {}, of: async () => ({ user: nothing, agent: nothing }), sums: noSums },
  };
  const loadModel = async (): Promise<Model> => scripted();
  expect(createSecondOpinion({ store, loadModel })(undefined)).toBe(undefined);
  expect(createSecondOpinion({ store, loadModel, model: "a/b" })(undefined)?.model).toBe("a/b");
  expect(createSecondOpinion({ store, loadModel, model: scripted() })("a/b")?.model).toBe("test/one");
});

test("what the provider counted is billed, at the model's price", async () => {
  const { result, bills, model } = await ask({});
  const usage = { input: 1000, read: 600, written: 100, output: 20 };
  expect(bills).toEqual([{ model: "test/one", usage, cost: expect.closeTo(0.001755), request: model.requests[0] }]);
  expect(result?.spent).toEqual({ day: "2026-02-18", receiver: "test/one", micros: 1755, usage });
});

test("what the provider did not count is billed as it was predicted", async () => {
  const uncounted = { input: null, read: null, written: null, output: null };
  const { result } = await ask({ lines: [{ text: "no", usage: uncounted }] });
  const { input, output } = result?.spent?.usage ?? uncounted;
  const sent = Math.ceil(`${opinionQuestion}\n${opinionData(about)}`.length / 4);
  expect([input, output]).toEqual([sent, 1]);
  expect(result?.spent?.micros).toBe(sent * 3 + 15);
});

const unsure: readonly (readonly [what: string, line: Line, opinion: object])[] = [
  ["a yes", "Yes.", { says: "yes" }],
  ["a sentence", "No, because …", { says: "odd", answer: "No, because …" }],
  ["an answer that was cut off", { text: "no", finish: "length" }, { says: "odd", answer: "no" }],
  ["an answer a filter stopped", { text: "no", finish: "content-filter" }, { says: "odd", answer: "no" }],
  [
    "a call beside the answer",
    { text: "no", calls: [{ id: "1", name: "a", input: "{}" }] },
    { says: "odd", answer: "no" },
  ],
  ["an empty answer", { text: "" }, { says: "odd", answer: "" }],
  [
    "a fault",
    { fault: { code: "model-rejected", message: "Bad key.", retry: false } },
    { says: "none", reason: "It rejected the question." },
  ],
  [
    "a model that throws",
    () => {
      throw new Error("Broken.");
    },
    { says: "none", reason: "It failed." },
  ],
];
for (const [what, line, opinion] of unsure)
  test(`${what} is told as it is`, async () => {
    expect((await ask({ lines: [line] })).result?.opinion).toEqual(opinion);
  });

test("a busy model is asked again, and not for ever", async () => {
  const again = await ask({ lines: [busy({ afterMs: 70 }), busy(), "no"] });
  expect([again.result?.opinion, again.waits]).toEqual([{ says: "no" }, [70, 1000]]);
  const never = await ask({ lines: [busy()] }, { limits: { retries: 2 } });
  expect(never.result).toEqual({ opinion: { says: "none", reason: "It was busy." } });
  expect([never.model.requests.length, never.bills]).toEqual([3, []]);
});

test("a model that does not answer in time, or does not heed that it was called off, gave no answer", async () => {
  const late = { opinion: { says: "none", reason: "It did not answer in 0.01 s." } };
  expect((await ask({ lines: [hangs()] }, { limits: { opinionSeconds: 0.01 } })).result).toEqual(late);
  const deaf = () => new Promise<never>(() => {});
  expect((await ask({ lines: [deaf] }, { limits: { opinionSeconds: 0.01 } })).result).toEqual(late);
});

test("when the turn is stopped, so is the question", async () => {
  const turn = new AbortController();
  const { result } = await ask({ lines: [hangs(() => turn.abort())] }, { signal: turn.signal });
  expect(result).toEqual({ opinion: { says: "none", reason: "It was stopped." } });
});

test("a limit on spending holds for it too: it is not asked, and says why", async () => {
  const spent = { ...nothing, micros: 1_000_000 };
  const model = scripted(["no"]);
  const limits = { userDollarsPerDay: 1 };
  await expect(ask({ model, spent }, { limits })).rejects.toMatchObject({ code: "spending-limit" });
  const priceless = scripted(["no"], { price: null });
  await expect(ask({ model: priceless }, { limits })).rejects.toBeInstanceOf(Problem);
  expect([model.requests, priceless.requests]).toEqual([[], []]);
});
