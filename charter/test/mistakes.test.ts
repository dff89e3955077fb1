import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import * as agents from "../src/agent/index.ts";
import * as charters from "../src/charters/index.ts";
import * as delivery from "../src/delivery/index.ts";
import * as host from "../src/host/index.ts";
import * as heart from "../src/index.ts";
import * as stores from "../src/store/index.ts";
import { createStore, sqlite } from "../src/store/index.ts";

/** The doors as plain JavaScript has them: no compiler stands before a mistake. */
// biome-ignore lint/suspicious/noExplicitAny: that is the point.
type Anything = any;
const door: Anything = { ...heart, ...agents, ...charters, ...delivery, ...host, ...stores };

const charter: Anything = heart.defineCharter({
  name: "librarian",
  layers: [
    { name: "law", mutability: "fixed", sections: [{ name: "safety", words: "Be safe." }] },
    {
      name: "goals",
      mutability: { amendableBy: ["agent"] },
      sections: [{ name: "goals", heading: "## Goals", original: "Find books." }],
    },
    { name: "now", mutability: "live", sections: [{ name: "clock", sources: [({ now }) => heart.fromText(now)] }] },
  ],
});
const declaration = charters.assistant();
const turn: Anything = { now: "2026-02-18T09:00:00Z", tools: [], standing: {} };
const readings = await heart.gather(charter, turn);
const prompt = heart.assemble(charter, readings);
const promise = Promise.resolve({});
const store: Anything = await createStore(sqlite(":memory:"));
afterAll(() => store.close());
const model = await delivery.loadModel("stand-in", { env: {} });
const agent: Anything = agents.createAgent({ charter, model, store });

const standing = { text: "Find books.", original: "Find books.", revision: 0 };
const proposal = { section: "goals", operation: { kind: "append", content: "More." }, actor: "agent" };
const rules = { guards: [] };
const context = {
  charter,
  ledger: heart.createMemoryLedger(),
  scope: { agent: "librarian" },
  rules: () => rules,
  now: () => turn.now,
  sha256: (text: string) => text,
};
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
  sha256: context.sha256,
};

const { gather, assemble, amend, propose, createAgent, createHost, deliver, defineCharter } = door;
const layer = (one: unknown) => ({ name: "a", layers: [one] });
const live = (section: unknown) => layer({ name: "l", mutability: "live", sections: [section] });

type Row = readonly [mistake: string, act: () => unknown, problem: string];

const mistakes: Readonly<Record<string, readonly Row[]>> = {
  gather: [
    [
      "nothing",
      () => gather(),
      "charter-invalid: The charter “?” cannot be used: It is missing, where a charter is expected.",
    ],
    ["no turn", () => gather(charter), "bad-argument: The turn that gather was given is missing."],
    [
      "a charter's name",
      () => gather("librarian", turn),
      "charter-invalid: The charter “?” cannot be used: It is the text “librarian”, where a charter is expected.",
    ],
    [
      "a declaration",
      () => gather(declaration, turn),
      "charter-invalid: The charter “?” cannot be used: It is a declaration: give its `charter`.",
    ],
    [
      "both the wrong way round",
      () => gather(turn, charter),
      "charter-invalid: The charter “?” cannot be used: It has no name. The charter has no field “now”; there are name, layers, separator, limit, givesWay. The charter has no field “tools”; there are name, layers, separator, limit, givesWay. The charter has no field “standing”; there are name, layers, separator, limit, givesWay. “layers” is not a list.",
    ],
    [
      "a turn that is a text",
      () => gather(charter, "now"),
      "bad-argument: The turn that gather was given is the text “now”.",
    ],
    ["a turn without anything", () => gather(charter, {}), "bad-argument: The `now` of the turn is missing."],
    [
      "without standing",
      () => gather(charter, { now: turn.now, tools: [] }),
      "bad-argument: The `standing` of the turn is missing.",
    ],
    [
      "without tools",
      () => gather(charter, { now: turn.now, standing: {} }),
      "bad-argument: The `tools` of the turn is missing.",
    ],
    [
      "without now",
      () => gather(charter, { tools: [], standing: {} }),
      "bad-argument: The `now` of the turn is missing.",
    ],
    ["a Date", () => gather(charter, { ...turn, now: new Date(0) }), "bad-argument: The `now` of the turn is a Date."],
    [
      "tools by name alone",
      () => gather(charter, { ...turn, tools: ["look"] }),
      "bad-argument: The `tools` of the turn are not all { name }.",
    ],
    [
      "tools in an object",
      () => gather(charter, { ...turn, tools: { look: {} } }),
      "bad-argument: The `tools` of the turn is an object that does not fit.",
    ],
    [
      "standing words as a text",
      () => gather(charter, { ...turn, standing: { goals: "Find good books." } }),
      "bad-argument: The standing of “goals” is the text “Find good books.”.",
    ],
    [
      "standing words without text",
      () => gather(charter, { ...turn, standing: { goals: {} } }),
      "bad-argument: The standing of “goals” is an object that does not fit.",
    ],
    [
      "standing that is not awaited",
      () => gather(charter, { ...turn, standing: promise }),
      "bad-argument: The `standing` of the turn is a promise.",
    ],
    [
      "standing of no section",
      () => gather(charter, { ...turn, standing: { gaols: { text: "x", revision: 1 } } }),
      "unknown-section: The charter “librarian” has no section “gaols”.",
    ],
    [
      "a source that gives a text",
      () => gather(live({ name: "s", sources: [() => "text"] }), turn),
      "bad-reading: A source of “s” gave something that is no reading.",
    ],
    [
      "withStanding with a text",
      () => door.withStanding(charter, readings, { goals: "Find good books." }),
      "bad-argument: The standing of “goals” is the text “Find good books.”.",
    ],
  ],
  assemble: [
    [
      "nothing",
      () => assemble(),
      "charter-invalid: The charter “?” cannot be used: It is missing, where a charter is expected.",
    ],
    ["no readings", () => assemble(charter), "reading-missing: The readings that assemble was given are missing."],
    [
      "the turn, gather forgotten",
      () => assemble(charter, turn),
      "reading-missing: Nothing was read for the section “goals”.",
    ],
    [
      "gather not awaited",
      () => assemble(charter, gather(charter, turn)),
      "reading-missing: Nothing was read for the section “goals”: the readings are a promise.",
    ],
    [
      "a declaration",
      () => assemble(declaration, readings),
      "charter-invalid: The charter “?” cannot be used: It is a declaration: give its `charter`.",
    ],
    [
      "a charter's name",
      () => assemble("librarian", readings),
      "charter-invalid: The charter “?” cannot be used: It is the text “librarian”, where a charter is expected.",
    ],
    [
      "a reading that is a text",
      () => assemble(charter, { ...readings, clock: "noon" }),
      "bad-reading: What was read for “clock” is the text “noon”, and no reading.",
    ],
    [
      "a reading that is null",
      () => assemble(charter, { ...readings, clock: null }),
      "reading-missing: Nothing was read for the section “clock”.",
    ],
    [
      "a reading that is a promise",
      () => assemble(charter, { ...readings, clock: promise }),
      "bad-reading: What was read for “clock” is a promise, and no reading.",
    ],
    [
      "a reading of no status",
      () => assemble(charter, { ...readings, clock: { status: "here" } }),
      "bad-reading: What was read for “clock” is an object that does not fit, and no reading.",
    ],
    [
      "parts that are a text",
      () => assemble(charter, { ...readings, clock: { status: "present", parts: "noon" } }),
      "bad-reading: What was read for “clock” is the text “noon”, and no reading.",
    ],
    [
      "parts that are texts",
      () => assemble(charter, { ...readings, clock: door.present(["noon"]) }),
      "bad-reading: What was read for “clock” is a list, and no reading.",
    ],
    [
      "a reading that is missing",
      () => assemble(charter, {}),
      "reading-missing: Nothing was read for the section “goals”.",
    ],
    [
      "a reading of no section",
      () => assemble(charter, { ...readings, clok: door.empty }),
      "unknown-section: There is a reading for “clok”, which is no section of “librarian”.",
    ],
    ["a number as room", () => assemble(charter, readings, 500), "bad-argument: The room is 500."],
    [
      "an edition that is none",
      () => assemble(charter, readings, { edition: "small" }),
      "unknown-edition: There is no edition “small”.",
    ],
    [
      "tokens without a tokenizer",
      () => assemble(charter, readings, { tokens: 100 }),
      "no-tokenizer: A limit in tokens was asked for and no tokenizer was given.",
    ],
    [
      "a tokenizer's name",
      () => assemble(charter, readings, { tokens: 100, tokenizer: "o200k_base" }),
      "no-tokenizer: The tokenizer that was given is the text “o200k_base”.",
    ],
    [
      "a tokenizer that is not awaited",
      () => assemble(charter, readings, { tokens: 100, tokenizer: promise }),
      "no-tokenizer: The tokenizer that was given is a promise.",
    ],
    [
      "fromText with an object",
      () => door.fromText({}),
      "bad-argument: What fromText was given is an object that does not fit.",
    ],
    ["present with a text", () => door.present("noon"), "bad-argument: What present was given is the text “noon”."],
    ["why without a prompt", () => door.why(undefined, "books"), "bad-argument: why was given no prompt, or no words."],
    ["why with a text", () => door.why(prompt.text, "books"), "bad-argument: why was given no prompt, or no words."],
    [
      "receiptOf without sha256",
      () => door.receiptOf(charter, prompt),
      "bad-argument: receiptOf was given no prompt, or no sha256.",
    ],
    [
      "lockOf with one charter",
      () => door.lockOf(charter, context.sha256),
      "bad-argument: lockOf was given no list of charters, or no sha256.",
    ],
    [
      "lockDifferences without a lock",
      () => door.lockDifferences(undefined, charter, context.sha256),
      "bad-argument: The lock is missing.",
    ],
    ["diff without a second text", () => door.diff("a"), "bad-argument: What diff was given is missing."],
    [
      "fenced without words",
      () => door.fenced(undefined, "mallory"),
      "bad-argument: What fenced was given is missing.",
    ],
    [
      "roomLeft without a charter",
      () => door.roomLeft(),
      "charter-invalid: The charter “?” cannot be used: It is missing, where a charter is expected.",
    ],
    [
      "charterData without a charter",
      () => door.charterData(),
      "charter-invalid: The charter “?” cannot be used: It is missing, where a charter is expected.",
    ],
  ],
  charter: [
    [
      "nothing",
      () => defineCharter(),
      "charter-invalid: The charter “?” cannot be used: It is missing, where a charter is expected.",
    ],
    [
      "a text",
      () => defineCharter("librarian"),
      "charter-invalid: The charter “?” cannot be used: It is the text “librarian”, where a charter is expected.",
    ],
    [
      "a declaration",
      () => defineCharter(declaration),
      "charter-invalid: The charter “?” cannot be used: It is a declaration: give its `charter`.",
    ],
    [
      "a list of layers",
      () => defineCharter([{ name: "l" }]),
      "charter-invalid: The charter “?” cannot be used: It is a list, where a charter is expected.",
    ],
    [
      "layers in an object",
      () => defineCharter({ name: "a", layers: {} }),
      "charter-invalid: The charter “a” cannot be used: “layers” is not a list.",
    ],
    [
      "sections that are texts",
      () => defineCharter(layer({ name: "l", mutability: "fixed", sections: ["Be safe."] })),
      "charter-invalid: The charter “a” cannot be used: A section has no name.",
    ],
    [
      "no mutability",
      () => defineCharter(layer({ name: "l", sections: [{ name: "s", words: "w" }] })),
      'charter-invalid: The charter “a” cannot be used: “s” says nothing of who may change it; say "fixed", "live" or { amendableBy: agent, user, operator }.',
    ],
    [
      "one actor without a list",
      () =>
        defineCharter(
          layer({ name: "l", mutability: { amendableBy: "agent" }, sections: [{ name: "s", original: "w" }] }),
        ),
      'charter-invalid: The charter “a” cannot be used: “s” says {"amendableBy":"agent"} of who may change it; say "fixed", "live" or { amendableBy: agent, user, operator }.',
    ],
    [
      "one source without a list",
      () => defineCharter(live({ name: "s", sources: () => "" })),
      "charter-invalid: The charter “a” cannot be used: “s”: sources is not a list of functions.",
    ],
    [
      "sources that are texts",
      () => defineCharter(live({ name: "s", sources: ["text"] })),
      "charter-invalid: The charter “a” cannot be used: “s”: sources is not a list of functions.",
    ],
    [
      "a rule that is null",
      () => defineCharter({ name: "a", layers: [], givesWay: [null] }),
      "charter-invalid: The charter “a” cannot be used: “givesWay” is not a list of rules.",
    ],
    [
      "a section that is not there",
      () => door.findSection(charter, "gaols"),
      "unknown-section: The charter “librarian” has no section “gaols”.",
    ],
    [
      "findSection without a charter",
      () => door.findSection(undefined, "goals"),
      "charter-invalid: The charter “?” cannot be used: It is missing, where a charter is expected.",
    ],
  ],
  amend: [
    ["nothing", () => amend(), "bad-argument: The proposal is missing."],
    [
      "no standing words",
      () => amend(charter, undefined, proposal, rules),
      "bad-argument: The standing words of a change are missing.",
    ],
    [
      "standing words as a text",
      () => amend(charter, "Find books.", proposal, rules),
      "bad-argument: The standing words of a change are the text “Find books.”.",
    ],
    ["no rules", () => amend(charter, standing, proposal), "bad-argument: The rules of a change are missing."],
    ["guards alone", () => amend(charter, standing, proposal, []), "bad-argument: The rules of a change are a list."],
    [
      "rules without guards",
      () => amend(charter, standing, proposal, {}),
      "bad-argument: The rules of a change are without guards.",
    ],
    [
      "rules that are not awaited",
      () => amend(charter, standing, proposal, promise),
      "bad-argument: The rules of a change are a promise.",
    ],
    ["no proposal", () => amend(charter, standing, undefined, rules), "bad-argument: The proposal is missing."],
    [
      "an operation that is none",
      () => amend(charter, standing, { ...proposal, operation: { kind: "delete" } }, rules),
      "bad-argument: The proposal has no operation that is known: “delete”.",
    ],
    [
      "an operation's name",
      () => amend(charter, standing, { ...proposal, operation: "append" }, rules),
      "bad-argument: The proposal has an operation that is the text “append”.",
    ],
    [
      "an operation without content",
      () => amend(charter, standing, { ...proposal, operation: { kind: "append", text: "More." } }, rules),
      "bad-argument: The proposal has content that is missing.",
    ],
    [
      "no actor",
      () => amend(charter, standing, { ...proposal, actor: undefined }, rules),
      "bad-argument: The proposal has an actor that is missing.",
    ],
    [
      "a section that is not there",
      () => amend(charter, standing, { ...proposal, section: "gaols" }, rules),
      "unknown-section: The charter “librarian” has no section “gaols”.",
    ],
    [
      "usualGuards without readings",
      () => door.usualGuards(charter),
      "bad-argument: The readings that usualGuards was given are missing.",
    ],
    [
      "propose without a context",
      () => propose(undefined, proposal),
      "bad-argument: The context that propose was given is missing.",
    ],
    [
      "propose without rules",
      () => propose({ ...context, rules: undefined }, proposal),
      "bad-argument: The `rules` that propose was given are missing.",
    ],
    [
      "propose with rules that are no function",
      () => propose({ ...context, rules }, proposal),
      "bad-argument: The `rules` that propose was given are an object that does not fit.",
    ],
    [
      "propose with rules that give nothing",
      () => propose({ ...context, rules: () => undefined }, proposal),
      "bad-argument: The rules of a change are missing.",
    ],
    [
      "propose without a ledger",
      () => propose({ ...context, ledger: undefined }, proposal),
      "bad-argument: The `ledger` that propose was given is missing.",
    ],
    [
      "propose without a scope",
      () => propose({ ...context, scope: undefined }, proposal),
      "bad-argument: The `scope` that propose was given is missing.",
    ],
    [
      "propose with an agent's name as scope",
      () => propose({ ...context, scope: "librarian" }, proposal),
      "bad-argument: The `scope` that propose was given is the text “librarian”.",
    ],
    [
      "propose without a clock",
      () => propose({ ...context, now: undefined }, proposal),
      "bad-argument: The `now` that propose was given is missing.",
    ],
    [
      "propose without sha256",
      () => propose({ ...context, sha256: undefined }, proposal),
      "bad-argument: The `sha256` that propose was given is missing.",
    ],
    ["propose without a proposal", () => propose(context), "bad-argument: The proposal is missing."],
    [
      "blame without words",
      () => door.blame(),
      "bad-argument: blame was given no words to begin with, or no amendments.",
    ],
    ["replay without a history", () => door.replay("a"), "bad-argument: replay was given no history, or no sha256."],
  ],
  store: [
    ["no home", () => door.createStore(), "bad-argument: The home that createStore was given is missing."],
    [
      "a path",
      () => door.createStore("charter.db"),
      "bad-argument: The home that createStore was given is the text “charter.db”.",
    ],
    [
      "an address",
      () => door.createStore("postgres://localhost/charter"),
      "bad-argument: The home that createStore was given is the text “postgres://localhost/charter”.",
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
      () => store.propose({ charter, scope: context.scope }, proposal),
      "bad-argument: The `rules` that store.propose was given are missing.",
    ],
    [
      "propose without a scope",
      () => store.propose({ charter, rules: () => rules }, proposal),
      "bad-argument: The `scope` that store.propose was given is missing.",
    ],
    [
      "judge without rules",
      () => store.judge({ charter, scope: context.scope }, proposal),
      "bad-argument: The `rules` that store.judge was given are missing.",
    ],
    [
      "standings of a declaration",
      () => store.standings.read(declaration, context.scope),
      "charter-invalid: The charter “?” cannot be used: It is a declaration: give its `charter`.",
    ],
    ["standings of nobody", () => store.standings.read(charter), "bad-argument: The scope is missing."],
    [
      "standings of a name",
      () => store.standings.read(charter, "librarian"),
      "bad-argument: The scope is the text “librarian”.",
    ],
    [
      "an agent's name alone",
      () => store.agents.add("ada"),
      "bad-argument: What store.agents.add was given is the text “ada”.",
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
      "charter-invalid: The charter “?” cannot be used: It is the text “assistant”, where a charter is expected.",
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
      "bad-argument: The “before-turn” of hook “log” is the text “log”.",
    ],
    [
      "a number as limits",
      () => createAgent({ charter, model, store, limits: 5 }),
      "bad-argument: The `limits` that createAgent was given is 5.",
    ],
    [
      "a policy that is none",
      () => createAgent({ charter, model, store, whenTainted: "ask" }),
      "bad-argument: The `whenTainted` that createAgent was given is the text “ask”.",
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
    ["a turn with a message", () => agent.runTurn({ message: "Hello" }), "bad-argument: runTurn takes no “message”."],
    [
      "a turn without words",
      () => agent.runTurn({ input: " " }),
      "bad-input: A turn was asked with no words as its input.",
    ],
    [
      "a user that is an object",
      () => agent.runTurn({ input: "Hello", user: { name: "eva" } }),
      "bad-argument: The `user` that runTurn was given is an object that does not fit.",
    ],
    [
      "a watcher that is no function",
      () => agent.runTurn({ input: "Hello" }, { on: "log" }),
      "bad-argument: The `on` that runTurn was given is the text “log”.",
    ],
    ["a tool's name alone", () => agent.callTool("look"), "bad-argument: What callTool was given is the text “look”."],
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
      "bad-argument: The root that workspaceTools was given is the text “.”.",
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
      "bad-argument: The `receiver` that deliver was given is the text “openai/gpt-5”.",
    ],
    [
      "a model as receiver",
      () => deliver({ ...delivering, receiver: model }),
      "bad-argument: The `receiver` that deliver was given is an object that does not fit.",
    ],
    [
      "the text of a prompt",
      () => deliver({ ...delivering, prompt: prompt.text }),
      "bad-argument: The `prompt` that deliver was given is the text “Be safe. ## Goals Find books. 2026-02-18…”.",
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
      "a delivery in place of its request",
      () => door.toAnthropic(deliver(delivering), delivering.receiver),
      "bad-argument: The request that toAnthropic was given is an object that does not fit.",
    ],
    [
      "a request without its receiver",
      () => door.toOpenAI(deliver(delivering).request),
      "bad-argument: The receiver that toOpenAI was given is missing.",
    ],
    [
      "a request for a model's name",
      () => door.toAiSdk(deliver(delivering).request, "openai/gpt-5"),
      "bad-argument: The receiver that toAiSdk was given is the text “openai/gpt-5”.",
    ],
    [
      "modelOf with a name",
      () => door.modelOf("openai/gpt-5"),
      "bad-model: The model that modelOf was given is the text “openai/gpt-5”.",
    ],
    [
      "modelOf with a model of ours",
      () => door.modelOf(model),
      "bad-model: The model that modelOf was given is an object that does not fit.",
    ],
    ["a tokenizer that is none", () => door.loadTokenizer("gpt"), "unknown-tokenizer: There is no tokenizer “gpt”."],
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
      () => createHost({ store }).runTurn({ input: "Hello" }),
      "bad-argument: The `agent` that host.runTurn was given is missing.",
    ],
    [
      "an agent that is not there",
      () => createHost({ store }).runTurn({ agent: "nobody", input: "Hello" }),
      "unknown-agent: There is no agent “nobody”.",
    ],
  ],
  charters: [
    ["artifact without words", () => door.artifact(), "bad-argument: What artifact was given is missing."],
    [
      "artifact with a text",
      () => door.artifact("You are Ada."),
      "bad-argument: What artifact was given is the text “You are Ada.”.",
    ],
    ["sovereign without sources", () => door.sovereign(), "bad-argument: What sovereign was given is missing."],
    [
      "resident without a core memory",
      () => door.resident({}),
      "bad-argument: The `core` that resident was given is missing.",
    ],
  ],
};

for (const [door, rows] of Object.entries(mistakes))
  for (const [mistake, act, problem] of rows)
    test(`${door}: ${mistake}`, async () => {
      const thrown = await (async () => act())().catch((error: unknown) => error);
      if (!(thrown instanceof heart.Problem)) throw new Error(`no Problem: ${String(thrown)}`);
      expect(`${thrown.code}: ${thrown.message}`).toBe(problem);
      expect(thrown.hint).toMatch(/^[A-Z].*\.$/s);
      expect(thrown.hint).not.toMatch(/undefined|\[object/);
    });

test("the same, done right, is no mistake", async () => {
  expect(amend(charter, standing, proposal, rules)).toMatchObject({ verdict: "accepted" });
  expect(await propose(context, proposal)).toMatchObject({ verdict: "accepted" });
  expect(deliver(delivering).request.system).toEqual(expect.any(Array));
  expect(await agent.runTurn({ input: "Hello" })).toMatchObject({ state: "answered" });
});

test("a Node that is too old is a Problem: one without SQLite, and one from before 2024", async () => {
  const source = (path: string) => JSON.stringify(resolve(import.meta.dirname, "../src", path));
  const script = `
    delete Map.groupBy;
    const { assemble } = await import(${source("index.ts")});
    const { createStore, sqlite } = await import(${source("store/index.ts")});
    const told = ({ code, message, hint }) => console.log([code, message, hint].join("\\n"));
    await createStore(sqlite(":memory:")).catch(told);
    try { assemble({ name: "a", layers: [] }, {}); } catch (error) { told(error); }
  `;
  const words = ["--no-experimental-sqlite", "--input-type=module", "-e", script];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  expect(stdout.trim().split("\n")).toEqual([
    "node-too-old",
    `Node ${process.versions.node} has no SQLite.`,
    "Use Node 22.18 or newer.",
    "node-too-old",
    "This JavaScript engine is too old.",
    "Use Node 22.18 or newer, or a browser of 2024 or newer.",
  ]);
});
