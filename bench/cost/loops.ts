import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { type LoopName, loopNames } from "../../charter/test/agent/loops/loops.ts";
import { type StoryResult, tellStory } from "../../charter/test/agent/loops/story.ts";
import type { Bound } from "./bound.ts";
import { type Block, createSimulator } from "./cache-sim.ts";
import { wireBlocks } from "./wire.ts";

const rules = { "/v1/messages": "anthropic", "/v1/responses": "openai-5.6" } as const;
type Rules = (typeof rules)[keyof typeof rules];

/** What the requests of one story cost that a loop told. */
export type LoopCost = {
  readonly loop: LoopName;
  /** Billed tokens, all together. */
  readonly billed: Readonly<Record<Rules, number>>;
  /** The least share of a request that the next one read from the cache; compaction and another model are left out. */
  readonly leastRead: number;
};

/** One story by three loops: ours first, then one of somebody's own, and the AI SDK's. */
export async function measureLoops(): Promise<LoopCost[]> {
  const costs: LoopCost[] = [];
  for (const loop of loopNames) costs.push(costOf(loop, await tellStory(loop)));
  return costs;
}

export function costOf(loop: LoopName, { requests }: StoryResult): LoopCost {
  const simulate = createSimulator(encode);
  const reads: number[] = [];
  const billed = Object.entries(rules).map(([path, provider]) => {
    const sent = requests.filter((one) => one.path === path && typeof one.said === "object").map(blocksSent);
    const { perRequest, billed: sum } = simulate(sent, provider);
    for (const [index, { total }] of perRequest.slice(0, -1).entries())
      if (![sent[index], sent[index + 1]].some(asksForSummary)) reads.push((perRequest[index + 1]?.read ?? 0) / total);
    return [provider, sum];
  });
  return { loop, billed: Object.fromEntries(billed), leastRead: Math.min(...reads) };
}

/** A session's mark is drawn at random, and may be some tokens longer or shorter. */
function blocksSent({ body }: { readonly body: string }): Block[] {
  return wireBlocks(body.replaceAll(/\[system [0-9a-f]+\]/g, "[system 00000000]"), (text) => encode(text).length);
}

function asksForSummary(request: readonly Block[] | undefined): boolean {
  return request?.at(-1)?.text.startsWith("Write down what was said so far") ?? false;
}

/** A loop of one's own is billed what ours is, and goes on from what was cached. */
export function loopBounds(costs: readonly LoopCost[]): Bound[] {
  const [ours] = costs as readonly [LoopCost];
  return costs.flatMap(({ loop, billed, leastRead }) => [
    { what: "not read of the request before, by any loop", figure: 1 - leastRead, max: 0.1, where: loop },
    ...Object.values(rules).map((provider) => ({
      what: "× createAgent, a loop of one's own",
      ...{ figure: billed[provider] / ours.billed[provider], max: 1.01, where: `${loop}, ${provider}` },
    })),
  ]);
}
