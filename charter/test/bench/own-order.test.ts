import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { type Provider, providers } from "../../../bench/cost/cache-rules.ts";
import { createSimulator } from "../../../bench/cost/cache-sim.ts";
import { seedOrder } from "../../../bench/cost/strategies.ts";
import { createTrace, requestTimes, type Trace, type Turn } from "../../../bench/cost/trace.ts";
import type { PriorRequest } from "../../src/delivery/cache-break.ts";
import { ownOrder } from "../../src/delivery/own-order.ts";
import type { CacheRules, Receiver } from "../../src/delivery/receiver.ts";
import { loadTokenizer } from "../../src/delivery/tokenizer.ts";
import { type Charter, defineCharter, fromText, type Readings } from "../../src/index.ts";
import type { CacheTokens } from "../../src/prompt/receipt.ts";
import { assistantSays, createTalk, receiptFor } from "../delivery/talk.ts";

const tokenizer = await loadTokenizer("o200k_base");
const simulate = createSimulator(encode);

/** Around the turn in which the instructions change. */
function shortTrace(steps: number): Trace {
  const trace = createTrace("assistant-day", 36, steps);
  return { ...trace, turns: trace.turns.slice(31) };
}

function receiverOf(provider: Provider): Receiver {
  const { read: _, write: __, ttl: ttlSeconds, ...rules } = { ttl: 0, read: 0, write: 0, ...providers[provider] };
  const lookback = "lookback" in rules && Number.isFinite(rules.lookback) ? rules.lookback : null;
  const cache = { ...rules, ttlSeconds, ...("lookback" in rules ? { lookback } : {}) } as CacheRules;
  const about = { slots: "layered", voice: "system", window: null, price: null } as const;
  return { name: `bench/${provider}`, ...about, cache, tokenizer: { name: "o200k_base", exact: true } };
}

/** The seed's sections as a charter: those that are amended, those that are not, and state. */
function charterOf([first]: readonly Turn[]): Charter {
  const layers = (first as Turn).sections.map(({ name, heading, stability, standing }) => ({
    name,
    mutability: standing ? { amendableBy: ["agent" as const], scope: "agent" as const } : ("live" as const),
    sections: [
      {
        name,
        stability,
        ...(heading === "" ? {} : { heading }),
        ...(standing ? {} : { trust: "own" as const, sources: [] }),
      },
    ],
  }));
  return defineCharter({ name: "trace", separator: "\n\n", layers });
}

function readingsOf(trace: Trace, index: number): Readings {
  const { turns } = trace;
  const words = (name: string, at: number) => turns[at]?.sections.find((one) => one.name === name)?.text;
  const revision = (name: string) =>
    turns.slice(1, index + 1).filter((_, before) => words(name, before) !== words(name, before + 1)).length;
  return Object.fromEntries(
    (turns[index] as Turn).sections.map(({ name, text, standing }) => [
      name,
      fromText(text, standing ? { revision: revision(name) } : {}),
    ]),
  );
}

/** The trace through our own delivery; of every receipt what it would have been in the seed's order. */
function fromReceipts(trace: Trace, provider: Provider): CacheTokens[] {
  const receiver = receiverOf(provider);
  const charter = charterOf(trace.turns);
  const talk = createTalk(charter, receiver, { tokenizer });
  const places = (trace.turns[0] as Turn).sections.map(({ name }) => name);
  const times = requestTimes(trace);
  let before: PriorRequest | null = null;
  return trace.turns.flatMap((turn, index) => {
    const readings = readingsOf(trace, index);
    return Array.from({ length: trace.steps }, (_, step) => {
      const said = talk.ask(readings, { offers: trace.tools, ...(step === 0 ? { input: turn.input } : {}) });
      const call = turn.calls[step];
      if (call)
        talk.answer(
          { role: "assistant", text: "", calls: [call] },
          { role: "tool", results: [{ call: call.id, name: call.name, output: call.output }] },
        );
      else talk.answer(assistantSays(turn.reply));
      const at = new Date((times[index * trace.steps + step] as number) * 1000).toISOString();
      const now = { at, receipt: receiptFor(charter, said, receiver) };
      const { total, predicted } = said.prediction;
      const usage = { input: total, read: predicted.read, written: predicted.written, output: 0 };
      const bill = ownOrder(before, now, { receiver, usage, placeOf: (name) => places.indexOf(name) });
      before = now;
      return bill as CacheTokens;
    });
  });
}

/**
 * The simulator reads every word: how much of a section is the same before its first change, and what a separator counts
 * for. Receipts do not know; they may be that much off, and a step of 128 where the cache goes by those.
 */
for (const provider of ["none", "openai-auto", "openai-5.6-explicit", "anthropic"] as const)
  for (const steps of [1, 3])
    test(`the seed's own order from receipts costs what the simulator says, ${provider}, ${steps === 1 ? "one step" : `${steps} steps`} a turn`, async () => {
      const trace = shortTrace(steps);
      const { perRequest } = simulate(await seedOrder(trace, provider), provider, requestTimes(trace));
      const told = fromReceipts(trace, provider);
      expect(told.length).toBe(perRequest.length);
      told.forEach(({ read, written, fresh }, index) => {
        const bill = perRequest[index] as (typeof perRequest)[number];
        const near = (ours: number, theirs: number) => Math.abs(ours - theirs) <= 128 + 0.01 * bill.total;
        const rows = [read, written, fresh, read + written + fresh];
        const theirs = [bill.read, bill.write, bill.fresh, bill.total];
        expect([index, rows, theirs, rows.every((one, at) => near(one, theirs[at] as number))]).toEqual([
          index,
          rows,
          theirs,
          true,
        ]);
      });
    });
