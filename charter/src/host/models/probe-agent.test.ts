import { expect, test } from "vitest";
import { busy, hangs, type Line, scripted } from "../../../test/agent/model.ts";
import type { Limits } from "../../agent/limits.ts";
import type { Model } from "../../delivery/model.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Expense } from "../../store/turns/spending.ts";
import { probeAgent } from "./known-models.ts";

const nothing = { micros: 0, input: 0, read: 0, written: 0, output: 0 };
const acp = { receiver: { ...scripted().receiver, keepsHistory: true } } as Model;

/** The models of an agent, each by what it says; null: it cannot be loaded. */
async function probe(
  said: readonly (Line | null | Model)[],
  more: { limits?: Partial<Limits>; signal?: AbortSignal } = {},
) {
  const spent: Expense[] = [];
  const models = said.map((one, number) =>
    one === null || (typeof one === "object" && "receiver" in one) ? one : scripted([one], { name: `test/${number}` }),
  );
  const [first, ...others] = models as [Model, ...(Model | null)[]];
  const result = await probeAgent({
    ...{
      agent: "sol",
      clock: () => new Date("2026-02-18T15:04:00Z"),
      limits: {},
      signal: new AbortController().signal,
      beforeAsk: async () => undefined,
    },
    models: [first, ...others.map((_, number) => String(number))],
    load: async (name) => {
      const model = others[Number(name)];
      if (model) return model;
      throw new Problem("no-key", "Its key is missing.", "Set it.");
    },
    store: {
      spending: {
        add: async (_scope, expense) => void spent.push(expense),
        of: async () => ({ user: nothing, agent: nothing }),
        sums: async () => ({ days: [], models: [] }),
      },
    },
    ...more,
  });
  return [result, spent.map(({ receiver, micros }) => `${receiver} ${micros}`)];
}

test("one that answers a word is there, and the word is paid for", async () => {
  expect(await probe(["OK"])).toEqual([{ ok: true }, ["test/0 1755"]]);
  // It thought for as long as it may answer.
  expect(await probe([{ text: "", finish: "length" }])).toEqual([{ ok: true }, ["test/0 1755"]]);
});

test("an empty answer is none, and is paid for; a fault is told in its own words", async () => {
  expect(await probe([" "])).toEqual([
    { ok: false, code: "model-failed", message: "“test/0” gave an empty answer." },
    ["test/0 1755"],
  ]);
  expect(await probe([busy()])).toEqual([
    { ok: false, code: "model-busy", message: "“test/0” gave no answer: Too many requests." },
    [],
  ]);
});

test("each of its models is asked until one answers; where none does, the first is told of", async () => {
  expect(await probe([busy(), null, "OK", "OK"])).toEqual([{ ok: true }, ["test/2 1755"]]);
  expect(await probe([busy(), null, " "])).toEqual([
    { ok: false, code: "model-busy", message: "“test/0” gave no answer: Too many requests." },
    ["test/2 1755"],
  ]);
});

test("an agent over ACP is not asked; one that is stopped is told as stopped; what may not be paid is not asked", async () => {
  expect(await probe([acp])).toEqual([undefined, []]);
  expect(await probe([acp, "OK"])).toEqual([{ ok: true }, ["test/1 1755"]]);
  const stopping = new AbortController();
  const hanging = hangs(() => stopping.abort());
  expect((await probe([hanging], { signal: stopping.signal }))[0]).toMatchObject({ ok: false, code: "model-aborted" });
  await expect(probe(["OK"], { limits: { agentDollarsPerDay: 0.000001 } })).rejects.toMatchObject({
    code: "spending-limit",
  });
});
