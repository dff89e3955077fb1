import { expect } from "vitest";
import type { TurnOutcome } from "../../../src/agent/index.ts";
import { modelOf } from "../../../src/delivery/index.ts";
import { type Line, type Provider, plain, replayed, runners, type SdkStage, staged } from "./sdk-stage.ts";

/** What is said to an agent over several turns, what its provider says, and what happens in between. */
export type Story = {
  readonly lines: readonly Line[];
  readonly turns: readonly string[];
  readonly window?: number;
  readonly provider?: Provider;
  /** Which loops of the AI SDK; both, unless given. */
  readonly loops?: readonly (keyof typeof runners)[];
  readonly between?: (stage: SdkStage, turn: number) => Promise<unknown>;
};

/** What differs by the SDK's own doing: whether it streams, and what goes with that. */
const streamed = (name: string, value: unknown) =>
  name === "stream" || name === "eager_input_streaming" ? undefined : value;

export async function told({ lines, turns, window, between, provider }: Story, runner: keyof typeof runners) {
  const { stage } = await staged(lines, {}, provider);
  const run = runners[runner]?.({
    ...stage,
    options: { ...stage.options, ...(window === undefined ? {} : { window }) },
  }) as (input: string) => Promise<TurnOutcome>;
  const outcomes: TurnOutcome[] = [];
  const records: unknown[] = [];
  for (const [index, input] of turns.entries()) {
    const outcome = await run(input);
    outcomes.push(outcome);
    const steps = await stage.store.steps.of(outcome.turn, { agent: "ada", user: "eva" });
    records.push(steps.map(({ result }) => result));
    await between?.(stage, index + 1);
  }
  const bodies = stage.requests.map(({ body }) => JSON.parse(body, streamed) as Record<string, unknown>);
  for (const request of runner === "createAgent" ? [] : await replayed(stage, outcomes))
    await modelOf(stage.model).ask(request, { signal: new AbortController().signal });
  const again = stage.requests.slice(bodies.length).map(({ body }) => body);
  const sent = new Set(bodies.map((body) => JSON.stringify(body)));
  return {
    bodies,
    told: { bodies: plain(bodies), records: plain(records), outcomes: plain(outcomes), ran: stage.ran },
    notReplayed: again.filter((one) => !sent.has(JSON.stringify(JSON.parse(one, streamed)))),
  };
}

/** Both loops of the AI SDK send what ours does, and the same is on record. Gives what was sent. */
export async function expectSame(story: Story): Promise<object[]> {
  const ours = await told(story, "createAgent");
  for (const runner of story.loops ?? ["streamText", "generateText"]) {
    const sdk = await told(story, runner);
    expect(sdk.told).toEqual(ours.told);
    expect(sdk.bodies.length).toBe(story.lines.length);
    // Every request is made again from the record, byte for byte.
    expect(sdk.notReplayed).toEqual([]);
  }
  return ours.bodies;
}
