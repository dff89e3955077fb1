import { afterAll, expect, test } from "vitest";
import * as agents from "../src/agent/index.ts";
import * as channels from "../src/channels/index.ts";
import * as charters from "../src/charters/index.ts";
import * as delivery from "../src/delivery/index.ts";
import * as tokenizers from "../src/delivery/tokenizer.ts";
import * as host from "../src/host/index.ts";
import * as heart from "../src/index.ts";
import * as server from "../src/server/index.ts";
import * as projects from "../src/sources/project.ts";
import * as extensions from "../src/sources/trust/extensions.ts";
import * as trust from "../src/sources/trust/trust.ts";
import * as stores from "../src/store/index.ts";
import { createStore, sqlite } from "../src/store/index.ts";
import { type Anything, charter, type Mistake, testMistakes, turn } from "./mistakes.ts";

/** The doors as plain JavaScript has them: no compiler stands before a mistake. */
const door: Anything = {
  ...heart,
  ...agents,
  ...charters,
  ...delivery,
  ...tokenizers,
  ...host,
  ...stores,
  ...channels,
  ...server,
  ...projects,
  ...trust,
  ...extensions,
};

const declaration = charters.assistant();
const readings = await heart.gather(charter, turn);
const prompt = heart.assemble(charter, readings);
const promise = Promise.resolve({});
const store: Anything = await createStore(sqlite(":memory:"));
afterAll(() => store.close());
const model = await delivery.loadModel("stand-in", { env: {} });
const agent: Anything = agents.createAgent({ charter, model, store });

const proposal = { section: "goals", operation: { kind: "append", content: "More." }, actor: "agent" };
const rules = { guards: [] };
const scope = { agent: "librarian" };
const delivering = {
  charter,
  prompt,
  receiver: model.receiver,
  offers: [],
  baseline: null,
  past: [],
  added: [],
  sent: 0,
  turn: "t",
  step: 1,
  cold: true,
  removed: () => false,
  secret: "0",
  sha256: (text: string) => text,
};

const quotaWanted = "bad-argument: The number that turnQuota was given is an object that does not fit.";
const places = { cwd: ".", home: ".", config: ".charter" };
const birth = { text: "Find books.", original: "Find books.", revision: 0 };
const amendBy = (guard: Anything) => door.amend(charter, birth, proposal, { guards: [guard] });

const { createAgent, createHost, deliver } = door;

const mistakes: Readonly<Record<string, readonly Mistake[]>> = {
  store: [
    ["no home", () => door.createStore(), "bad-argument: The home that createStore was given is missing."],
    ["a path", () => door.createStore("charter.db"), "bad-argument: The home that createStore was given is a text."],
    [
      "an address",
      () => door.createStore("postgres://localhost/charter"),
      "bad-argument: The home that createStore was given is a text.",
    ],
    [
      "a home that is not awaited",
      () => door.createStore(promise),
      "bad-argument: The home that createStore was given is a promise.",
    ],
    [
      "an object",
      () => door.createStore({ path: "charter.db" }),
      "bad-argument: The home that createStore was given is an object that does not fit.",
    ],
    ["sqlite without a path", () => door.sqlite(), "bad-argument: The path that sqlite was given is missing."],
    ["postgres without an address", () => door.postgres(), "bad-database: The PostgreSQL address is not a URL."],
    [
      "propose without a context",
      () => store.propose(undefined, proposal),
      "bad-argument: The context that store.propose was given is missing.",
    ],
    [
      "propose without rules",
      () => store.propose({ charter, scope }, proposal),
      "bad-argument: The `rules` that store.propose was given are missing.",
    ],
    [
      "propose without a scope",
      () => store.propose({ charter, rules: () => rules }, proposal),
      "bad-argument: The `scope` that store.propose was given is missing.",
    ],
    [
      "judge without rules",
      () => store.judge({ charter, scope }, proposal),
      "bad-argument: The `rules` that store.judge was given are missing.",
    ],
    [
      "standings of a declaration",
      () => store.standings.read(declaration, scope),
      "charter-invalid: The charter “?” cannot be used: It is a declaration: give its `charter`.",
    ],
    ["standings of nobody", () => store.standings.read(charter), "bad-argument: The scope is missing."],
    ["standings of a name", () => store.standings.read(charter, "librarian"), "bad-argument: The scope is a text."],
    [
      "an agent's name alone",
      () => store.agents.add("ada"),
      "bad-argument: What store.agents.add was given is a text.",
    ],
    [
      "a user without a name",
      () => store.users.find(),
      "bad-argument: A function of the store was given a value that is missing, or of another kind than it takes.",
    ],
    [
      "a scope as a user's name",
      () => store.users.find({ agent: "ada" }),
      "bad-argument: A function of the store was given a value that is missing, or of another kind than it takes.",
    ],
    [
      "a store to verify, and not its home",
      () => door.verifyStore(store),
      "bad-argument: The home that verifyStore was given is an object that does not fit.",
    ],
    ["an agent without a name", () => store.agents.get(), "bad-name: The name of the agent is missing."],
  ],
  agent: [
    ["nothing", () => createAgent(), "bad-argument: What createAgent was given is missing."],
    [
      "no charter",
      () => createAgent({ model, store }),
      "bad-argument: The `charter` that createAgent was given is missing.",
    ],
    [
      "a charter's name",
      () => createAgent({ charter: "assistant", model, store }),
      "charter-invalid: The charter “?” cannot be used: It is a text, where a charter is expected.",
    ],
    [
      "no store",
      () => createAgent({ charter, model }),
      "bad-argument: The `store` that createAgent was given is missing.",
    ],
    [
      "a store that is not awaited",
      () => createAgent({ charter, model, store: promise }),
      "bad-argument: The `store` that createAgent was given is a promise.",
    ],
    [
      "a home as store",
      () => createAgent({ charter, model, store: sqlite(":memory:") }),
      "bad-argument: The `store` that createAgent was given is an object that does not fit.",
    ],
    ["no model", () => createAgent({ charter, store }), "no-model: The model of an agent is not given."],
    [
      "a model's name",
      () => createAgent({ charter, store, model: "openai/gpt-5" }),
      "bad-model: The model of an agent is the name “openai/gpt-5”.",
    ],
    [
      "a model that is not awaited",
      () => createAgent({ charter, store, model: promise }),
      "bad-model: The model of an agent is a promise.",
    ],
    [
      "an object as model",
      () => createAgent({ charter, store, model: {} }),
      "bad-model: The model of an agent is no model.",
    ],
    [
      "a provider as model",
      () => createAgent({ charter, store, model: () => model }),
      "bad-model: The model of an agent is a function.",
    ],
    [
      "a model of AI SDK 4",
      () =>
        createAgent({
          charter,
          store,
          model: { specificationVersion: "v1", provider: "openai.chat", modelId: "gpt-4", doStream() {} },
        }),
      "bad-model: The model of an agent is “gpt-4” of openai.chat, made for version “v1” of the AI SDK's models.",
    ],
    [
      "hooks that are a function",
      () => createAgent({ charter, model, store, hooks: () => {} }),
      "bad-argument: The `hooks` that createAgent was given is a function.",
    ],
    [
      "one hook without a list",
      () => createAgent({ charter, model, store, hooks: { name: "log" } }),
      "bad-argument: The `hooks` that createAgent was given is an object that does not fit.",
    ],
    [
      "a hook that is a function",
      () => createAgent({ charter, model, store, hooks: [() => {}] }),
      "bad-argument: Hook 1 of the list is a function, or has no name.",
    ],
    [
      "a moment that is misspelt",
      () => createAgent({ charter, model, store, hooks: [{ name: "log", beforeTurn: () => {} }] }),
      "bad-argument: Hook 1 of the list (“log”) has “beforeTurn”, which is no moment of a turn.",
    ],
    [
      "a moment that is no function",
      () => createAgent({ charter, model, store, hooks: [{ name: "log", "before-turn": "log" }] }),
      "bad-argument: The “before-turn” of hook “log” is a text.",
    ],
    [
      "a number as limits",
      () => createAgent({ charter, model, store, limits: 5 }),
      "bad-argument: The `limits` that createAgent was given is 5.",
    ],
    [
      "a policy that is none",
      () => createAgent({ charter, model, store, whenTainted: "ask" }),
      "bad-argument: The `whenTainted` that createAgent was given is a text.",
    ],
    [
      "a Date as clock",
      () => createAgent({ charter, model, store, clock: new Date(0) }),
      "bad-argument: The `clock` that createAgent was given is a Date.",
    ],
    [
      "tools that are a function",
      () => createAgent({ charter, model, store, tools: () => [] }),
      "bad-tool: The tools are no list.",
    ],
    [
      "an option that is none",
      () => createAgent({ charter, model, store, tool: [] }),
      "bad-argument: createAgent takes no “tool”.",
    ],
    ["a turn that is a text", () => agent.runTurn("Hello"), "bad-input: A turn was asked with a text alone."],
    ["a turn of nothing", () => agent.runTurn(), "bad-argument: What runTurn was given is missing."],
    [
      "a turn with a message",
      () => agent.runTurn({ message: "Hello", user: "mia" }),
      "bad-argument: runTurn takes no “message”.",
    ],
    [
      "a turn without words",
      () => agent.runTurn({ input: " ", user: "mia" }),
      "bad-input: A turn was asked with no words as its input.",
    ],
    [
      "a user that is an object",
      () => agent.runTurn({ input: "Hello", user: { name: "eva" } }),
      "bad-argument: The `user` that runTurn was given is an object that does not fit.",
    ],
    [
      "a user that nobody named",
      () => agent.runTurn({ input: "Hello" }),
      "bad-argument: The `user` that runTurn was given is missing.",
    ],
    [
      "limits that are a number",
      () => agent.runTurn({ input: "Hello", user: "mia", limits: 3 }),
      "bad-argument: The `limits` that runTurn was given is 3.",
    ],
    [
      "a turn with a limit that does not exist",
      () => agent.runTurn({ input: "Hello", user: "mia", limits: { turns: 3 } }),
      "bad-limit: There is no limit “turns”.",
    ],
    [
      "a turn that is not foreign",
      () => agent.runTurn({ input: "Hello", user: "mia", foreign: "no" }),
      "bad-argument: The `foreign` that runTurn was given is a text.",
    ],
    [
      "a watcher that is no function",
      () => agent.runTurn({ input: "Hello", user: "mia" }, { on: "log" }),
      "bad-argument: The `on` that runTurn was given is a text.",
    ],
    [
      "the controller of a signal",
      () => agent.runTurn({ input: "Hello", user: "mia" }, { signal: new AbortController() }),
      "bad-argument: The `signal` that runTurn was given is an object that does not fit.",
    ],
    [
      "a clock that gives a number",
      () => createAgent({ charter, model, store, clock: () => 7 }).runTurn({ input: "Hello", user: "mia" }),
      "bad-argument: The clock that createAgent was given gives no Date: it gives 7.",
    ],
    [
      "tools that are not awaited",
      () => createAgent({ charter, model, store, tools: promise }),
      "bad-tool: The tools are a promise.",
    ],
    ["a tool's name alone", () => agent.callTool("look"), "bad-argument: What callTool was given is a text."],
    ["defineTool without anything", () => door.defineTool(), "bad-argument: What defineTool was given is missing."],
    [
      "a tool of nothing",
      () => door.defineTool({ name: "look" }),
      "bad-tool: The tool “look” cannot be used: it has nothing to run; its input is no schema of zod (from 3.25 on), valibot, arktype or the like; it has neither a summary nor a description.",
    ],
    ["toolOf without a name", () => door.toolOf({ inputSchema: {} }), "bad-argument: toolOf was given no name."],
    [
      "toolOf without a tool",
      () => door.toolOf("look"),
      "bad-tool: The tool “look” of the AI SDK cannot be used: it has nothing to execute.",
    ],
    [
      "modifySystemPrompt without a section",
      () => door.modifySystemPrompt(),
      "bad-argument: The section that modifySystemPrompt was given is missing.",
    ],
    [
      "modifySystemPrompt with a name",
      () => door.modifySystemPrompt("goals"),
      "bad-argument: The section that modifySystemPrompt was given is missing.",
    ],
    [
      "updateInstructions without a section",
      () => door.updateInstructions(),
      "bad-argument: The section that updateInstructions was given is missing.",
    ],
    [
      "readPrompt without a charter",
      () => door.readPrompt(),
      "charter-invalid: The charter “?” cannot be used: It is missing, where a charter is expected.",
    ],
    [
      "updatePromptLayer of a declaration",
      () => door.updatePromptLayer(declaration),
      "charter-invalid: The charter “?” cannot be used: It is a declaration: give its `charter`.",
    ],
    [
      "workspaceTools with a path",
      () => door.workspaceTools("."),
      "bad-argument: The root that workspaceTools was given is a text.",
    ],
    [
      "createSecondOpinion without anything",
      () => door.createSecondOpinion(),
      "bad-argument: createSecondOpinion needs a store, and a way to load a model.",
    ],
  ],
  delivery: [
    ["nothing", () => deliver(), "bad-argument: What deliver was given is missing."],
    [
      "no receiver",
      () => deliver({ ...delivering, receiver: undefined }),
      "bad-argument: The `receiver` that deliver was given is missing.",
    ],
    [
      "a receiver's name",
      () => deliver({ ...delivering, receiver: "openai/gpt-5" }),
      "bad-argument: The `receiver` that deliver was given is a text.",
    ],
    [
      "a model as receiver",
      () => deliver({ ...delivering, receiver: model }),
      "bad-argument: The `receiver` that deliver was given is an object that does not fit.",
    ],
    [
      "the text of a prompt",
      () => deliver({ ...delivering, prompt: prompt.text }),
      "bad-argument: The `prompt` that deliver was given is a text.",
    ],
    [
      "only what is obvious",
      () => deliver({ charter, prompt, receiver: model.receiver }),
      "bad-argument: The `secret` that deliver was given is missing.",
    ],
    [
      "a standing that belongs to the turn",
      () => deliver({ ...delivering, standing: { goals: "text" } }),
      "bad-argument: deliver takes no “standing”.",
    ],
    [
      "loadModel without an environment",
      () => door.loadModel("openai/gpt-5"),
      "bad-argument: loadModel needs a name and an environment.",
    ],
    ["loadModel without a name", () => door.loadModel(), "bad-argument: loadModel needs a name and an environment."],
    [
      "receiverOf without a name",
      () => door.receiverOf(),
      "bad-argument: The name that receiverOf was given is missing.",
    ],
    [
      "receiverOf with a model that does not say whose it is",
      () => door.receiverOf("claude-sonnet-5-5"),
      "bad-argument: The name that receiverOf was given, “claude-sonnet-5-5”, does not say whose model it is, so how it caches is not known.",
    ],
    [
      "a body for another provider",
      () => door.toOpenAIChat(deliver(delivering).request, door.receiverOf("anthropic/claude-sonnet-5-5")),
      "bad-argument: toOpenAIChat makes a body that “anthropic/claude-sonnet-5-5” does not take.",
    ],
    [
      "a request that was delivered to another receiver",
      () => {
        const added = [{ role: "user", text: "Hello." }] as const;
        const { request } = deliver({ ...delivering, added, receiver: door.receiverOf("openai/gpt-4.1") });
        return door.toAnthropic(request, door.receiverOf("anthropic/claude-sonnet-5-5"));
      },
      "bad-argument: The request that toAnthropic was given was made for another receiver than “anthropic/claude-sonnet-5-5”: it has no cache breakpoint, so nothing of it would be cached.",
    ],
    [
      "a response of another SDK",
      () => door.fromAnthropic({ choices: [] }, delivering.receiver),
      "bad-argument: The response that fromAnthropic was given is an object that does not fit.",
    ],
    [
      "a response that is not awaited",
      () => door.fromOpenAIChat(Promise.resolve(), delivering.receiver),
      "bad-argument: The response that fromOpenAIChat was given is a promise.",
    ],
    [
      "a delivery in place of its request",
      () => door.toAnthropic(deliver(delivering), delivering.receiver),
      "bad-argument: The request that toAnthropic was given is an object that does not fit.",
    ],
    [
      "a request without its receiver",
      () => door.toOpenAIResponses(deliver(delivering).request),
      "bad-argument: The receiver that toOpenAIResponses was given is missing.",
    ],
    [
      "a request for a model's name",
      () => door.toAiSdk(deliver(delivering).request, "openai/gpt-5"),
      "bad-argument: The receiver that toAiSdk was given is a text.",
    ],
    [
      "modelOf with a name",
      () => door.modelOf("openai/gpt-5"),
      "bad-model: The model that modelOf was given is a text.",
    ],
    [
      "modelOf with a model of ours",
      () => door.modelOf(model),
      "bad-model: The model that modelOf was given is an object that does not fit.",
    ],
    [
      "a message of another library",
      () => deliver({ ...delivering, added: [{ role: "user", content: "Hello" }] }),
      "bad-argument: Message 1 of the `added` that deliver was given does not have what one of the role “user” has.",
    ],
    [
      "an answer without its calls",
      () =>
        deliver({
          ...delivering,
          past: [
            { role: "user", text: "Hello" },
            { role: "assistant", text: "Hi" },
          ],
        }),
      "bad-argument: Message 2 of the `past` that deliver was given does not have what one of the role “assistant” has.",
    ],
    [
      "a role of another library",
      () => deliver({ ...delivering, added: [{ role: "developer", text: "Hello" }] }),
      "bad-argument: Message 1 of the `added` that deliver was given has a role that is a text.",
    ],
    [
      "a text as a message",
      () => deliver({ ...delivering, added: ["Hello"] }),
      "bad-argument: Message 1 of the `added` that deliver was given is a text.",
    ],
    [
      "a digest that is a promise",
      () => deliver({ ...delivering, sha256: async (text: string) => text }),
      "bad-argument: The `sha256` that deliver was given is a function.",
    ],
    [
      "a receipt with a digest that is a promise",
      () => door.receiptOf(charter, prompt, { sha256: async (text: string) => text }),
      "bad-argument: receiptOf was given no prompt, or no sha256.",
    ],
    [
      "no environment to find a model in",
      () => door.defaultModelName(),
      "bad-argument: The environment that defaultModelName was given is missing.",
    ],
    ["a tokenizer that is none", () => door.loadTokenizer("gpt"), "unknown-tokenizer: There is no tokenizer “gpt”."],
  ],
  guards: [
    ["a number as a limit", () => door.sizeLimit(8000), "bad-argument: What sizeLimit was given is 8000."],
    ["a limit that is none", () => door.sizeLimit({ max: 8000 }), "bad-argument: sizeLimit takes no “max”."],
    ["a quota by name", () => door.turnQuota({ perTurn: 3 }), quotaWanted],
    [
      "an opening that is a text",
      () => door.protectedOpening("You are"),
      "bad-argument: The number that protectedOpening was given is a text.",
    ],
    [
      "one state without a list",
      () => door.turnState("ExecutingActions"),
      "bad-argument: The list that turnState was given is a text.",
    ],
    [
      "a guard that was not called",
      () => amendBy(door.noForgery),
      "bad-argument: The guard “noForgery” gave a function in place of an objection.",
    ],
    [
      "a guard that is to be awaited",
      () => amendBy(async function asksSomeone() {}),
      "bad-argument: The guard “asksSomeone” gave a promise in place of an objection.",
    ],
    ["a guard that says yes", () => amendBy(() => true), "bad-argument: A guard gave true in place of an objection."],
    ["a guard's name", () => amendBy("no-forgery"), "bad-argument: A guard among the rules is a text."],
    [
      "the usual rules of nothing",
      () => door.usualRules(),
      "charter-invalid: The charter “?” cannot be used: It is missing, where a charter is expected.",
    ],
  ],
  host: [
    ["nothing", () => createHost(), "bad-argument: What createHost was given is missing."],
    ["no store", () => createHost({}), "bad-argument: The `store` that createHost was given is missing."],
    [
      "a store that is not awaited",
      () => createHost({ store: promise }),
      "bad-argument: The `store` that createHost was given is a promise.",
    ],
    ["an option that is none", () => createHost({ store, agents: [] }), "bad-argument: createHost takes no “agents”."],
    [
      "a turn that is a text",
      () => createHost({ store }).runTurn("Hello"),
      "bad-argument: The `agent` that host.runTurn was given is missing.",
    ],
    [
      "a turn of nobody",
      () => createHost({ store }).runTurn({ input: "Hello", user: "mia" }),
      "bad-argument: The `agent` that host.runTurn was given is missing.",
    ],
    [
      "an agent that is not there",
      () => createHost({ store }).runTurn({ agent: "nobody", input: "Hello" }),
      "unknown-agent: There is no agent “nobody”.",
    ],
  ],
  services: [
    ["a bot of nothing", () => door.createTelegram(), "bad-argument: What createTelegram was given is missing."],
    [
      "a bot without a token",
      () => door.createTelegram({ host: createHost({ store }), agent: "ada" }),
      "bad-argument: The `token` that createTelegram was given is missing.",
    ],
    [
      "a scheduler without a host",
      () => door.createScheduler({ store }),
      "bad-argument: The `host` that createScheduler was given is missing.",
    ],
    [
      "a schedule without a title",
      () => door.createSchedule({ scope, cron: "0 9 * * *", input: "Hello" }, store, new Date(0)),
      "bad-argument: The `title` that createSchedule was given is missing.",
    ],
    ["a service of nothing", () => door.openCharter(), "bad-argument: What openCharter was given is missing."],
    [
      "a service without a config",
      () => door.openCharter({ store, services: { http: true } }),
      "bad-argument: The `config` that openCharter was given is missing.",
    ],
    ["a workbench of a path", () => door.openWorkbench("."), "bad-argument: What openWorkbench was given is a text."],
    [
      "a workbench that is not trusted",
      () => door.openWorkbench({ ...places, trusted: false }),
      "bad-argument: The `trusted` that openWorkbench was given is false.",
    ],
    [
      "a project whose trust is a function, which would be as good as a yes",
      () => door.openProject({ ...places, trusted: () => false }),
      "bad-argument: The `trusted` that openProject was given is a function.",
    ],
    [
      "extensions whose trust is a function",
      () => door.usedExtensions({ ...places, trusted: () => false }),
      "bad-argument: The `trusted` that usedExtensions was given is a function.",
    ],
    [
      "trust without a home",
      () => door.trustProject({ cwd: "." }),
      "bad-argument: The `home` that trustProject was given is missing.",
    ],
    ["extensions of nothing", () => door.loadExtensions(), "bad-argument: What loadExtensions was given is missing."],
    ["offers of one tool", () => door.offersOf(door.readPrompt(charter)), "bad-tool: The tools are no list."],
  ],
  charters: [
    ["artifact without words", () => door.artifact(), "bad-argument: What artifact was given is missing."],
    ["artifact with a text", () => door.artifact("You are Ada."), "bad-argument: What artifact was given is a text."],
    ["sovereign without sources", () => door.sovereign(), "bad-argument: What sovereign was given is missing."],
    [
      "resident without a core memory",
      () => door.resident({}),
      "bad-argument: The `core` that resident was given is missing.",
    ],
  ],
};

for (const [where, rows] of Object.entries(mistakes)) testMistakes(where, rows);

test("what has a class of its own may keep more than it is asked for, and what is undefined is not given", async () => {
  class Log {
    readonly name = "log";
    count = 0;
    "before-turn"() {
      this.count++;
    }
  }
  class Configuration {
    readonly charter = charter;
    readonly model = model;
    readonly store = store;
    readonly port = 80;
  }
  const log = new Log();
  const hooks = [log, { name: "quiet", beforeTurn: undefined }];
  expect(createAgent(new Configuration()).name).toBe("librarian");
  const logged = createAgent({ charter, model, store, hooks, tool: undefined });
  expect(await logged.runTurn({ input: "Hello", user: "mia" })).toMatchObject({ state: "answered" });
  expect(log.count).toBe(1);
});

test("a text in the wrong place is never repeated: it may be a key, or an address with a password", async () => {
  const sound: Anything = { ...delivering, model, store };
  const given = (make: Anything, fields: string) =>
    fields.split(" ").map((field) => (text: string) => make({ ...sound, [field]: text }));
  const only = (make: Anything, fields: string) => (options: Anything) =>
    make(Object.fromEntries(Object.entries(options).filter(([field]) => fields.split(" ").includes(field))));
  const own = "charter model store tools hooks limits room on tokenizer clock";
  const sent = `${Object.keys(delivering).join(" ")} besides tokenizer`;
  const attempts: readonly ((text: string) => unknown)[] = [
    ...given(only(createAgent, own), own),
    ...given(only(createHost, "store env limits clock"), "store env limits clock"),
    ...given(only(deliver, sent), "prompt receiver offers past sha256 tokenizer besides"),
    ...[door.createStore, createAgent, createHost, deliver, door.modelOf, door.defineTool, door.defineCharter],
    ...[agent.runTurn, agent.callTool, door.createSecondOpinion],
    ...[door.toAnthropic, door.toOpenAIResponses, door.toOpenAIChat, door.toAiSdk],
    ...[door.fromAnthropic, door.fromOpenAIResponses, door.fromOpenAIChat, door.fromAiSdk],
    (env) => door.loadModel("openai/gpt-5", { env }),
    (text) => door.loadModel(text, { env: { OPENAI_API_KEY: text } }),
    (text) => createAgent({ charter, model, store, hooks: [text] }),
    (text) => createAgent({ charter, model, store, tools: [text] }),
  ];
  for (const text of ["sk-proj-hunter2", "hunter2/secret", "postgres://ada:hunter2@db.example/charter"]) {
    for (const attempt of attempts) {
      const thrown: Anything = await (async () => attempt(text))().catch((error: unknown) => error);
      const told = `${thrown?.name}: ${thrown?.message} ${thrown?.hint}`;
      expect(told).toMatch(/^Problem: /);
      expect(told).not.toContain("hunter2");
    }
  }
});

test("the same, done right, is no mistake", async () => {
  expect(deliver(delivering).request.system).toEqual(expect.any(Array));
  expect(await agent.runTurn({ input: "Hello", user: "mia" })).toMatchObject({ state: "answered" });
});
