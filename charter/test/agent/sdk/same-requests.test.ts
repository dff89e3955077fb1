import { afterEach, expect, test } from "vitest";
import type { TurnOutcome } from "../../../src/agent/index.ts";
import { modelOf } from "../../../src/delivery/index.ts";
import { complaint } from "../../delivery/speech.ts";
import { type Line, newSdkStage, plain, replayed, runners, type SdkStage } from "./sdk-stage.ts";

type Story = {
  readonly lines: readonly Line[];
  readonly turns: readonly string[];
  readonly between?: (stage: SdkStage, turn: number) => Promise<unknown>;
};

const stages: SdkStage[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

const call = (id: string, name: string, input: object = {}) => ({ id, name, input: JSON.stringify(input) });

/** What differs by the SDK's own doing: whether it streams, and what goes with that. */
const streamed = (name: string, value: unknown) =>
  name === "stream" || name === "eager_input_streaming" ? undefined : value;

async function told({ lines, turns, between }: Story, runner: keyof typeof runners) {
  const stage = await newSdkStage(lines);
  stages.push(stage);
  const run = runners[runner]?.(stage) as (input: string) => Promise<TurnOutcome>;
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
  for (const request of await replayed(stage, outcomes))
    await modelOf(stage.model).ask(request, { signal: new AbortController().signal });
  const again = stage.requests.slice(bodies.length).map(({ body }) => body);
  const sent = new Set(bodies.map((body) => JSON.stringify(body)));
  return {
    bodies,
    told: { bodies: plain(bodies), records: plain(records), outcomes: plain(outcomes), ran: stage.ran },
    again: again.length,
    notReplayed: again.filter((one) => !sent.has(JSON.stringify(JSON.parse(one, streamed)))),
  };
}

const stories: Readonly<Record<string, Story>> = {
  "tools, signed reasoning, an amendment": {
    lines: [
      { thought: "Two things.", text: ["One moment."], calls: [call("1", "add", { of: "a" }), call("2", "add")] },
      { thought: "Done.", text: ["Three."] },
      { calls: [call("3", "modify_system_prompt", { section: "goals", operation: "append", content: "- Be brief." })] },
      { thought: "Brief.", text: ["Yes."] },
      { text: ["Bye."] },
    ],
    turns: ["What is 1 + 2?", "Be brief from now on.", "Bye."],
  },
  "a tool that breaks, one nobody has, arguments that are none": {
    lines: [
      { calls: [call("1", "break_down"), call("2", "made_up"), { id: "3", name: "add", input: "[]" }] },
      { text: ["It did not work."] },
      { text: ["Fine."] },
    ],
    turns: ["Try.", "Well?"],
  },
  "a call that untrusted text holds, approved later": {
    lines: [
      { calls: [call("1", "read_page"), call("2", "pay", { of: "5" })] },
      { text: ["It waits."] },
      { text: ["It was paid."] },
      { text: ["Fine."] },
    ],
    turns: ["Pay what the page says.", "And now?", "Well?"],
    between: async ({ store }, turn) => {
      if (turn > 1) return;
      const [held] = await store.calls.list({ agent: "ada", status: "waiting" });
      await store.calls.approve(held?.id as string, "operator");
    },
  },
  "a busy provider, an empty answer, one that refuses": {
    lines: [
      { reply: { status: 529, body: complaint("anthropic", "Overloaded.") } },
      { text: ["There."] },
      { text: [] },
      { text: ["There again."] },
      { reply: { status: 400, body: complaint("anthropic", "Not so.") } },
      { text: ["At last."] },
    ],
    turns: ["First.", "Second.", "Third.", "Fourth."],
  },
};

for (const name of Object.keys(stories))
  test.for(["streamText", "generateText"] as const)(`${name}: %s sends what createAgent sends`, async (runner) => {
    const ours = await told(stories[name] as Story, "createAgent");
    const sdk = await told(stories[name] as Story, runner);
    expect(sdk.told).toEqual(ours.told);
    // Every request is made again from the record, byte for byte.
    expect(sdk.notReplayed).toEqual([]);
    expect(new Set(sdk.bodies.map((one) => JSON.stringify(one))).size).toBe(sdk.again);
  });

test.for(["streamText", "generateText"] as const)(
  "%s: what was sent stands before what is sent next",
  async (runner) => {
    const { bodies } = await told(stories["tools, signed reasoning, an amendment"] as Story, runner);
    const texts = bodies.map(({ tools, system, messages }) =>
      JSON.stringify([tools, system, messages]).replaceAll(/,?"cache_control":\{[^}]*\}/g, ""),
    );
    const shares = texts
      .slice(1)
      .map((text, index) => sharedLength(texts[index] as string, text) / (texts[index] as string).length);
    expect(Math.min(...shares)).toBeGreaterThan(0.8);
    expect(JSON.stringify(bodies.at(-1)).split('"signature":"signed"').length - 1).toBe(3);
  },
);

function sharedLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}
