import { createAnthropic } from "@ai-sdk/anthropic";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type AgentOptions, createAgent, readMemory, saveMemory, type TurnInput } from "../../src/agent/index.ts";
import { charterFor } from "../../src/agent/sdk/index.ts";
import { calls, type Scripted, scripted, spoken } from "./model.ts";
import { plainLoop } from "./own-loop/plain-loop.ts";
import { newStage, type Stage, tool } from "./stage.ts";

type Asked = Omit<TurnInput, "input"> & { readonly input: string };
/** Takes a turn, and gives all that its first request has. */
type Take = (asked: Asked) => Promise<string>;

let stage: Stage;
beforeEach(async () => {
  stage = await newStage();
  await stage.store.agents.add({ name: "ada", charter: "staged" });
});
afterEach(() => stage.close());

const optionsOf = ({ declaration, store, clock }: Stage) => ({ name: "ada", charter: declaration, store, clock });

function asking(make: (options: AgentOptions) => { readonly runTurn: (asked: Asked) => Promise<unknown> }) {
  return (more: Partial<AgentOptions>): Take => {
    const model = scripted();
    const agent = make({ ...optionsOf(stage), model, ...more });
    return async (asked) => {
      await agent.runTurn(asked);
      return JSON.stringify(model.requests.at(-1));
    };
  };
}

/** The same agent, by each door of the library. */
const doors: Readonly<Record<string, (more: Partial<AgentOptions>) => Take>> = {
  runTurn: asking(createAgent),
  openTurn: asking(plainLoop),
  charterFor: (more) => {
    const model = createAnthropic({ apiKey: "none" })("claude-sonnet-5-5");
    const loop = charterFor({ ...optionsOf(stage), ...more, model, tools: {} } as never);
    return async (asked) => {
      const { settings, end } = await loop.turn(asked);
      await end();
      return JSON.stringify([settings.instructions, settings.messages]);
    };
  },
  "a sub-agent in a tool": (more) => {
    const inner = doors.runTurn?.(more) as Take;
    let sent = "";
    const ask = tool("ask", async (input, { user }) => {
      sent = await inner({ ...(input as Asked), user });
      return "Asked.";
    });
    const model = scripted();
    const outer = createAgent({ ...optionsOf(stage), name: "outer", model, tools: [ask], ...more });
    return async ({ user, ...asked }) => {
      model.say(calls(["ask", asked]), "Done.");
      await outer.runTurn({ input: "Ask.", user });
      return sent;
    };
  },
};

test.for(Object.keys(doors))(
  "%s: what one says is in no turn of another, of a job or of the operator",
  async (door) => {
    const makes = doors[door] as (more: Partial<AgentOptions>) => Take;
    const [served, operators] = [makes({}), makes({ operator: true })];
    const takes: Readonly<Record<string, (input: string) => Promise<string>>> = {
      mia: (input) => served({ input, user: "mia" }),
      bo: (input) => served({ input, user: "bo" }),
      job: (input) => served({ input, user: null }),
      operator: (input) => operators({ input, user: null }),
    };
    await stage.amend(
      { section: "wishes", operation: { kind: "append", content: "Code mia-wish." }, actor: "user" },
      "mia",
    );
    for (const [name, take] of Object.entries(takes)) await take(`The door code is ${name}-said.`);
    const known: string[][] = [];
    for (const take of Object.values(takes)) {
      const sent = await take("And now?");
      known.push([...new Set(sent.match(/\w+-(?:said|wish)/g) ?? [])].sort());
    }
    expect(known).toEqual([["mia-said", "mia-wish"], ["bo-said"], [], ["operator-said"]]);
  },
);

test.for(Object.keys(doors).slice(0, 3))("%s: a turn of which nobody says whose it is is refused", async (door) => {
  const take = doors[door]?.({}) as Take;
  for (const nobody of [{}, { user: undefined }, { user: 7 }])
    await expect(take({ input: "Hi.", ...nobody } as never)).rejects.toMatchObject({
      code: "bad-argument",
      hint: "Give user: a name, or null for a job: docs/agent.md.",
    });
  expect(await stage.store.turns.list({ agent: "ada" })).toEqual([]);
});

test("a job goes on only with a session that it names and a job opened; the operator's own is none of them", async () => {
  const model = scripted();
  const [jobs, operators] = [stage.agent(model), stage.agent(model, { operator: true })];
  const own = await operators.runTurn({ input: "Mine.", user: null });
  const { id } = await jobs.newSession({ user: null });
  const unknown = { code: "unknown-session" };
  await jobs.runTurn({ input: "One.", user: null, session: id });
  await jobs.runTurn({ input: "Alone.", user: null });
  await jobs.runTurn({ input: "Two.", user: null, session: id });
  expect(spoken(model.requests.at(-1) as never).filter((one) => one.startsWith("user: "))).toEqual([
    "user: One.",
    "user: Two.",
  ]);
  const ask = { input: "Whose?", user: null };
  await expect(jobs.runTurn({ ...ask, session: own.session })).rejects.toMatchObject(unknown);
  await expect(operators.runTurn({ ...ask, session: id })).rejects.toMatchObject(unknown);
  await expect(jobs.compact({ user: null, session: own.session })).rejects.toMatchObject(unknown);
  await expect(jobs.compact({ user: null })).rejects.toMatchObject({ code: "nothing-said" });
  await expect(jobs.nextRequest({ user: null, session: own.session })).rejects.toMatchObject(unknown);
  expect((await jobs.nextRequest({ user: null })).session).toBeNull();
  expect((await operators.nextRequest({ user: null })).session?.id).toBe(own.session);
});

test("a session without a user from before is the operator's", async () => {
  const { id } = await stage.store.sessions.open({ scope: { agent: "ada" }, receiver: "test/one" });
  const operators = stage.agent(scripted(), { operator: true });
  expect((await operators.runTurn({ input: "Hi.", user: null })).session).toBe(id);
});

test("a turn without a user has no notes, and its tools and hooks are told so", async () => {
  const seen: unknown[] = [];
  const look = tool("look", (_, { user }) => seen.push(user));
  const hook = { name: "told", "before-turn": ({ user }: object & { user: string | null }) => void seen.push(user) };
  const model = scripted();
  const tools = [look, saveMemory(), readMemory()];
  for (const operator of [false, true])
    for (const user of ["mia", null]) {
      model.say(calls(["look"], ["save_memory", { content: "4711" }], ["read_memory"]), "Done.");
      await stage.agent(model, { tools, operator, hooks: [hook] }).runTurn({ input: "Remember 4711.", user });
      if (user === null) expect(toldOf(model)).toEqual([expect.any(String), refused, none]);
    }
  expect(seen).toEqual(["mia", "mia", null, null, "mia", "mia", null, null]);
  expect(await stage.store.memory.count({ agent: "ada" })).toBe(0);
  const { output } = await stage.agent(model, { tools }).callTool({ tool: "read_memory", input: {}, user: null });
  expect(output).toBe(none);
});

const refused = "Not saved: this turn has no user, and notes are each user's own.";
const none = "There are no notes: this turn has no user, and notes are each user's own.";

function toldOf(model: Scripted): string[] {
  return (model.requests.at(-1)?.messages ?? []).flatMap((one) =>
    one.role === "tool" ? one.results.map(({ output }) => output) : [],
  );
}

test("a user is never taken for the sender of an inbox's message, unless the program says so", async () => {
  const agent = stage.agent(scripted());
  const asked = { input: "Hello.", user: "counterpart:mia" };
  await expect(agent.runTurn(asked)).rejects.toMatchObject({ code: "bad-name" });
  expect(await agent.runTurn({ ...asked, counterpart: true })).toMatchObject({ state: "answered" });
});
