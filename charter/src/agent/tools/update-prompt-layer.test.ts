import { afterEach, expect, test } from "vitest";
import { type Bench, newBench } from "../../../test/agent/tool-bench.ts";
import { factsOf } from "../../charters/facts.ts";
import { sovereignFromFacts } from "../../charters/sovereign/sovereign.ts";
import { amendableLayers } from "../../charters/sovereign/words.ts";
import type { Tool } from "../tool.ts";

const given = sovereignFromFacts(factsOf({ now: "2026-02-18T15:04:00.000Z" }), () => new Date(0));
const decisions = amendableLayers[0]?.words as string;

let bench: Bench;
afterEach(() => bench?.close());

test("a layer is rewritten by its number, and the next prompt has the words", async () => {
  bench = await newBench(given);
  const { call } = await bench.turn();
  const content = `${decisions}\n5. Rest.`;
  expect(await call("update_prompt_layer", { layer_id: 6, content })).toEqual({
    result: {
      verdict: "accepted",
      section: "decisions",
      says: "“decisions” is at revision 1 now.",
      refusals: [],
      revision: 1,
      diff: expect.stringContaining("+5. Rest."),
      dropped: ["In short:", amendableLayers[0]?.short],
    },
  });
  expect((await bench.turn()).context.prompt.text).toContain(`## Layer 6: Economic Decision Loop\n${content}\n\n---`);
});

test("a rewrite may bring the layer's line for the compact edition, and the full one does not show it", async () => {
  bench = await newBench(given);
  const { call } = await bench.turn();
  const change = { layer_id: 7, content: "Answer once.\nTell nobody.", compact: "Answer once; tell nobody." };
  const { result } = await call("update_prompt_layer", change);
  expect(result).toMatchObject({ verdict: "accepted", revision: 1 });
  expect((result as { diff: string }).diff).toContain("\n+Answer once; tell nobody.\n");
  const next = await bench.turn();
  expect(next.context.prompt.text).toContain("## Layer 7: Inbox Message Handling\nAnswer once.\nTell nobody.\n\n---");
  expect(await next.context.standing("inbox")).toMatchObject({
    text: "Answer once.\nTell nobody.\n\nIn short:\n\nAnswer once; tell nobody.",
    revision: 1,
  });
});

test("once a turn: the guard says so when the loop did not", async () => {
  bench = await newBench(given);
  const { call } = await bench.turn();
  await call("update_prompt_layer", { layer_id: 6, content: "Sleep more." });
  const { result, failed } = await call("update_prompt_layer", { layer_id: 7, content: "Read more." });
  expect([failed, result]).toEqual([
    true,
    expect.objectContaining({
      verdict: "refused",
      refusals: [{ guard: "turn-quota", because: "This turn has made 1 of the 1 amendment it may make." }],
    }),
  ]);
});

test("a rewrite says which lines of the layer it dropped", async () => {
  bench = await newBench(given);
  const { call } = await bench.turn();
  const { result } = await call("update_prompt_layer", {
    layer_id: 9,
    content: "- Replicate only when value pays for it.",
  });
  expect(result).toMatchObject({
    verdict: "accepted",
    dropped: [
      "Change 6–9 only for a reason you can check later.",
      "- One small step a turn; keep what works.",
      "- Never weaken or reinterpret layers 0–5.",
      "In short:",
      amendableLayers[3]?.short,
    ],
  });
});

const refused: [id: number, section: string, because: string][] = [
  [1, "constitution", "“constitution” is fixed: it cannot be changed while the agent runs."],
  [10, "now", "“now” is generated per turn: there is nothing to amend."],
];
for (const [id, section, because] of refused)
  test(`layer ${id} is refused by the one write path, and the ids that can change are told`, async () => {
    bench = await newBench(given);
    const { call } = await bench.turn();
    const { result, failed } = await call("update_prompt_layer", { layer_id: id, content: "Obey." });
    const { refusals, ...about } = result as { refusals: object[] };
    expect([failed, about]).toEqual([
      true,
      { verdict: "refused", section, says: "Nothing was changed.", diff: "", layersYouCanChange: [6, 7, 8, 9] },
    ]);
    expect(refusals).toContainEqual({ guard: "allowed-hand", because });
    const [event] = await bench.store.events.list({ agent: "ada" });
    expect(event).toMatchObject({ kind: "amendment-refused", turn: "turn-1", detail: { section } });
  });

test("a layer there is not is refused by name", async () => {
  bench = await newBench(given);
  const { call } = await bench.turn();
  expect(await call("update_prompt_layer", { layer_id: 42, content: "Obey." })).toEqual({
    result: "There is no layer 42 to change. Those you can are 6, 7, 8, 9. Nothing was changed.",
    failed: true,
  });
});

test("what another hand changed meanwhile is stale", async () => {
  bench = await newBench(given);
  const { call } = await bench.turn();
  await bench.propose({ section: "decisions", operation: { kind: "rewrite", content: "The operator's." } });
  const { result } = await call("update_prompt_layer", { layer_id: 6, content: "Mine." });
  expect(result).toMatchObject({ verdict: "refused", refusals: [{ guard: "stale-revision" }] });
});

test("it runs once a turn, and only while actions are executed", async () => {
  const tools = (await given.tools?.()) as readonly Tool[];
  const { callsPerTurn, states } = tools.find(({ name }) => name === "update_prompt_layer") as Tool;
  expect({ perTurn: callsPerTurn, states }).toEqual({ perTurn: 1, states: ["ExecutingActions"] });
});
