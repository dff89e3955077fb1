import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { createAgent } from "../../charter/src/agent/agent.ts";
import type { Declaration } from "../../charter/src/agent/declaration.ts";
import { defineTool, type Tool } from "../../charter/src/agent/tool.ts";
import type { Answer, Model } from "../../charter/src/delivery/model.ts";
import type { Receiver } from "../../charter/src/delivery/receiver.ts";
import { loadTokenizer } from "../../charter/src/delivery/tokenizer.ts";
import { defineCharter } from "../../charter/src/prompt/charter.ts";
import { fromText, present, type Reading } from "../../charter/src/prompt/reading.ts";
import type { Section as Declared, Layer } from "../../charter/src/prompt/section.ts";
import { sqlite } from "../../charter/src/store/home/sqlite/sqlite.ts";
import { createStore, type Store } from "../../charter/src/store/store.ts";
import type { Section } from "../workloads/section.ts";
import { type Provider, providers } from "./cache-rules.ts";
import type { Request } from "./cache-sim.ts";
import { blocksOf } from "./captured.ts";
import type { Strategy } from "./strategy.ts";
import type { Trace, Turn } from "./trace.ts";

/**
 * The real runtime over a trace: its own store, a stub model that gives each turn's calls and reply, a charter made of
 * the trace's sections (state of who is active only), and every request it was asked. Nothing is compacted.
 */
export const charter: Strategy = async (trace, provider) => {
  const folder = mkdtempSync(join(tmpdir(), "charter-cost-"));
  const clock = { now: new Date(trace.turns[0]?.at ?? 0) };
  const store = await createStore(sqlite(join(folder, "charter.db"), { create: true }), { now: () => clock.now });
  try {
    return await run(trace, provider, store, clock);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
};

async function run(trace: Trace, provider: Provider, store: Store, clock: { now: Date }): Promise<Request[]> {
  const requests: Request[] = [];
  let turn = trace.turns[0] as Turn;
  let step = 0;
  const model: Model = {
    receiver: receiverOf(provider),
    ask: async (asked) => {
      requests.push(blocksOf({ ...asked, tools: trace.tools }));
      clock.now = new Date(clock.now.getTime() + 5000);
      return { answer: answerOf(turn, step++) };
    },
  };
  const declaration = declarationOf(trace, () => turn);
  const agent = createAgent({
    name: trace.name,
    charter: declaration,
    model,
    store,
    tools: toolsOf(trace, () => turn),
    compactAt: Number.MAX_SAFE_INTEGER,
    limits: { steps: 100 },
    clock: () => clock.now,
    tokenizer: await loadTokenizer("o200k_base"),
  });
  for (const next of trace.turns) {
    clock.now = new Date(next.at);
    if (next !== turn) await amendChanged(store, declaration, trace.name, turn, next);
    turn = next;
    step = 0;
    const { state, problem } = await agent.runTurn({ input: next.input, user: "mia" });
    if (state !== "answered") throw new Error(problem?.message ?? "The turn was not answered.");
  }
  return requests;
}

function answerOf({ calls, reply }: Turn, step: number): Answer {
  const call = calls[step];
  const usage = { input: null, read: null, written: null, output: null };
  if (!call) return { text: reply, calls: [], finish: "stop", usage };
  const id = `call-${step}`;
  return { text: "", calls: [{ id, name: call.name, input: call.input }], finish: "tool-calls", usage };
}

function receiverOf(provider: Provider): Receiver {
  const rules = providers[provider];
  const common = {
    name: `bench/${provider}`,
    slots: "layered",
    voice: "system",
    window: null,
    tokenizer: { name: "o200k_base", exact: true },
    price: { input: 1, read: 0.1, write: 1.25, output: 4 },
  } as const;
  if (rules.kind === "none") return { ...common, cache: { kind: "none" } };
  const { min, ttl: ttlSeconds } = rules;
  if (rules.kind === "prefix")
    return { ...common, cache: { kind: "prefix", min, ttlSeconds, granularity: rules.granularity } };
  const { max: most, implicit } = rules;
  const lookback = Number.isFinite(rules.lookback) ? rules.lookback : null;
  return { ...common, cache: { kind: "breakpoint", min, ttlSeconds, maxBreakpoints: most, implicit, lookback } };
}

/** Each stable section a layer of its own; state, which stands last in every one of these prompts, together in one. */
function declarationOf({ turns, name }: Trace, now: () => Turn): Declaration {
  const [first] = turns as readonly [Turn, ...Turn[]];
  const read = (wanted: string) => now().sections.find((section) => section.name === wanted);
  const declared = (section: Section): Declared => {
    const heading = section.heading === "" ? {} : { heading: section.heading };
    if (section.standing) return { name: section.name, ...heading, original: section.text };
    const source = () => readingOf(read(section.name));
    const separator = section.parts ? { separator: "\n\n" } : {};
    return {
      name: section.name,
      ...heading,
      trust: "own",
      sources: [source],
      stability: section.stability,
      ...separator,
    };
  };
  const [stable, state] = ["stable", "state"].map((kind) => first.sections.filter((one) => one.stability === kind));
  const layers: Layer[] = (stable ?? []).map((section) => ({
    name: section.name,
    mutability: section.standing ? { amendableBy: ["agent"], scope: "agent" } : "live",
    sections: [declared(section)],
  }));
  const tail: Layer = { name: "state", mutability: "live", separator: "\n\n", sections: (state ?? []).map(declared) };
  const separator = stable?.[1]?.separator ?? "\n\n";
  return {
    charter: defineCharter({ name, separator, layers: [...layers, tail] }),
    rules: async () => () => ({ guards: [] }),
  };
}

function readingOf(section: Section | undefined): Reading {
  if (section?.parts) return present(section.parts.map(({ name, text }) => ({ id: name, source: name, text })));
  return fromText(section?.active ?? section?.text);
}

async function amendChanged(store: Store, { charter }: Declaration, agent: string, before: Turn, after: Turn) {
  for (const section of after.sections) {
    const old = before.sections.find(({ name }) => name === section.name);
    if (!section.standing || old?.text === section.text) continue;
    const desk = { charter, scope: { agent }, rules: () => ({ guards: [] }) };
    const operation = { kind: "rewrite", content: section.text } as const;
    const { verdict } = await store.propose(desk, { section: section.name, operation, actor: "agent" });
    if (verdict !== "accepted") throw new Error(`“${section.name}” was not amended.`);
  }
}

function toolsOf({ tools }: Trace, now: () => Turn): Tool[] {
  return tools.map(({ name }) =>
    defineTool({
      name,
      summary: "One of the trace.",
      input: z.looseObject({}),
      trusted: true,
      harmless: true,
      run: (_input, { call }) => now().calls[Number(call.slice("call-".length))]?.output ?? "",
    }),
  );
}
