import type { Provider } from "./cache-rules.ts";
import type { Request, Simulator } from "./cache-sim.ts";
import { charter } from "./charter.ts";
import { prefixChanges } from "./prefix.ts";
import { ideal, pi, seedOrder, volatileAfterHistory } from "./strategies.ts";
import type { Strategy } from "./strategy.ts";
import { requestTimes, type Trace, type Workload } from "./trace.ts";

/** In the table's order. What is sent without caching is the seed's own order: nothing is gained by another. */
export const contenders = {
  "no caching": seedOrder,
  "seed order": seedOrder,
  pi,
  "volatile after the history": volatileAfterHistory,
  ideal,
  charter,
} satisfies Readonly<Record<string, Strategy | undefined>>;
export type Contender = keyof typeof contenders;
export const contenderNames = Object.keys(contenders) as Contender[];

export const measuredProviders = ["openai-auto", "openai-5.6", "anthropic"] as const;

/** What one trace costs under one provider's rules. */
export type Row = {
  readonly workload: Workload;
  readonly turns: number;
  readonly steps: number;
  readonly provider: Provider;
  /** Billed tokens a turn; null where there is nothing to measure. */
  readonly billed: Readonly<Record<Contender, number | null>>;
  readonly prefixChanges: Readonly<Record<Contender, number | null>>;
};

export async function measure(trace: Trace, simulate: Simulator): Promise<Row[]> {
  const times = requestTimes(trace);
  const rows: Row[] = [];
  for (const provider of measuredProviders) {
    const billed = {} as Record<Contender, number | null>;
    const changes = {} as Record<Contender, number | null>;
    for (const name of contenderNames) {
      const requests = await requestsOf(name, trace, provider);
      const { billed: sum = null } = requests
        ? simulate(requests, name === "no caching" ? "none" : provider, times)
        : {};
      billed[name] = sum === null ? null : sum / trace.turns.length;
      changes[name] = requests ? prefixChanges(trace, requests) : null;
    }
    const { name: workload, steps } = trace;
    rows.push({ workload, turns: trace.turns.length, steps, provider, billed, prefixChanges: changes });
  }
  return rows;
}

async function requestsOf(name: Contender, trace: Trace, provider: Provider): Promise<readonly Request[] | undefined> {
  const requests = await contenders[name]?.(trace, provider);
  const expected = trace.turns.length * trace.steps;
  if (requests && requests.length !== expected)
    throw new Error(`“${name}” made ${requests.length} requests of ${trace.name}, which has ${expected} steps.`);
  return requests;
}
