import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ModelRequest } from "../../../src/delivery/model.ts";
import type { Store } from "../../../src/store/index.ts";
import { bytesOf, calls, type Line, type Scripted, scripted, spoken } from "../model.ts";
import { provesRequests } from "../proof.ts";
import { newStage, type Stage, tool } from "../stage.ts";

let stage: Stage;
let other: Store;
beforeAll(async () => {
  stage = await newStage();
  other = await stage.another();
});
afterAll(() => stage.close());

const asks = "Write down what was said so far";
const isAsked = (request: ModelRequest) => bytesOf(request).includes(asks);
const long = (word: string, times: number) => `${word} `.repeat(times).trim();

/** What a model does when it is asked to sum up. */
const misbehaviours: Readonly<Record<string, Line>> = {
  "calls a tool": calls(["look"]),
  "says nothing": { text: "" },
  "gives the history back": (request) => spoken(request).join("\n"),
  "writes in another language": long("私たちはお茶について話しました。", 3),
  "is cut off": { text: "We spoke of", finish: "length" },
  refuses: { fault: { code: "model-rejected", message: "The provider's filter withheld the answer.", retry: false } },
  "always fails": { fault: { code: "model-failed", message: "It broke.", retry: true } },
  "writes far too much": long("And then we spoke of tea.", 3000),
};

for (const window of [1500, 3000, 6000])
  describe(`with a window of ${window}, of a model that at compaction`, () => {
    for (const [what, line] of Object.entries(misbehaviours))
      test(`${what}, every later message that fits is answered`, async () => {
        const model = scripted([(request) => (isAsked(request) ? line : "Fine.")], { window });
        const user = `${what} ${window}`;
        const agent = stage.agent(model, { tools: [tool("look")], sleep: async () => {} });
        const input = (index: number) => `Number ${index}: ${long("tea", Math.floor(window / 6))}`;
        for (let index = 1; index <= 7; index++)
          expect(await agent.runTurn({ input: input(index), user })).toMatchObject({
            state: "answered",
            reply: "Fine.",
          });
        expect(model.requests.some(isAsked)).toBe(true);
        const elsewhere = stage.agent(model, { store: other, tools: [tool("look")], sleep: async () => {} });
        expect(await elsewhere.runTurn({ input: input(8), user })).toMatchObject({ state: "answered" });
        expect(spoken(model.requests.at(-1) as ModelRequest).join("\n")).toContain("Number 8");
      });
  });

/** Four turns of some six hundred tokens, in a window of two thousand. */
async function grown(model: Scripted, user: string, options: object = {}) {
  const agent = stage.agent(model, { tools: [tool("look")], sleep: async () => {}, ...options });
  const outcomes = [];
  for (const word of ["alpha", "beta", "gamma", "delta", "epsilon"])
    outcomes.push(await agent.runTurn({ input: long(word, 300), user }));
  return { agent, outcomes };
}

test("a model that calls a tool instead is asked once more, and offered none", async () => {
  const model = scripted(
    [(request) => (isAsked(request) ? (request.tools.length > 0 ? calls(["look"]) : "We spoke of tea.") : "Fine.")],
    { window: 2000 },
  );
  const { outcomes } = await grown(model, "ann");
  expect(outcomes.map(({ state }) => state)).toEqual(Array(5).fill("answered"));
  const asked = model.requests.filter(isAsked);
  expect(asked.map(({ tools }) => tools.length).slice(0, 2)).toEqual([1, 0]);
  expect(spoken(model.requests.at(-1) as ModelRequest)[0]).toBe(
    "user: [What was said before, in short]\nWe spoke of tea.",
  );
});

test("one that heeds a tool choice is offered the same tools, and may call none; the record says so", async () => {
  const scriptedOne = scripted(
    [(request) => (isAsked(request) ? (request.toolChoice ? "We spoke of tea." : calls(["look"])) : "Fine.")],
    { window: 2000 },
  );
  const model = { ...scriptedOne, takesToolChoice: true } as const;
  const { outcomes } = await grown(model, "bo");
  const asked = model.requests.filter(isAsked);
  expect(asked.map(({ tools, toolChoice }) => [tools.length, toolChoice]).slice(0, 2)).toEqual([
    [1, undefined],
    [1, "none"],
  ]);
  const first = model.requests.findIndex(isAsked);
  const turn = outcomes[first]?.turn as string;
  await provesRequests(stage.store, turn, model.requests.slice(first, first + 3));
});

test("what nobody sums up is left out and told, is still tainted, and can be read", async () => {
  const browse = tool("look", () => "The word is heliotrope.", { harmless: true });
  const model = scripted([calls(["look"]), (request) => (isAsked(request) ? { text: "" } : "Fine.")], { window: 2000 });
  const user = "eva";
  const { agent, outcomes } = await grown(model, user, { tools: [browse] });
  expect(outcomes.at(-1)).toMatchObject({ state: "answered", tainted: true });
  const told = outcomes.flatMap(({ notices }) => notices.filter(({ code }) => code === "compacted"));
  expect(told[0]?.message).toMatch(
    /^What was said before.* was left out, since the model gave no summary: \d.* The agent can still read/,
  );
  const [first] = spoken(model.requests.at(-1) as ModelRequest);
  expect(first).toContain("More was said before this.");
  expect(model.requests.at(-1)?.tools.map(({ name }) => name)).toEqual(["look", "read_result"]);
  for (const store of [stage.store, other]) {
    const reads = scripted([calls(["read_result", { of: "history", from: 0 }]), "Fine."], { window: 2000 });
    const reader = stage.agent(reads, { store, tools: [browse], sleep: async () => {} });
    expect(await reader.runTurn({ input: "What was the word?", user })).toMatchObject({
      state: "answered",
      tainted: true,
    });
    expect(bytesOf(reads.requests.at(-1) as ModelRequest)).toContain("heliotrope");
  }
  expect((await agent.runTurn({ input: "And?", user })).state).toBe("answered");
});
