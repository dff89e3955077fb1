import fc from "fast-check";
import { expect, test } from "vitest";
import type { Hook } from "../../src/agent/index.ts";
import { replayRequest } from "../../src/agent/replay.ts";
import type { ModelRequest } from "../../src/delivery/model.ts";
import { fromText } from "../../src/index.ts";
import { verifyStore } from "../../src/store/verify/verify.ts";
import { busy, calls, type Line, scripted } from "../agent/model.ts";
import { amends, meeting, newStage, type Stage, tool } from "../agent/stage.ts";
import { runs } from "../tiers/search.ts";
import { alwaysAsync, hostile } from "./generate.ts";

/** What happens in a session, one after the other. */
type Happening =
  | { readonly kind: "say"; readonly input: string; readonly process: 0 | 1 }
  | { readonly kind: "call"; readonly input: string; readonly output: string; readonly process: 0 | 1 }
  | { readonly kind: "amend"; readonly content: string; readonly process: 0 | 1 }
  | { readonly kind: "fail"; readonly after: "nothing" | "a call" | "a retry"; readonly process: 0 | 1 }
  | { readonly kind: "move"; readonly place: string }
  | { readonly kind: "operator"; readonly content: string }
  | { readonly kind: "hook"; readonly how: "none" | "drops" | "adds" | "rewrites" | "input" }
  | { readonly kind: "wait" };

const process = fc.constantFrom(0 as const, 1 as const);
const words = fc
  .oneof(fc.string({ minLength: 1, maxLength: 40 }), hostile)
  .map((text) => `So: ${text}`.toWellFormed().replaceAll("\0", ""));
/** What strangers write, with bytes that nothing can carry: they are mended. */
const strangers = fc.tuple(words, fc.constantFrom("", "", "\0", "\ud83d", "\udf89")).map((all) => all.join(""));
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant("say" as const), input: words, process }), weight: 4 },
  { arbitrary: fc.record({ kind: fc.constant("call" as const), input: words, output: strangers, process }), weight: 4 },
  fc.record({
    kind: fc.constant("amend" as const),
    content: fc.constantFrom("- Grow.", "- Rest.", "- Sing."),
    process,
  }),
  fc.record({ kind: fc.constant("fail" as const), after: fc.constantFrom("nothing", "a call", "a retry"), process }),
  fc.record({ kind: fc.constant("move" as const), place: fc.constantFrom("the garden", "the attic\0", "the \ud83d") }),
  fc.record({ kind: fc.constant("operator" as const), content: fc.constantFrom("- Work.", "- Play.") }),
  fc.record({
    kind: fc.constant("hook" as const),
    how: fc.constantFrom("none", "drops", "adds", "rewrites", "input"),
  }),
  fc.record({ kind: fc.constant("wait" as const) }),
);

/** Hooks that change what is said, as `how` says at the moment. */
function hookThat(how: () => string): Hook {
  return {
    name: "changes",
    input: ({ input }) => (how() === "input" ? { input: `${input} (as the hook has it)` } : undefined),
    "before-step": ({ messages }) => {
      const said = messages.filter((one) => !("update" in one));
      if (how() === "drops" && said.length > 2) return { messages: messages.filter((one) => one !== said[0]) };
      if (how() === "adds") return { messages: [...messages, { role: "user" as const, text: "And be quick." }] };
      if (how() !== "rewrites") return undefined;
      return {
        messages: messages.map((one) => (one === said[0] && one.role === "user" ? { ...one, text: "Hm." } : one)),
      };
    },
  };
}

async function live(
  stage: Stage,
  happenings: readonly Happening[],
  compactAt: number,
): Promise<readonly ModelRequest[]> {
  const requests: ModelRequest[] = [];
  let how = "none";
  let output = "";
  const script: Line[] = [];
  const model = scripted([]);
  const asked = {
    ...model,
    ask: async (request: ModelRequest, asking: Parameters<typeof model.ask>[1]) => {
      requests.push(request);
      const line = script.shift() ?? "Fine.";
      return scripted([line]).ask(request, asking);
    },
  };
  const options = {
    tools: [amends, tool("look", () => output)],
    hooks: [hookThat(() => how)],
    compactAt,
    sleep: async () => {},
    limits: { retries: 1 },
  };
  const agents = [
    stage.agent(asked as never, options),
    stage.agent(asked as never, { ...options, store: await stage.another() }),
  ];
  for (const one of happenings) {
    if (one.kind === "hook") how = one.how;
    else if (one.kind === "wait") stage.wait(4000);
    else if (one.kind === "move") stage.world.place = () => fromText(`You are in ${one.place}.`, { source: "place" });
    else if (one.kind === "operator")
      await stage.amend({ section: "goals", operation: { kind: "rewrite", content: one.content } });
    else {
      if (one.kind === "call") output = one.output;
      if (one.kind === "call") script.push(calls(["look", {}]), `Looked at ${one.output.slice(-1)}.`);
      if (one.kind === "amend") script.push(calls(["amend", { content: one.content }]), "Amended.");
      if (one.kind === "fail" && one.after === "a call") script.push(calls(["look", {}]));
      if (one.kind === "fail" && one.after === "a retry") script.push(busy({ afterMs: 0 }), "After all.");
      else if (one.kind === "fail") script.push(busy({ retry: false }));
      const input = "input" in one ? one.input : "Go on.";
      await agents[one.process]?.runTurn({ input, user: "bo" });
      script.length = 0;
    }
  }
  return requests;
}

/** Every request of the store in its order, as often as it was asked. */
async function replayed({ store }: Stage): Promise<ModelRequest[]> {
  const turns = (await store.turns.list({ agent: "ada", limit: 1000 })).reverse();
  const steps = (await Promise.all(turns.map(({ id }) => store.steps.of(id))))
    .flat()
    .sort((a, b) => a.number - b.number);
  const out: ModelRequest[] = [];
  for (const { turn, step, result } of steps) {
    const { request } = await replayRequest(store, turn, step);
    const { faults = [], usage } = (result ?? {}) as { faults?: unknown[]; usage?: unknown };
    for (let times = faults.length + (usage ? 1 : 0); times > 0; times--) out.push(request);
  }
  return out;
}

test("every request of any session is replayed as the model was asked it", () =>
  alwaysAsync(
    fc.record({
      happenings: fc.array(happening, { minLength: 3, maxLength: 14 }),
      compactAt: fc.constantFrom(120, 400, 1_000_000),
    }),
    async ({ happenings, compactAt }) => {
      const stage = await newStage();
      try {
        await stage.store.agents.put({ name: "ada", charter: "staged" });
        const requests = await live(stage, happenings, compactAt);
        expect(await replayed(stage)).toEqual(requests);
        expect(await verifyStore(stage.store.home)).toMatchObject({ faults: [], orphans: 0 });
      } finally {
        await stage.close();
      }
    },
    runs(3, 80),
  ));

test("a turn that another process had not ended is not in a request, and is in the next", async () => {
  const stage = await newStage();
  const [waiting, go] = [meeting(), meeting()];
  const slow = scripted([calls(["look", {}]), "Slow."]);
  const look = tool("look", async () => {
    waiting.meet();
    await go.met;
    return "Looked.";
  });
  const quick = scripted(["Quick.", "Later."]);
  const one = stage.agent(slow, { tools: [look] });
  const other = stage.agent(quick, { tools: [look], store: await stage.another() });
  await other.runTurn({ input: "First.", user: "bo" });
  const running = one.runTurn({ input: "Take your time.", user: "bo" });
  await waiting.met;
  const meanwhile = await other.runTurn({ input: "Meanwhile.", user: "bo" });
  go.meet();
  const ended = await running;
  const after = await other.runTurn({ input: "After.", user: "bo" });
  const { store } = stage;
  expect((await replayRequest(store, meanwhile.turn)).request).toEqual(quick.requests[1]);
  expect(JSON.stringify(quick.requests[1])).not.toContain("Take your time.");
  expect((await replayRequest(store, after.turn)).request).toEqual(quick.requests[2]);
  expect(JSON.stringify(quick.requests[2])).toContain("Take your time.");
  for (const step of [1, 2])
    expect((await replayRequest(store, ended.turn, step)).request).toEqual(slow.requests[step - 1]);
  await stage.close();
});
