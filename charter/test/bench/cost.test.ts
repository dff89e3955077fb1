import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { boundsOf, held } from "../../../bench/cost/bound.ts";
import { createSimulator } from "../../../bench/cost/cache-sim.ts";
import { blocksOf } from "../../../bench/cost/captured.ts";
import type { Row } from "../../../bench/cost/measure.ts";
import { prefixChanges } from "../../../bench/cost/prefix.ts";
import { ideal, pi, seedOrder, volatileAfterHistory } from "../../../bench/cost/strategies.ts";
import type { Strategy } from "../../../bench/cost/strategy.ts";
import { createTrace, requestTimes, type Trace, workloads } from "../../../bench/cost/trace.ts";
import { wireBlocks } from "../../../bench/cost/wire.ts";
import { coderPromptFloor, coderPromptSections, coderPromptTurns } from "../../../bench/workloads/coder-prompt.ts";
import { joinSections } from "../../../bench/workloads/section.ts";
import {
  fragmentsOf,
  joinFragments,
  sovereignSections,
  sovereignTurns,
} from "../../../bench/workloads/sovereign-turns.ts";

const simulate = createSimulator(encode);

async function billed(strategy: Strategy, trace: Trace): Promise<number> {
  return simulate(await strategy(trace, "anthropic"), "anthropic", requestTimes(trace)).billed;
}

test("sections put together are the workload's own prompt", () => {
  const [sovereign] = sovereignTurns(1);
  const [coderPrompt] = coderPromptTurns(1, 60);
  if (!sovereign || !coderPrompt) throw new Error("There is no first turn.");
  expect(joinSections(sovereignSections(sovereign))).toBe(joinFragments(fragmentsOf(sovereign)));
  expect(joinSections(coderPromptSections(coderPrompt))).toBe(coderPromptFloor(coderPrompt));
});

test("a longer trace begins as the shorter one", () => {
  for (const workload of workloads)
    expect(createTrace(workload, 8, 5).turns.slice(0, 3)).toEqual(createTrace(workload, 3, 5).turns);
});

test("a trace says in which turns more than state has changed", () => {
  const changes = (trace: Trace) =>
    trace.turns.flatMap(({ changed }, turn) => (changed.length === 0 ? [] : [[turn, ...changed]]));
  expect(changes(createTrace("assistant-day", 101, 1))).toEqual([
    [33, "instructions"],
    [50, "channel"],
    [66, "instructions"],
    [99, "instructions"],
    [100, "channel"],
  ]);
  expect(changes(createTrace("sovereign-turns", 81, 1))).toEqual([
    [40, "layer7"],
    [80, "layer8"],
  ]);
  expect(changes(createTrace("coder-prompt", 121, 1))).toEqual([
    [60, "file-1"],
    [120, "file-2"],
  ]);
});

test("one request a step: what was called and answered is in the next, and the tail is always last", async () => {
  const requests = await ideal(createTrace("assistant-day", 2, 3), "anthropic");
  const shape = requests.map((request) =>
    request.map(({ id, cacheBreakpoint }) => (cacheBreakpoint ? `${id}|` : id)).join(" "),
  );
  expect(shape).toEqual([
    "tools| system| input| tail",
    "tools| system| input call result| tail",
    "tools| system| input call result call result| tail",
    "tools| system| input call result call result reply input| tail",
    "tools| system| input call result call result reply input call result| tail",
    "tools| system| input call result call result reply input call result call result| tail",
  ]);
});

test("where each strategy puts the time, and instructions that have changed", async () => {
  const trace = createTrace("assistant-day", 34, 1);
  const { text: instructions = "" } = trace.turns[33]?.sections.find(({ name }) => name === "instructions") ?? {};
  const places = async (strategy: Strategy, words: string) =>
    (await strategy(trace, "anthropic")).at(-1)?.flatMap(({ id, text }) => (text.includes(words) ? [id] : []));
  const rows: [Strategy, time: string[], instructions: string[]][] = [
    [seedOrder, ["system"], ["system"]],
    [pi, ["system"], ["system"]],
    [volatileAfterHistory, ["tail"], ["tail"]],
    [ideal, ["tail"], ["update"]],
  ];
  for (const [strategy, time, changed] of rows) {
    expect(await places(strategy, "2026-02-18T09:49:30.000Z (Europe/Berlin)")).toEqual(time);
    expect(await places(strategy, instructions)).toEqual(changed);
  }
});

test("the prefix changes every turn in the seed's order, and never with the state after the history", async () => {
  for (const workload of workloads.filter((name) => name !== "edited-file")) {
    const trace = createTrace(workload, 6, 5);
    const changes = async (strategy: Strategy) => prefixChanges(trace, await strategy(trace, "anthropic"));
    expect(await changes(seedOrder)).toBe(5);
    expect(await changes(pi)).toBe(workload === "coder-prompt" || workload === "long-results" ? 0 : 5);
    expect(await changes(volatileAfterHistory)).toBe(0);
    expect(await changes(ideal)).toBe(0);
  }
});

test("knowing who is active is cheaper, and saying a change once is cheaper than saying it always", async () => {
  const varying = createTrace("sovereign-turns-varying", 10, 1);
  expect((await billed(ideal, varying)) / (await billed(volatileAfterHistory, varying))).toBeLessThan(0.9);
  const sovereign = createTrace("sovereign-turns", 10, 1);
  expect(await billed(ideal, sovereign)).toBe(await billed(volatileAfterHistory, sovereign));
  const assistantDay = createTrace("assistant-day", 50, 1);
  expect(await billed(ideal, assistantDay)).toBeLessThan(await billed(volatileAfterHistory, assistantDay));
});

test("where one file is edited in every turn, the ideal says the line that changed, once", async () => {
  const trace = createTrace("edited-file", 3, 1);
  expect(trace.turns.map(({ changed }) => changed)).toEqual([[], ["project"], ["project"]]);
  const said = (await ideal(trace, "anthropic")).map((request) => request.filter(({ id }) => id === "update"));
  expect(said.map((updates) => updates.length)).toEqual([0, 1, 2]);
  const [one, two] = said[2] ?? [];
  expect([one, two].every((update) => /^- [^\n]+$/.test(update?.text ?? ""))).toBe(true);
  expect(trace.turns.map(({ sections }) => sections.some(({ text }) => text.includes(one?.text ?? "-")))).toEqual([
    false,
    true,
    true,
  ]);
});

test("a captured request keeps its order, and its marks", () => {
  const tools = [{ name: "read", description: "Reads.", input: { type: "object" } }];
  const request = {
    tools,
    system: [{ text: "Shared.", breakpoint: true as const }, { text: "Own." }],
    messages: [
      { role: "user" as const, text: "Hi" },
      { role: "assistant" as const, text: "", calls: [{ id: "1", name: "read", input: "{}" }] },
      { role: "tool" as const, results: [{ call: "1", name: "read", output: "Words." }], breakpoint: true as const },
      { role: "system" as const, text: "It is nine." },
    ],
  };
  expect(blocksOf(request)).toEqual([
    { id: "tools", role: "tools", text: JSON.stringify(tools) },
    { id: "system", role: "system", text: "Shared.", cacheBreakpoint: true },
    { id: "system", role: "system", text: "Own." },
    { id: "input", role: "user", text: "Hi" },
    { id: "call", role: "assistant", text: "read {}" },
    { id: "result", role: "user", text: "Words.", cacheBreakpoint: true },
    { id: "update", role: "system", text: "It is nine." },
  ]);
});

test("a body on the wire is the same block whether or not it is marked, at Anthropic's and at OpenAI's", () => {
  const control = { cache_control: { type: "ephemeral" } };
  const anthropic = {
    tools: [{ name: "add", description: "Adds." }],
    system: [{ type: "text", text: "Be kind.", ...control }],
    messages: [
      { role: "user", content: [{ type: "text", text: "Hi" }] },
      { role: "assistant", content: [{ type: "thinking", thinking: "Hm.", signature: "signed" }] },
    ],
  };
  const output = (marked: unknown) => ({ type: "function_call_output", call_id: "c1", output: marked });
  const openai = (result: unknown) => ({ input: [{ role: "developer", content: "Be kind." }, output(result)] });
  const read = (body: object) =>
    wireBlocks(JSON.stringify(body), (text) => text.length).map(({ id: _, cacheBreakpoint, ...block }) => [
      ...Object.values(block),
      ...(cacheBreakpoint ? ["|"] : []),
    ]);
  expect(read(anthropic)).toEqual([
    ["tools", "add\nAdds.", 9],
    ["system", "Be kind.", 8, "|"],
    ["user", "Hi", 2],
    ["assistant", "Hm.\nsigned", 10],
  ]);
  const [system, result = []] = read(openai("3"));
  expect([system, result]).toEqual([
    ["system", "Be kind.", 8],
    ["user", "c1\n3", 1],
  ]);
  const marked = [{ type: "input_text", text: "3", prompt_cache_breakpoint: { mode: "explicit" } }];
  expect(read(openai(marked))).toEqual([system, [...result, "|"]]);
});

test("bounds are judged by the trace's length and kind, and not at all without a figure", () => {
  const figures = { "no caching": 1000, "seed order": 1100, pi: 900, "volatile after the history": 200, ideal: 190 };
  const row = (workload: Row["workload"], turns: number, charter: number | null): Row => ({
    workload,
    turns,
    steps: 1,
    provider: "anthropic",
    billed: { ...figures, charter },
    prefixChanges: { "no caching": 0, "seed order": 9, pi: 9, "volatile after the history": 0, ideal: 0, charter: 0 },
  });
  const judged = (one: Row) => boundsOf(one).map((bound) => [bound.figure, bound.max, held(bound)]);
  expect(judged(row("sovereign-turns", 200, null))).toEqual([]);
  const rest = [0, 0.1, true];
  expect(judged(row("sovereign-turns", 200, 203))).toEqual([[1.015, 1.01, false], [0.203, 1, true], rest]);
  expect(judged(row("sovereign-turns", 20, 201))).toEqual([[1.005, 1.02, true], [0.201, 1, true], rest]);
  expect(judged(row("edited-file", 20, 199))).toEqual([
    [0.995, 1.02, true],
    [199 / 190, 1.05, true],
    [0.199, 1, true],
    rest,
  ]);
  expect(judged(row("sovereign-turns-varying", 200, 196))).toEqual([[0.98, 0.96, false], [0.196, 1, true], rest]);
});
