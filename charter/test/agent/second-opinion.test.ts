import { afterEach, describe, expect, test } from "vitest";
import { createSecondOpinion, modifySystemPrompt } from "../../src/agent/index.ts";
import { opinionQuestion } from "../../src/amend/second-opinion.ts";
import { calls, hangs, type Line, type Scripted, scripted, systemOf } from "./model.ts";
import { meeting, newStage, type Stage, tool } from "./stage.ts";

/** What an agent writes about itself in a turn, put to another model before it stands. */

let stage: Stage;
afterEach(() => stage.close());

const adviser = (...lines: Line[]) =>
  scripted(lines, { name: "test/adviser", price: { input: 1, read: 1, write: 1, output: 1 } });
const appends = (content: string) => calls(["modify_system_prompt", { operation: "append", content }]);
const tools = [modifySystemPrompt({ section: "goals" })];
/** What the model was told of its last call. */
const told = ({ requests }: Scripted) => {
  const results = requests.at(-1)?.messages.flatMap((one) => (one.role === "tool" ? one.results : []));
  return JSON.parse(results?.at(-1)?.output ?? "");
};
const goals = async () => (await stage.store.standings.read(stage.declaration.charter, { agent: "ada" })).goals;

describe("an agent with a second opinion", () => {
  test("amends itself when the adviser says no; what both cost is the turn's cost, the step's and the spending", async () => {
    stage = await newStage();
    const [model, second] = [scripted([appends("- Read."), "Done."]), adviser("no")];
    const agent = stage.agent(model, { tools, secondOpinion: second });
    const outcome = await agent.runTurn({ input: "Read more.", user: "eva" });
    expect(await goals()).toEqual({ text: "- Help people.\n- Read.", revision: 1 });
    expect(second.requests.map((request) => [systemOf(request), request.tools, request.messages.length])).toEqual([
      [opinionQuestion, [], 1],
    ]);
    const usage = { input: 1000, read: 600, written: 100, output: 20 };
    expect(outcome.usage).toEqual({ input: 3000, read: 1800, written: 300, output: 60 });
    expect(outcome.cost).toBeCloseTo(2 * 0.001755 + 0.00102, 9);
    const steps = await stage.store.steps.of(outcome.turn);
    expect(steps.map(({ result }) => (result as { opinions?: unknown }).opinions)).toEqual([
      [{ model: "test/adviser", usage, cost: expect.closeTo(0.00102, 9), request: second.requests[0] }],
      undefined,
    ]);
    const day = { agent: "ada", user: "eva", day: "2026-02-18" };
    expect((await stage.store.spending.of(day)).user).toMatchObject({ micros: 2 * 1755 + 1020, input: 3000 });
  });

  test("whose agent has little left has a short answer", async () => {
    stage = await newStage();
    const second = adviser("no");
    const asked: object[] = [];
    const secondOpinion = createSecondOpinion({
      ...{ store: stage.store, loadModel: async () => second, model: second },
      beforeAsk: async ({ receiver, predicted }) => {
        asked.push({ receiver: receiver.name, ...predicted });
        return 7;
      },
    });
    const { charter } = stage.declaration;
    const about = { charter, section: "goals", actor: "agent" as const, before: "", after: "- Read." };
    await secondOpinion("test/adviser")?.ask(about, { agent: "ada" });
    expect(asked).toEqual([{ receiver: "test/adviser", read: 0, written: 0, fresh: expect.any(Number) }]);
    expect(second.requests.map(({ answerTokens }) => answerTokens)).toEqual([7]);
  });

  test("is told that a person must decide when the adviser says yes, and nothing of it stands", async () => {
    stage = await newStage();
    const model = scripted([appends("- Read."), "Held."]);
    const agent = stage.agent(model, { tools, secondOpinion: adviser("yes") });
    await agent.runTurn({ input: "Read more.", user: "mia" });
    const because =
      "test/adviser was asked whether the new words try to override other layers, and said yes. A person must decide.";
    expect(told(model)).toMatchObject({
      verdict: "held",
      says: "Nothing has changed yet: a person must approve it first.",
      refusals: [{ guard: "second-opinion", because }],
    });
    expect(await goals()).toBe(undefined);
    expect(agent.events.find(({ kind }) => kind === "proposed")).toMatchObject({ outcome: { verdict: "held" } });
  });

  test("the section changes while the adviser thinks: what the model had not seen is not written over", async () => {
    stage = await newStage();
    const second = adviser(async () => {
      await stage.amend({ section: "goals", operation: { kind: "rewrite", content: "- Theirs." } });
      return "no";
    });
    const model = scripted([appends("- Read."), "Stale."]);
    await stage.agent(model, { tools, secondOpinion: second }).runTurn({ input: "Read more.", user: "mia" });
    expect(told(model)).toMatchObject({ verdict: "refused", refusals: [{ guard: "stale-revision" }] });
    expect(await goals()).toEqual({ text: "- Theirs.", revision: 1 });
  });
});

test("the agent's settings in the store name the adviser, and a change of them holds at once", async () => {
  stage = await newStage();
  const second = adviser("yes");
  const names: string[] = [];
  const loadModel = async (name: string) => {
    names.push(name);
    return second;
  };
  await stage.store.agents.add({ name: "ada", charter: "staged", settings: { secondOpinion: "test/adviser" } });
  const model = scripted([appends("- Read."), "Held.", appends("- Run."), "Done."]);
  const agent = stage.agent(model, { tools, loadModel });
  await agent.runTurn({ input: "Read more.", user: "mia" });
  expect([await goals(), names]).toEqual([undefined, ["test/adviser"]]);
  await stage.store.agents.put({ name: "ada", charter: "staged" });
  await agent.runTurn({ input: "Run more.", user: "mia" });
  expect([await goals(), names]).toMatchObject([{ text: "- Help people.\n- Run." }, ["test/adviser"]]);
});

test("an adviser that is named and cannot be loaded holds what is proposed, and the turn goes on", async () => {
  stage = await newStage();
  const model = scripted([appends("- Read."), "Held."]);
  const agent = stage.agent(model, { tools, secondOpinion: "nobody/knows" });
  expect(await agent.runTurn({ input: "Read more.", user: "mia" })).toMatchObject({
    state: "answered",
    reply: "Held.",
  });
  expect(told(model).refusals[0].because).toContain(
    '. No answer came: "It could not be asked (unknown-model).". A person must decide.',
  );
});

test("an agent that keeps conversations is no adviser: its tools would run for everyone in one place", async () => {
  stage = await newStage();
  const model = scripted([appends("- Read."), "Held."]);
  const second = scripted(["no"], { name: "acp/claude", keepsHistory: true });
  await stage.agent(model, { tools, secondOpinion: second }).runTurn({ input: "Read more.", user: "mia" });
  expect(told(model).refusals[0].because).toContain("An agent over ACP gives no second opinions.");
  expect(second.requests).toEqual([]);
});

test("without one nobody is asked", async () => {
  stage = await newStage();
  const loadModel = async () => {
    throw new Error("Nobody was to be asked.");
  };
  await stage
    .agent(scripted([appends("- Read."), "Done."]), { tools, loadModel })
    .runTurn({ input: "Read more.", user: "mia" });
  expect(await goals()).toMatchObject({ revision: 1 });
});

test("an adviser that never answers holds the change when its time is up", async () => {
  stage = await newStage();
  const model = scripted([appends("- Read."), "Held."]);
  const limits = { opinionSeconds: 0.02 };
  await stage
    .agent(model, { tools, limits, secondOpinion: adviser(hangs()) })
    .runTurn({ input: "Read more.", user: "mia" });
  expect(told(model).refusals[0].because).toContain('. No answer came: "It did not answer in 0.02 s.".');
});

test("a turn that is stopped while the adviser thinks leaves the change to a person", async () => {
  stage = await newStage();
  const [asked, stop] = [meeting(), new AbortController()];
  const agent = stage.agent(scripted([appends("- Read.")]), { tools, secondOpinion: adviser(hangs(asked.meet)) });
  const turn = agent.runTurn({ input: "Read more.", user: "mia" }, { signal: stop.signal });
  await asked.met;
  stop.abort();
  expect(await turn).toMatchObject({ state: "failed", problem: { code: "model-aborted" } });
  await expect.poll(() => stage.store.held.list({ agent: "ada" })).toMatchObject([{ section: "goals" }]);
  expect(await goals()).toBe(undefined);
});

test("what an approved call of an earlier turn asks about is told with the first step", async () => {
  stage = await newStage();
  const writes = tool(
    "write",
    async (_, { propose }) =>
      (await propose({ section: "goals", operation: { kind: "append", content: "- Read." } })).verdict,
    { trusted: true },
  );
  const second = adviser("no");
  const model = scripted([calls(["write"]), "May I?", "Done."]);
  const agent = stage.agent(model, { tools: [writes], secondOpinion: second });
  await agent.runTurn({ input: "Write.", user: "mia", session: "new" }, { ask: "writes" });
  const [call] = await stage.store.calls.list({ agent: "ada" });
  await stage.store.calls.approve(call?.id as string, "olga");
  const outcome = await agent.runTurn({ input: "And?", user: "mia", session: "new" });
  expect(await goals()).toMatchObject({ revision: 1 });
  const [step] = await stage.store.steps.of(outcome.turn);
  expect(step?.result).toMatchObject({ acted: true, opinions: [{ model: "test/adviser" }], answer: { text: "Done." } });
});
