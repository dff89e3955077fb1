import type { Sample, SentSection } from "../../src/billing/sample.ts";

/** A section as it was sent; a plain one, unless said otherwise. */
export function sentOf(name: string, tokens: number, more: Partial<SentSection> = {}): SentSection {
  return {
    name,
    layer: "layer",
    slot: "system",
    mutability: "fixed",
    stability: "stable",
    trust: "own",
    revision: null,
    digest: name,
    tokens,
    cut: false,
    predicted: null,
    billed: null,
    ...more,
  };
}

/** A turn's core sample; an uneventful one, unless said otherwise. */
export function sampleOf(turn: string, more: Partial<Sample> = {}): Sample {
  return {
    turn,
    scope: { agent: "ada", user: "bo" },
    session: "s1",
    channel: "web",
    state: "answered",
    tainted: false,
    startedAt: "2026-02-18T12:00:00.000Z",
    endedAt: "2026-02-18T12:00:01.000Z",
    input: "Hello!",
    receiver: "openai/gpt-5",
    edition: "full",
    predicted: null,
    usage: { input: null, read: null, written: null, output: null },
    cost: null,
    shares: [],
    ownOrder: null,
    broke: null,
    missed: false,
    cache: null,
    amended: [],
    refused: 0,
    held: 0,
    steps: 1,
    tools: null,
    history: null,
    sections: [],
    ...more,
  };
}
