import { afterEach, beforeEach, expect, test } from "vitest";
import type { Tool } from "../../../src/agent/tool.ts";
import type { StepResult } from "../../../src/agent/turn/turn-state.ts";
import { calls, scripted, spoken } from "../model.ts";
import { provesRequests } from "../proof.ts";
import { meeting, newStage, type Stage, tool } from "../stage.ts";

const user = "eva";
let stage: Stage;
beforeEach(async () => {
  stage = await newStage();
});
afterEach(() => stage.close());

const reads = { trusted: true, reads: true } as const;

test("two calls that only read run at once: each waits for the other to begin", async () => {
  const [one, two] = [meeting(), meeting()];
  const tools = [
    tool(
      "left",
      async () => {
        one.meet();
        await two.met;
        return "Left.";
      },
      reads,
    ),
    tool(
      "right",
      async () => {
        two.meet();
        await one.met;
        return "Right.";
      },
      { reads: true },
    ),
  ];
  const model = scripted([calls(["left"], ["right"]), "Both."]);
  const agent = stage.agent(model, { tools });
  const { reply, turn, tainted } = await agent.runTurn({ input: "Look.", user });
  expect([reply, tainted]).toEqual(["Both.", true]);
  expect(agent.kinds().filter((kind) => kind.startsWith("tool-"))).toEqual([
    ...["tool-call", "tool-call", "tool-result", "tool-result"],
  ]);
  await provesRequests(stage.store, turn, model.requests);
});

test("results stand in the order of the calls, whichever came first, and are on record in that order", async () => {
  const last = meeting();
  const kept: unknown[] = [];
  const tools = [
    tool(
      "slow",
      async () => {
        await last.met;
        return "Slow.";
      },
      reads,
    ),
    tool(
      "fast",
      async (_, { store, turn }) => {
        const [step] = await store.steps.of(turn);
        kept.push((step?.result as StepResult | undefined)?.results ?? []);
        last.meet();
        return "Fast.";
      },
      reads,
    ),
  ];
  const model = scripted([calls(["slow"], ["fast"]), "Done."]);
  const { turn } = await stage.agent(model, { tools }).runTurn({ input: "Look.", user });
  const [step] = await stage.store.steps.of(turn);
  expect((step?.result as StepResult | undefined)?.results?.map(({ output }) => output)).toEqual(["Slow.", "Fast."]);
  // Nothing is recorded before what stands before it.
  expect(kept).toEqual([[]]);
  expect(spoken(model.requests[1] as never).join("\n")).toMatch(/Slow\.[\s\S]*Fast\./);
});

test("what writes waits for the readers before it, and is held where they brought foreign words", async () => {
  const order: string[] = [];
  const note = (name: string, more: Pick<Tool, "reads" | "harmless">) =>
    tool(
      name,
      async () => {
        order.push(`${name} begins`);
        await Promise.resolve();
        order.push(`${name} ends`);
        return name;
      },
      more,
    );
  const tools = [note("read", { reads: true }), note("write", { harmless: true }), note("send", {})];
  const model = scripted([calls(["read"], ["read"], ["write"], ["read"], ["send"]), "Done."]);
  const agent = stage.agent(model, { tools });
  await agent.runTurn({ input: "Go.", user });
  expect(order).toEqual([
    ...["read begins", "read begins", "read ends", "read ends"],
    ...["write begins", "write ends", "read begins", "read ends"],
  ]);
  expect(agent.kinds()).toContain("tool-held");
});

test("a limit on calls counts those side by side one by one; a stop ends all of them, and nothing runs on", async () => {
  const model = scripted([calls(["read"], ["read"], ["read"]), "Done."]);
  const limited = stage.agent(model, { tools: [tool("read", () => "Read.", reads)], limits: { toolCalls: 2 } });
  const { turn } = await limited.runTurn({ input: "Go.", user });
  const outputs = async (id: string) =>
    ((await stage.store.steps.of(id))[0]?.result as StepResult | undefined)?.results?.map(({ output }) => output);
  expect(await outputs(turn)).toEqual(["Read.", "Read.", "Not run: the limit is 2 calls per turn."]);

  const stop = new AbortController();
  const both = meeting();
  let [begun, ended] = [0, 0];
  const hanging = tool(
    "read",
    async (_, { signal }) => {
      if (++begun === 2) both.meet();
      await both.met;
      stop.abort();
      await new Promise<void>((over) => (signal.aborted ? over() : signal.addEventListener("abort", () => over())));
      ended++;
      return "Too late.";
    },
    reads,
  );
  const again = scripted([calls(["read"], ["read"]), "Done."]);
  const stopped = await stage
    .agent(again, { tools: [hanging] })
    .runTurn({ input: "Go.", user }, { signal: stop.signal });
  expect([stopped.problem?.code, begun, ended]).toEqual(["model-aborted", 2, 2]);
  expect((await outputs(stopped.turn))?.every((output) => output.includes("when the turn was stopped"))).toBe(true);
});

test("a store that fails under one of two fails the turn when the other is done, and not the process", async () => {
  const unheard: unknown[] = [];
  const hear = (reason: unknown) => unheard.push(reason);
  process.on("unhandledRejection", hear);
  const failed = meeting();
  const agents = {
    ...stage.store.agents,
    find: async (name: string) => {
      if (++asked !== 2) return stage.store.agents.find(name);
      failed.meet();
      throw new Error("The disk is gone.");
    },
  };
  let [asked, ended] = [0, false];
  const slow = tool(
    "read",
    async () => {
      await failed.met;
      // Longer than a promise may go unheard.
      await new Promise((later) => setImmediate(later));
      ended = true;
      return "Read.";
    },
    reads,
  );
  const model = scripted([
    () => {
      asked = 0;
      return calls(["read"], ["read"]);
    },
    "Done.",
  ]);
  const agent = stage.agent(model, { tools: [slow], store: { ...stage.store, agents } });
  await expect(agent.runTurn({ input: "Go.", user })).rejects.toThrow("The disk is gone.");
  process.off("unhandledRejection", hear);
  expect([ended, unheard]).toEqual([true, []]);
});
