import { afterEach, beforeEach, expect, test } from "vitest";
import { stepMessages } from "../../src/delivery/history.ts";
import type { AskOptions, ModelRequest } from "../../src/delivery/index.ts";
import { keeper, said } from "./keeper.ts";
import { amends, newStage, type Stage, tool } from "./stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await newStage();
});
afterEach(() => stage.close());

const systemOf = ({ system }: ModelRequest) => system.map(({ text }) => text).join("");

test("a request names its conversation and how much of it is history, and its receipt the slot", async () => {
  const model = keeper([async () => said("Hello."), async () => said("Again.")]);
  const agent = stage.agent(model as never);
  const first = await agent.runTurn({ input: "Hi.", user: "eva" });
  const second = await agent.runTurn({ input: "Hi again.", user: "eva" });
  const about = { id: first.session, agent: "ada", user: "eva", operator: false };
  expect(model.requests.map(({ session }) => session)).toEqual([
    { ...about, history: 2 },
    { ...about, history: 4 },
  ]);
  const receipts = [first, second].map(async ({ turn }) => (await stage.store.steps.replay(turn, 1)).receipt.identity);
  expect(await Promise.all(receipts)).toEqual([
    { slot: "system-prompt", sent: true },
    { slot: "system-prompt", sent: false },
  ]);
});

test("a turn is at the operator's door where the door says so, and never because a user is missing", async () => {
  const ofThree = [async () => said("1"), async () => said("2"), async () => said("3")];
  const model = keeper(ofThree);
  await stage.agent(model as never).runTurn({ input: "Hi.", user: null });
  await stage.agent(model as never, { operator: true }).runTurn({ input: "Hi.", user: "eva" });
  await stage.agent(model as never).runTurn({ input: "Hi.", user: "bo" });
  expect(model.requests.map(({ session }) => session?.operator)).toEqual([false, true, false]);
});

test("a change is told as an update while the conversation is kept, and is in the prompt when it starts anew", async () => {
  const model = keeper([async () => said("1"), async () => said("2"), async () => said("3")]);
  const agent = stage.agent(model as never);
  await agent.runTurn({ input: "One.", user: "mia" });
  await stage.amend({ section: "goals", operation: { kind: "append", content: "- Be brief." }, actor: "agent" });
  await agent.runTurn({ input: "Two.", user: "mia" });
  model.fresh = true;
  await agent.runTurn({ input: "Three.", user: "mia" });
  const [one, two, three] = model.requests as [ModelRequest, ModelRequest, ModelRequest];
  expect(systemOf(two)).toBe(systemOf(one));
  expect(JSON.stringify(two.messages)).toContain("“Goals” now reads");
  expect(systemOf(three)).toContain("- Be brief.");
  expect(JSON.stringify(three.messages)).not.toContain("now reads");
});

test("words that must be gone make it start anew, and the receipt says that the prompt was sent again", async () => {
  const model = keeper([async () => said("1"), async () => said("2"), async () => said("3")]);
  const agent = stage.agent(model as never);
  await agent.runTurn({ input: "One.", user: "mia" });
  await agent.runTurn({ input: "Two.", user: "mia" });
  await stage.amend({ section: "goals", operation: { kind: "rewrite", content: "- Be brief." } });
  const { turn } = await agent.runTurn({ input: "Three.", user: "mia" });
  expect(systemOf(model.requests[2] as ModelRequest)).toContain("- Be brief.");
  const { receipt } = await stage.store.steps.replay(turn, 1);
  expect(receipt.identity).toEqual({ slot: "system-prompt", sent: true });
});

test("calls are run while it answers, recorded before and after, and the turn is over with its answer", async () => {
  const ran: unknown[] = [];
  const note = tool("note", (input) => `Noted ${ran.push(input)}.`);
  const results: unknown[] = [];
  const model = keeper([
    async ({ onCall, onText }) => {
      onText?.("Let me see. ");
      const calls = [
        { id: "a", name: "note", input: '{"x":1}' },
        { id: "b", name: "nothing", input: "{}" },
      ];
      const made = [];
      for (const call of calls) made.push(await (onCall as NonNullable<typeof onCall>)(call));
      results.push(...made);
      return said("Done.", { calls, results: made });
    },
    async () => said("Yes."),
  ]);
  const agent = stage.agent(model as never, { tools: [note] });
  const { turn, state, steps } = await agent.runTurn({ input: "Note it.", user: "mia" });
  expect({ state, steps, ran }).toEqual({ state: "answered", steps: 1, ran: [{ x: 1 }] });
  expect(results).toEqual([
    { call: "a", name: "note", output: "Noted 1." },
    { call: "b", name: "nothing", output: "There is no tool “nothing”. The tools are “note”.", failed: true },
  ]);
  const [step] = await stage.store.steps.of(turn);
  expect(step?.result).toMatchObject({ answer: { text: "Done.", calls: [{ id: "a" }, { id: "b" }] }, results });
  await agent.runTurn({ input: "Did you?", user: "mia" });
  const kept = model.requests[1]?.messages.slice(2, 4).map(({ breakpoint: _, ...message }) => message);
  expect(kept).toEqual(stepMessages(step?.result as never));
});

test("what was called stands when no answer comes, and it is not asked again", async () => {
  const sent: unknown[] = [];
  const send = tool("send", ({ to }) => `Sent ${sent.push(to)}.`);
  const model = keeper([
    async ({ onCall }) => {
      await onCall?.({ id: "a", name: "send", input: '{"to":"bo"}' });
      return { fault: { code: "model-failed", message: "The agent's process ended.", retry: false } };
    },
    async () => said("Yes."),
    async () => said("  "),
  ]);
  const agent = stage.agent(model as never, { tools: [send] });
  const failed = await agent.runTurn({ input: "Write to bo.", user: "mia" });
  expect(failed).toMatchObject({ state: "failed", problem: { code: "model-failed" } });
  await agent.runTurn({ input: "And?", user: "mia" });
  expect(sent).toEqual(["bo"]);
  expect(JSON.stringify(model.requests[1]?.messages)).toContain("Sent 1.");
  const empty = await agent.runTurn({ input: "Say nothing.", user: "mia" });
  expect(empty.problem?.message).toContain("The answer was empty.");
  expect(model.requests).toHaveLength(3);
});

test("its own tools taint the turn from the first use on, and are on record", async () => {
  const use = { id: "t1", title: "Read a page", kind: "fetch", paths: [], foreign: true } as const;
  const model = keeper([
    async ({ onOwnTool, onCall }) => {
      const amend = (id: string, content: string) =>
        onCall?.({ id, name: "amend", input: JSON.stringify({ content }) });
      const before = await amend("a", "- One.");
      onOwnTool?.({ ...use, status: "pending" });
      onOwnTool?.({ ...use, status: "done" });
      const after = await amend("b", "- Two.");
      return said(`${before?.output} ${after?.output}`);
    },
  ]);
  const { tainted, turn, reply } = await stage
    .agent(model as never, { tools: [amends] })
    .runTurn({ input: "Read.", user: "mia" });
  expect(tainted).toBe(true);
  expect(reply).toMatch(/accepted[\s\S]*held/);
  const [step] = await stage.store.steps.of(turn);
  const { foreign: _, ...kept } = use;
  expect(step?.result).toMatchObject({ ownTools: [{ ...kept, status: "done" }] });
});

const asked = { id: "p1", title: "Run make", kind: "execute", paths: [], input: { b: 1, a: ["make"] } } as const;

test("a permission that is held is a no, waits with its arguments, and once approved is allowed once", async () => {
  const answers: unknown[] = [];
  const ask = (given: object) => async (asking: AskOptions) => {
    for (const again of [1, 2])
      answers.push(await asking.onPermission?.({ ...asked, policy: "hold", id: `p${again}`, ...given }));
    return said("Asked.");
  };
  const model = keeper([ask({}), ask({ input: { a: ["make"], b: 1 } }), ask({})]);
  const agent = stage.agent(model as never);
  await agent.runTurn({ input: "Build.", user: "mia" });
  const waiting = await stage.store.calls.list({ agent: "ada" });
  expect(waiting).toMatchObject([
    { tool: "acp:execute", input: { title: "Run make", kind: "execute", paths: [], input: asked.input } },
  ]);
  await stage.store.calls.approve(waiting[0]?.id as string, "olga");
  await agent.runTurn({ input: "Go on.", user: "mia" });
  expect(answers).toEqual(["deny", "deny", "allow", "deny"]);
  expect(JSON.stringify(model.requests[1]?.messages)).toContain("allowed once]\\n- execute: Run make");
  expect(await stage.store.calls.get(waiting[0]?.id as string)).toMatchObject({ status: "done" });
});

test("what was approved and not asked for again holds for one turn; a turn that fails leaves it to the next", async () => {
  const model = keeper([
    async ({ onPermission }) => said(`${await onPermission?.({ ...asked, policy: "hold" })}`),
    async () => ({ fault: { code: "model-failed", message: "Broken.", retry: false } }),
    async () => said("I will not."),
  ]);
  const agent = stage.agent(model as never);
  await agent.runTurn({ input: "Build.", user: "mia" });
  const [{ id } = { id: "" }] = await stage.store.calls.list({ agent: "ada" });
  await stage.store.calls.approve(id, "olga");
  await agent.runTurn({ input: "Go on.", user: "mia" });
  expect(await stage.store.calls.get(id)).toMatchObject({ status: "approved" });
  await agent.runTurn({ input: "Go on.", user: "mia" });
  expect(await stage.store.calls.get(id)).toMatchObject({
    status: "failed",
    result: "The agent did not ask for it again in the next turn.",
  });
});

test.for([
  ["allow", {}, "allow", "done"],
  ["deny", {}, "deny", undefined],
  ["hold", { whenTainted: "refuse" }, "deny", undefined],
] as const)("a policy of %s needs nobody", async ([policy, options, answer]) => {
  const model = keeper([async ({ onPermission }) => said(`${await onPermission?.({ ...asked, policy })}`)]);
  const { reply } = await stage.agent(model as never, options).runTurn({ input: "Build.", user: "mia" });
  expect({ reply, waiting: await stage.store.calls.list({ agent: "ada" }) }).toEqual({ reply: answer, waiting: [] });
});

test.for([
  ["arguments of 70,000 characters", { input: { a: "x".repeat(70_000) } }],
  ["a title of 301 characters, and no arguments", { title: "x".repeat(301), input: {} }],
] as const)("what nobody could look through is denied, and not kept: %s", async ([, more]) => {
  const ask = async ({ onPermission }: AskOptions) =>
    said(`${await onPermission?.({ ...asked, ...more, policy: "hold" })}`);
  const { reply } = await stage.agent(keeper([ask]) as never).runTurn({ input: "Build.", user: "mia" });
  expect({ reply, waiting: await stage.store.calls.list({ agent: "ada" }) }).toEqual({ reply: "deny", waiting: [] });
});

test.for([
  [true, "allow", "done"],
  [false, "deny", "rejected"],
] as const)("somebody who is there is asked at once: %s", async ([decision, answer, status]) => {
  const model = keeper([async ({ onPermission }) => said(`${await onPermission?.({ ...asked, policy: "hold" })}`)]);
  const shown: unknown[] = [];
  const approve = async (held: unknown) => {
    shown.push(held);
    return decision;
  };
  const { reply } = await stage.agent(model as never).runTurn({ input: "Build.", user: "eva" }, { approve });
  const [held] = await stage.store.calls.list({ agent: "ada", status });
  expect({ reply, by: held?.decidedBy }).toEqual({ reply: answer, by: "eva" });
  expect(shown).toMatchObject([{ id: held?.id, tool: "acp:execute", input: { title: "Run make" } }]);
});

test("one that was busy and is asked again may do all it may do, and taints the turn as ever", async () => {
  const use = { id: "t1", title: "Read a page", kind: "fetch", paths: [], foreign: true, status: "done" } as const;
  const model = keeper([
    async () => ({ fault: { code: "model-busy", message: "It is still at work.", retry: true } }),
    async ({ onCall, onOwnTool, onPermission }) => {
      onOwnTool?.(use);
      const call = { id: "a", name: "note", input: "{}" };
      const result = await onCall?.(call);
      const permission = await onPermission?.({ ...asked, policy: "allow" });
      return said(`${result?.output} ${permission}`, { calls: [call], results: result ? [result] : [] });
    },
  ]);
  const agent = stage.agent(model as never, { tools: [tool("note", () => "Noted.")], sleep: async () => {} });
  const { reply, tainted } = await agent.runTurn({ input: "Go.", user: "mia" });
  expect({ reply, tainted }).toEqual({ reply: "Noted. allow", tainted: true });
});

test("requests under one id are different requests, and the same under two ids is one", async () => {
  const model = keeper([
    async ({ onPermission }) => {
      await onPermission?.({ ...asked, policy: "hold", input: { command: "ls" } });
      await onPermission?.({ ...asked, policy: "hold", input: { command: "rm -r ." } });
      await onPermission?.({ ...asked, policy: "hold", id: "p2", input: { command: "ls" } });
      return said("Asked.");
    },
  ]);
  await stage.agent(model as never).runTurn({ input: "Build.", user: "mia" });
  const waiting = await stage.store.calls.list({ agent: "ada" });
  expect(waiting.map(({ input }) => (input as typeof asked).input)).toEqual([
    { command: "ls" },
    { command: "rm -r ." },
  ]);
});

test("what was held in two turns and approved twice is allowed twice, and nothing is left open", async () => {
  const ask = async ({ onPermission }: AskOptions) => said(`${await onPermission?.({ ...asked, policy: "hold" })}`);
  const model = keeper([
    ask,
    ask,
    async ({ onPermission }) => {
      const answers = [];
      for (const _ of [1, 2, 3]) answers.push(await onPermission?.({ ...asked, policy: "hold" }));
      return said(answers.join(" "));
    },
  ]);
  const agent = stage.agent(model as never);
  for (const input of ["Build.", "Now?"]) await agent.runTurn({ input, user: "mia" });
  for (const { id } of await stage.store.calls.list({ agent: "ada" })) await stage.store.calls.approve(id, "olga");
  const { reply } = await agent.runTurn({ input: "Go on.", user: "mia" });
  expect({ reply, left: await stage.store.calls.list({ agent: "ada", status: "running" }) }).toEqual({
    reply: "allow allow deny",
    left: [],
  });
});

test("of requests without end only so many wait for a person as one could look through", async () => {
  const model = keeper([
    async ({ onPermission }) => {
      for (let count = 0; count < 105; count++)
        await onPermission?.({ ...asked, policy: "hold", input: { command: `make ${count}` } });
      return said("Asked.");
    },
  ]);
  await stage.agent(model as never).runTurn({ input: "Build.", user: "mia" });
  expect(await stage.store.calls.list({ agent: "ada", limit: 200 })).toHaveLength(100);
});

test("an approval is no way around a policy of deny, and is none for another agent", async () => {
  const ask = (policy: "hold" | "deny") => async (asking: AskOptions) =>
    said(`${await asking.onPermission?.({ ...asked, policy })}`);
  const model = keeper([ask("hold"), ask("deny"), ask("hold")]);
  const agent = stage.agent(model as never);
  const approveAll = async () => {
    const waiting = await stage.store.calls.list({ agent: "ada" });
    for (const { id } of waiting) await stage.store.calls.approve(id, "olga");
    return waiting.at(-1)?.id as string;
  };
  await agent.runTurn({ input: "Build.", user: "mia" });
  await approveAll();
  expect((await agent.runTurn({ input: "Go on.", user: "mia" })).reply).toBe("deny");
  await agent.runTurn({ input: "Again.", user: "mia" });
  const id = await approveAll();
  const other = keeper([ask("hold")], undefined, { name: "keeper/two" });
  expect((await stage.agent(other as never).runTurn({ input: "Go on.", user: "mia" })).reply).toBe("deny");
  expect(await stage.store.calls.get(id)).toMatchObject({
    status: "failed",
    result: "The agent has another model now.",
  });
});

test("an approval is none for another agent that took the session over before it was given", async () => {
  const ask = async (asking: AskOptions) => said(`${await asking.onPermission?.({ ...asked, policy: "hold" })}`);
  const { session } = await stage.agent(keeper([ask]) as never).runTurn({ input: "Build.", user: "mia" });
  const other = stage.agent(keeper([async () => said("Here."), ask], undefined, { name: "keeper/two" }) as never);
  expect((await other.runTurn({ input: "And you?", user: "mia" })).session).toBe(session);
  for (const { id } of await stage.store.calls.list({ agent: "ada" })) await stage.store.calls.approve(id, "olga");
  expect((await other.runTurn({ input: "Go on.", user: "mia" })).reply).toBe("deny");
});

test("an agent that is frozen while it answers is permitted nothing any more", async () => {
  const model = keeper([
    async ({ onPermission }) => {
      await stage.store.agents.freeze("ada", "agent");
      return said(`${await onPermission?.({ ...asked, policy: "allow" })}`);
    },
  ]);
  const { reply } = await stage.agent(model as never).runTurn({ input: "Build.", user: "mia" });
  expect(reply).toBe("deny");
});

test("a turn that strangers' words began is not the operator's", async () => {
  const model = keeper([async () => said("1")]);
  await stage.agent(model as never).runTurn({ input: "Hi.", user: "mia", foreign: true });
  expect(model.requests[0]?.session?.operator).toBe(false);
});

test("who cannot be made ready is tried again, and nothing of the turn was sent", async () => {
  let tries = 0;
  const fault = { code: "model-unreachable", message: "It did not start.", retry: true } as const;
  const model = keeper([async () => said("Here.")], () => {
    tries += 1;
    return tries < 3 ? { fault } : { prepared: { slot: "first-message", fresh: true } };
  });
  const agent = stage.agent(model as never, { sleep: async () => {} });
  expect(await agent.runTurn({ input: "Hi.", user: "mia" })).toMatchObject({ state: "answered" });
  tries = -10;
  const { problem, steps } = await agent.runTurn({ input: "Hi.", user: "mia" });
  expect({ code: problem?.code, steps, asked: model.requests.length }).toEqual({
    code: "model-unreachable",
    steps: 0,
    asked: 1,
  });
});

test("one that is asked again, because nothing was sent, has its calls run", async () => {
  const note = tool("note", () => "Noted.");
  const results: unknown[] = [];
  const model = keeper([
    async () => ({ fault: { code: "model-unreachable", message: "It ended too early.", retry: true } }),
    async ({ onCall }) => {
      results.push(await onCall?.({ id: "a", name: "note", input: "{}" }));
      return said("Done.");
    },
  ]);
  const agent = stage.agent(model as never, { tools: [note], sleep: async () => {} });
  expect(await agent.runTurn({ input: "Note it.", user: "mia" })).toMatchObject({ state: "answered" });
  expect(results).toEqual([{ call: "a", name: "note", output: "Noted." }]);
});

test("what it reports to have cost is the price; what it does not report is unknown", async () => {
  const model = keeper([async () => said("One.", { cost: 0.25 }), async () => said("Two.")]);
  const agent = stage.agent(model as never);
  const costs = [
    await agent.runTurn({ input: "1", user: "mia" }),
    await agent.runTurn({ input: "2", user: "mia" }),
  ].map(({ cost }) => cost);
  expect(costs).toEqual([0.25, null]);
});

test("one that takes no tools is offered none, and one that keeps the history is never asked to compact it", async () => {
  const answers = Array.from({ length: 3 }, () => async () => said("word ".repeat(500)));
  const model = keeper(answers, undefined, { takesTools: false });
  const agent = stage.agent(model as never, { tools: [tool("note")], compactAt: 100 });
  for (const input of ["1", "2", "3"]) await agent.runTurn({ input, user: "mia" });
  expect(model.requests.map(({ tools, messages }) => [tools.length, messages.length])).toEqual([
    [0, 2],
    [0, 4],
    [0, 6],
  ]);
});
