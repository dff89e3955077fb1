import { afterAll } from "vitest";
import * as agents from "../src/agent/index.ts";
import * as channels from "../src/channels/index.ts";
import * as charters from "../src/charters/index.ts";
import * as delivery from "../src/delivery/index.ts";
import * as tokenizers from "../src/delivery/tokenizer.ts";
import * as host from "../src/host/index.ts";
import * as heart from "../src/index.ts";
import * as server from "../src/server/index.ts";
import * as stores from "../src/store/index.ts";
import * as testing from "../src/testing/index.ts";
import { type Anything, charter, testMistakes, turn } from "./mistakes.ts";

/** Natural mistakes of somebody's first week, by what they are made with. None is a TypeError, and none goes by unsaid. */

const door: Anything = {
  ...{ ...heart, ...agents, ...charters, ...delivery, ...tokenizers },
  ...{ ...host, ...stores, ...channels, ...server, ...testing },
};
const readings = await heart.gather(charter, turn);
const prompt = heart.assemble(charter, readings);
const store: Anything = await testing.memoryStore();
const closed: Anything = await testing.memoryStore();
await closed.close();
afterAll(() => store.close());
const model = await delivery.loadModel("stand-in", { env: {} });
const agent: Anything = agents.createAgent({ charter, model, store });
await store.agents.put({ name: "librarian", charter: "librarian" });
const scope = { agent: "librarian" };
const { sha256 } = stores;
const delivering = { charter, prompt, receiver: model.receiver, secret: "0", sha256 };
const tokenizer = await tokenizers.loadTokenizer("estimate");
const schedulerHost: Anything = host.createHost({ store });
const opened = async () => (await store.turns.open({ scope, input: "x" })).id;
const withSection = (section: Anything) => ({
  name: "x",
  layers: [{ name: "l", mutability: "live", sections: [section] }],
});
const diaries = stores.table("diaries", { of: "user", key: ["id"] }, { id: stores.columns.id() });
const birth = { text: "x", original: "x", revision: 0 };

testMistakes("a charter", [
  [
    "no layers",
    () => door.defineCharter({ name: "x", layers: [] }),
    "charter-invalid: The charter “x” cannot be used: It has no sections.",
  ],
  [
    "two layers of a name",
    () =>
      door.defineCharter({
        name: "x",
        layers: [
          { name: "l", mutability: "fixed", sections: [{ name: "a", words: "x" }] },
          { name: "l", mutability: "fixed", sections: [{ name: "b", words: "x" }] },
        ],
      }),
    "charter-invalid: The charter “x” cannot be used: Two layers are called “l”.",
  ],
  [
    "two sections of a name",
    () =>
      door.defineCharter({
        name: "x",
        layers: [
          {
            name: "l",
            mutability: "fixed",
            sections: [
              { name: "a", words: "x" },
              { name: "a", words: "y" },
            ],
          },
        ],
      }),
    "charter-invalid: The charter “x” cannot be used: Two sections are called “a”.",
  ],
  [
    "sections without a layer",
    () => door.defineCharter({ name: "x", sections: [] }),
    "charter-invalid: The charter “x” cannot be used: The charter has no field “sections”; there are name, layers, separator, limit, givesWay. “layers” is not a list.",
  ],
  [
    "a section's text for its words",
    () =>
      door.defineCharter({
        name: "c",
        layers: [{ name: "l", mutability: "fixed", sections: [{ name: "a", text: "x" }] }],
      }),
    "charter-invalid: The charter “c” cannot be used: “a” has no field “text”; there are name, lead, heading, words, short, original, fallback, closing, separator, wordings, sources, read, mutability, stability, trust, limit, reserve, compact, replaced. “a” is fixed and has no words.",
  ],
  [
    "a mutability that is misspelt",
    () =>
      door.defineCharter({
        name: "x",
        layers: [{ name: "l", mutability: "Fixed", sections: [{ name: "a", words: "x" }] }],
      }),
    'charter-invalid: The charter “x” cannot be used: “a” says "Fixed" of who may change it; say "fixed", "live" or { amendableBy, scope }.',
  ],
  [
    "a hand that is misspelt",
    () =>
      door.defineCharter({
        name: "x",
        layers: [
          {
            name: "l",
            mutability: { amendableBy: ["agents"], scope: "agent" },
            sections: [{ name: "a", original: "x" }],
          },
        ],
      }),
    'charter-invalid: The charter “x” cannot be used: “a” says {"amendableBy":["agents"],"scope":"agent"} of who may change it; say "fixed", "live" or { amendableBy, scope }.',
  ],
  [
    "a mutability with more",
    () =>
      door.defineCharter({
        name: "x",
        layers: [
          {
            name: "l",
            mutability: { amendableBy: ["agent"], scope: "agent", approved: "operator" },
            sections: [{ name: "a", original: "x" }],
          },
        ],
      }),
    "charter-invalid: The charter “x” cannot be used: “a”: mutability has no field “approved”; there are amendableBy, scope, approvedBy.",
  ],
  [
    "one source without a list",
    () => door.defineCharter(withSection({ name: "a", trust: "own", sources: () => 1 })),
    "charter-invalid: The charter “x” cannot be used: “a”: sources is not a list of functions.",
  ],
  [
    "a source in the singular",
    () => door.defineCharter(withSection({ name: "a", source: () => 1 })),
    "charter-invalid: The charter “x” cannot be used: “a” has no field “source”; there are name, lead, heading, words, short, original, fallback, closing, separator, wordings, sources, read, mutability, stability, trust, limit, reserve, compact, replaced. “a” is generated per turn, and has neither sources nor words.",
  ],
  [
    "a stability that is none",
    () => door.defineCharter(withSection({ name: "a", trust: "own", sources: [], stability: "dynamic" })),
    "charter-invalid: The charter “x” cannot be used: “a”: stability is “dynamic”; it can be stable, event, state.",
  ],
  [
    "a section's limit as a number",
    () => door.defineCharter(withSection({ name: "a", trust: "own", sources: [], limit: 100 })),
    "charter-invalid: The charter “x” cannot be used: “a”: limit is 100; it is { chars, told }.",
  ],
  [
    "a section's limit by another name",
    () => door.defineCharter(withSection({ name: "a", trust: "own", sources: [], limit: { max: 100 } })),
    "charter-invalid: The charter “x” cannot be used: “a”: limit has no field “max”; there are chars, told.",
  ],
  [
    "a limit as a number",
    () =>
      door.defineCharter({
        ...{ name: "c", layers: [{ name: "l", mutability: "fixed", sections: [{ name: "a", words: "x" }] }] },
        limit: 100,
      }),
    "charter-invalid: The charter “c” cannot be used: limit is 100; it is { tokens, chars, compact }.",
  ],
  [
    "a limit by another name",
    () =>
      door.defineCharter({
        ...{ name: "c", layers: [{ name: "l", mutability: "fixed", sections: [{ name: "a", words: "x" }] }] },
        limit: { maxTokens: 100 },
      }),
    "charter-invalid: The charter “c” cannot be used: limit has no field “maxTokens”; there are tokens, chars, compact.",
  ],
  [
    "a reserve by another name",
    () => door.defineCharter(withSection({ name: "a", trust: "own", sources: [], reserve: { token: 100 } })),
    "charter-invalid: The charter “x” cannot be used: “a”: reserve has no field “token”; there are chars, tokens.",
  ],
]);

testMistakes("a prompt", [
  [
    "a limit that assemble does not have",
    () => door.assemble(charter, readings, { maxTokens: 5 }),
    "bad-argument: assemble takes no “maxTokens”.",
  ],
  [
    "a limit within",
    () => door.assemble(charter, readings, { limit: { chars: 5 } }),
    "bad-argument: assemble takes no “limit”.",
  ],
  [
    "readings and charter swapped",
    () => door.assemble(readings, charter),
    "charter-invalid: The charter “?” cannot be used: It has no name. The charter has no field “safety”; there are name, layers, separator, limit, givesWay. The charter has no field “goals”; there are name, layers, separator, limit, givesWay. The charter has no field “clock”; there are name, layers, separator, limit, givesWay. “layers” is not a list.",
  ],
  [
    "texts for readings",
    () => door.assemble(charter, { goals: "x", clock: "y" }),
    "bad-reading: What was read for “goals” is a text, and no reading.",
  ],
  [
    "tokens without a tokenizer",
    () => door.assemble(charter, readings, { tokens: 500 }),
    "no-tokenizer: A limit in tokens was asked for and no tokenizer was given.",
  ],
  [
    "a tokenizer that is not awaited",
    () => door.assemble(charter, readings, { tokens: 500, tokenizer: door.loadTokenizer("estimate") }),
    "no-tokenizer: The tokenizer that was given is a promise.",
  ],
  [
    "a limit that is a text",
    () => door.assemble(charter, readings, { chars: "500" }),
    "bad-limit: The limit of 500 chars is no whole number.",
  ],
  [
    "a turn with a misspelt field",
    () => door.gather(charter, { ...turn, standings: {} }),
    "bad-argument: gather takes no “standings”.",
  ],
  [
    "a Date for an instant",
    () => door.gather(charter, { ...turn, now: new Date() }),
    "bad-argument: The `now` of the turn is a Date.",
  ],
  [
    "a text of a section there is not",
    () => door.gather(charter, { ...turn, standing: { goal: { text: "x", revision: 1 } } }),
    "unknown-section: The charter “librarian” has no section “goal”.",
  ],
  [
    "milliseconds for a timeout",
    () => door.gather(charter, turn, 500),
    "bad-argument: What gather was given beside charter and turn is 500.",
  ],
  [
    "a part that is not known",
    () => door.fromText("x", { trusted: true }),
    "bad-argument: fromText takes no “trusted”.",
  ],
  ["a source as text", () => door.fromText("x", "source"), "bad-argument: What fromText was given is a text."],
  ["unavailable without a reason", () => door.unavailable(), "bad-argument: What unavailable was given is missing."],
  ["texts that are joined", () => door.join("a", "b"), "bad-argument: What join was given is a text."],
  [
    "a receipt with a field that is none",
    () => door.receiptOf(charter, prompt, { sha256, model: "x" }),
    "bad-argument: receiptOf takes no “model”.",
  ],
  ["inert with an option that is none", () => door.inert("# x", { tag: [] }), "bad-argument: inert takes no “tag”."],
  ["nothing to quote", () => door.quoted(), "bad-argument: What quoted was given is missing."],
]);

testMistakes("an amendment", [
  [
    "a section there is not",
    () =>
      door.amend(
        charter,
        birth,
        { section: "goal", operation: { kind: "append", content: "x" }, actor: "agent" },
        { guards: [] },
      ),
    "unknown-section: The charter “librarian” has no section “goal”.",
  ],
  [
    "an operation there is not",
    () =>
      door.amend(
        charter,
        birth,
        { section: "goals", operation: { kind: "add", content: "x" }, actor: "agent" },
        { guards: [] },
      ),
    "bad-argument: The proposal has no operation that is known: “add”.",
  ],
  [
    "words under another name",
    () =>
      door.amend(
        charter,
        birth,
        { section: "goals", operation: { kind: "append", text: "x" }, actor: "agent" },
        { guards: [] },
      ),
    "bad-argument: The proposal has content that is missing.",
  ],
  [
    "an actor there is not",
    () =>
      door.amend(
        charter,
        birth,
        { section: "goals", operation: { kind: "append", content: "x" }, actor: "assistant" },
        { guards: [] },
      ),
    "bad-argument: The proposal has an actor that is a text.",
  ],
  [
    "a proposal with more",
    () =>
      door.amend(
        charter,
        birth,
        { section: "goals", operation: { kind: "append", content: "x" }, actor: "agent", because: "x" },
        { guards: [] },
      ),
    "bad-argument: The proposal has no field “because”.",
  ],
  [
    "a guard without its charter",
    () => door.noOverride(),
    "charter-invalid: The charter “?” cannot be used: It is missing, where a charter is expected.",
  ],
  [
    "a room guard without anything",
    () => door.room(),
    "charter-invalid: The charter “?” cannot be used: It is missing, where a charter is expected.",
  ],
]);

testMistakes("a store", [
  [
    "an option of another library",
    () => door.sqlite(":memory:", { readonly: true }),
    "bad-argument: sqlite takes no “readonly”.",
  ],
  [
    "a pool by another name",
    () => door.postgres("postgres://x/y", { pool: 5 }),
    "bad-argument: postgres takes no “pool”.",
  ],
  [
    "an option that createStore does not have",
    () => door.createStore(stores.sqlite(":memory:"), { clock2: 1 }),
    "bad-argument: createStore takes no “clock2”.",
  ],
  ["a store that was closed", () => closed.agents.list(), "store-closed: The store in :memory: was closed."],
  [
    "an agent on a store that was closed",
    () => door.createAgent({ charter, model, store: closed }).runTurn({ input: "hi", user: "mia" }),
    "store-closed: The store in :memory: was closed.",
  ],
  [
    "a turn without a scope",
    () => store.turns.open({ input: "x" }),
    "bad-argument: The `scope` that store.turns.open was given is missing.",
  ],
  [
    "a turn without an input",
    () => store.turns.open({ scope }),
    "bad-argument: The `input` that store.turns.open was given is missing.",
  ],
  [
    "a turn with a misspelt session",
    () => store.turns.open({ scope, input: "x", sessionId: "s" }),
    "bad-argument: store.turns.open takes no “sessionId”.",
  ],
  [
    "a turn of an agent there is not",
    () => store.turns.open({ scope: { agent: "nobody" }, input: "x" }),
    "unknown-agent: There is no agent “nobody”.",
  ],
  ["a turn of nothing", () => store.turns.open(), "bad-argument: What store.turns.open was given is missing."],
  [
    "an end of nothing",
    async () => store.turns.close(await opened()),
    "bad-argument: What store.turns.close was given is missing.",
  ],
  [
    "an end with a text",
    async () => store.turns.close(await opened(), { text: "x" }),
    "bad-argument: store.turns.close takes no “text”.",
  ],
  [
    "an end with a state that is none",
    async () => store.turns.close(await opened(), { state: "done" }),
    "bad-argument: The `state` that store.turns.close was given is a text.",
  ],
  [
    "a prompt for a receipt",
    async () => store.turns.recordStep(await opened(), { prompt }),
    "bad-argument: The `receipt` that store.turns.recordStep was given is missing.",
  ],
  [
    "a turn for its id",
    async () => {
      const t = await store.turns.open({ scope, input: "x" });
      return store.turns.recordStep(t, door.receiptOf(charter, prompt, { sha256 }));
    },
    "bad-argument: The `turn` that store.turns.recordStep was given is an object that does not fit.",
  ],
  [
    "a result without its step",
    async () => {
      const t = await store.turns.open({ scope, input: "x" });
      await store.turns.recordStep(t.id, door.receiptOf(charter, prompt, { sha256 }));
      return store.turns.recordResult(t.id, { answer: { text: "", calls: [] } });
    },
    "bad-argument: A step's result is missing.",
  ],
  [
    "a list with a misspelt filter",
    () => store.turns.list({ agents: "librarian" }),
    "bad-argument: store.turns.list takes no “agents”.",
  ],
  ["a list of a name", () => store.turns.list("librarian"), "bad-argument: What store.turns.list was given is a text."],
  [
    "a session without a receiver",
    () => store.sessions.open({ scope }),
    "bad-argument: The `receiver` that store.sessions.open was given is missing.",
  ],
  [
    "a receiver for its name",
    () => store.sessions.open({ scope, receiver: model.receiver }),
    "bad-argument: The `receiver` that store.sessions.open was given is an object that does not fit.",
  ],
  [
    "the history of nothing",
    () => store.sessions.history(),
    "bad-argument: What store.sessions.history was given is missing.",
  ],
]);

testMistakes("an agent", [
  [
    "a room by another name",
    () => door.createAgent({ charter, model, store, room: { maxTokens: 5 } }),
    "bad-argument: The room of createAgent takes no “maxTokens”.",
  ],
  [
    "a limit that is none",
    () => door.createAgent({ charter, model, store, limits: { maxSteps: 5 } }),
    "bad-limit: There is no limit “maxSteps”.",
  ],
  [
    "a tool for a section there is not",
    () => door.createAgent({ charter, model, store, tools: [door.modifySystemPrompt({ section: "goal" })] }),
    "unknown-section: The tool “modify_system_prompt” changes “goal”, which is no section of “librarian” that can be amended.",
  ],
  [
    "a tool for a section that is fixed",
    () => door.createAgent({ charter, model, store, tools: [door.modifySystemPrompt({ section: "safety" })] }),
    "unknown-section: The tool “modify_system_prompt” changes “safety”, which is no section of “librarian” that can be amended.",
  ],
  [
    "several sections for one",
    () => door.modifySystemPrompt({ section: "goals", sections: ["x"] }),
    "bad-argument: modifySystemPrompt takes no “sections”.",
  ],
  ["a session of nothing", () => agent.newSession(), "bad-argument: What newSession was given is missing."],
  ["a session of a name", () => agent.newSession("eva"), "bad-argument: What newSession was given is a text."],
  [
    "a watcher by another name",
    () => agent.runTurn({ input: "x", user: "mia" }, { onEvent() {} }),
    "bad-argument: runTurn takes no “onEvent”.",
  ],
  [
    "a watcher alone",
    () => agent.runTurn({ input: "x", user: "mia" }, () => {}),
    "bad-argument: What runTurn was given is a function.",
  ],
  [
    "a session there is not",
    () => agent.runTurn({ input: "x", user: "mia", session: "nope" }),
    "unknown-session: There is no session “nope”.",
  ],
  [
    "a tool with an execute of its own",
    () =>
      door.defineTool({ name: "look", summary: "x", input: door.readPrompt(charter).input, run() {}, execute() {} }),
    "bad-tool: The tool “look” cannot be used: nothing is known of its “execute”.",
  ],
  [
    "guidelines that are a text",
    () =>
      door.defineTool({ name: "look", summary: "x", input: door.readPrompt(charter).input, run() {}, guidelines: "x" }),
    "bad-tool: The tool “look” cannot be used: its guidelines are no list.",
  ],
  [
    "a summary that is a number",
    () => door.defineTool({ name: "look", summary: 5, input: door.readPrompt(charter).input, run() {} }),
    "bad-tool: The tool “look” cannot be used: its summary is not one line.",
  ],
  [
    "a misspelt option of toolOf",
    () =>
      door.toolOf(
        "look",
        { description: "x", inputSchema: door.readPrompt(charter).input, execute() {} },
        { sensitve: true },
      ),
    "bad-argument: toolOf takes no “sensitve”.",
  ],
  ["an option of saveMemory as text", () => door.saveMemory("x"), "bad-argument: What saveMemory was given is a text."],
  [
    "a replay with its arguments swapped",
    () => door.replayRequest("t", store),
    "bad-argument: The `store` that replayRequest was given is a text.",
  ],
  ["MCP servers of nothing", () => door.createMcpTools(), "bad-argument: What createMcpTools was given is missing."],
  [
    "removed sections of nothing",
    () => door.removedSections(store),
    "bad-argument: What removedSections was given is missing.",
  ],
  [
    "a ready-made charter with a misspelt option",
    () => door.assistant({ instruction: "x" }),
    "bad-argument: assistant takes no “instruction”.",
  ],
]);

testMistakes("a delivery", [
  [
    "a prompt of another charter",
    () =>
      door.deliver({
        ...delivering,
        charter: door.defineCharter({
          name: "c",
          layers: [{ name: "l", mutability: "fixed", sections: [{ name: "a", words: "x" }] }],
        }),
      }),
    "bad-argument: The prompt that deliver was given is of the charter “librarian”, and not of “c”.",
  ],
  [
    "tools for their offers",
    () => door.deliver({ ...delivering, offers: [door.readPrompt(charter)] }),
    "bad-argument: Offer 1 of the `offers` that deliver was given (“read_prompt”) is no offer.",
  ],
  [
    "an object for the baseline",
    () => door.deliver({ ...delivering, baseline: {} }),
    "bad-argument: The `baseline` that deliver was given is an object that does not fit.",
  ],
  [
    "a message alone",
    () => door.deliver({ ...delivering, added: "hello" }),
    "bad-argument: The `added` that deliver was given is a text.",
  ],
  [
    "a call without an id",
    () =>
      door.deliver({
        ...delivering,
        past: [
          { role: "user", text: "x" },
          { role: "assistant", text: "", calls: [{ name: "x" }] },
        ],
      }),
    "bad-argument: Message 2 of the `past` that deliver was given does not have what one of the role “assistant” has.",
  ],
  [
    "results that are texts",
    () =>
      door.deliver({
        ...delivering,
        past: [
          { role: "user", text: "x" },
          { role: "assistant", text: "", calls: [{ id: "a", name: "x", input: "{}" }] },
          { role: "tool", results: ["x"] },
        ],
      }),
    "bad-argument: Message 3 of the `past` that deliver was given does not have what one of the role “tool” has.",
  ],
  [
    "a history that is not awaited",
    () =>
      door.historyOf(
        store.sessions.history("x").catch(() => []),
        null,
        model.receiver,
      ),
    "bad-argument: The list of turns that historyOf was given is a promise.",
  ],
  [
    "a history for a receiver's name",
    () => door.historyOf([], null, "x/y"),
    "bad-argument: The receiver that historyOf was given is a text.",
  ],
  [
    "two times that are swapped",
    () => door.isCold(model.receiver, new Date(), null),
    "bad-argument: isCold was given no receiver, no time, or no Date.",
  ],
  [
    "a request for its delivery",
    () => door.predict(door.deliver(delivering).request, model.receiver, { tokenizer, sha256 }),
    "bad-argument: The `delivery` that predict was given is an object that does not fit.",
  ],
  ["a prefix of nothing", () => door.prefixOf(), "bad-argument: The baseline that prefixOf was given is missing."],
  ["a quote of nothing", () => door.quoteOf(), "bad-argument: What quoteOf was given is missing."],
  [
    "an API key as an option",
    () => door.loadModel("stand-in", { env: {}, apiKey: "x" }),
    "bad-argument: loadModel takes no “apiKey”.",
  ],
]);

testMistakes("a channel", [
  [
    "a time zone by another name",
    () =>
      door.createSchedule({ scope, title: "x", cron: "0 9 * * *", input: "x", tz: "Europe/Rome" }, store, new Date(0)),
    "bad-argument: createSchedule takes no “tz”.",
  ],
  [
    "words for a cron line",
    () => door.createSchedule({ scope, title: "x", cron: "every day", input: "x" }, store, new Date(0)),
    "bad-cron: The cron line “every day” has not five fields (or six, with seconds first).",
  ],
  [
    "a scheduler with an option that is none",
    () => door.createScheduler({ store, host: schedulerHost, interval: 5 }),
    "bad-argument: createScheduler takes no “store”.",
  ],
  ["a message to nobody", () => door.deliverTo(), "bad-argument: The scope is missing."],
  [
    "a sign-in link of nothing",
    () => door.signInLink(),
    "bad-argument: The `store` that signInLink was given is missing.",
  ],
  [
    "a script with an option that is none",
    () => door.scriptedModel(["Hello"], { foo: 1 }),
    "bad-argument: scriptedModel takes no “foo”.",
  ],
  [
    "a store in memory with an option that is none",
    () => door.memoryStore({ foo: 1 }),
    "bad-argument: memoryStore takes no “foo”.",
  ],
]);

testMistakes("what is called without what it takes", [
  ["a note of nobody", () => store.memory.save(), "bad-argument: What store.memory.save was given is missing."],
  ["a note without words", () => store.memory.save(scope), "bad-argument: Argument 2 of store.memory.save is missing."],
  [
    "a note looked for by a text",
    () => store.memory.find(scope, "x"),
    "bad-argument: What store.memory.find looks for is a text.",
  ],
  ["an event of nothing", () => store.events.record(), "bad-argument: What store.events.record was given is missing."],
  [
    "an event without a scope",
    () => store.events.record({ kind: "x", detail: {} }),
    "bad-argument: The scope is missing.",
  ],
  ["an event that is a text", () => store.events.record("x"), "bad-argument: The scope is missing."],
  [
    "an approval without its context",
    () => store.held.approve("id", "bo"),
    "bad-argument: Argument 3 of store.held.approve is missing.",
  ],
  [
    "a held call without the call",
    () => store.calls.hold(scope),
    "bad-argument: Argument 2 of store.calls.hold is missing.",
  ],
  [
    "a piece to send without a list",
    () => store.dispatches.add({ scope, channel: "x", address: "y", body: "z" }),
    "bad-argument: What store.dispatches.add was given is an object that does not fit.",
  ],
  [
    "an invitation without a list",
    () => store.invitations.create({ user: "bo", agent: "librarian" }),
    "bad-argument: What store.invitations.create was given is an object that does not fit.",
  ],
  [
    "a checkpoint by its options",
    () => store.checkpoint.save({ file: "x" }),
    "bad-argument: What store.checkpoint.save was given is an object that does not fit.",
  ],
  [
    "facts of one turn",
    () => store.turns.factsOf("t"),
    "bad-argument: A function of the store was given a text in place of a list.",
  ],
  [
    "expenses without tokens",
    () => store.spending.add(scope, { day: "2026-02-18", receiver: "x", micros: 1 }),
    "bad-argument: The `usage` that store.spending.add was given is missing.",
  ],
  ["a token of nothing", () => store.tokens.create(), "bad-argument: What store.tokens.create was given is missing."],
  ["no secret", () => store.tokens.authenticate(), "bad-argument: The secret is missing."],
  [
    "a secret that is not awaited",
    () => store.tokens.authenticate(Promise.resolve("x")),
    "bad-argument: What store.tokens.authenticate was given is a promise.",
  ],
  ["nobody to erase", () => store.erase(), "bad-argument: What store.erase was given is missing."],
  [
    "a table without a name",
    () => door.table(),
    "bad-argument: What table was given is no name, no { of } or no columns: missing, missing, missing.",
  ],
  [
    "a table of nobody",
    () => door.table("diaries", { of: "users" }, {}),
    "bad-argument: What table was given is no name, no { of } or no columns: a text, an object that does not fit, an object that does not fit.",
  ],
  [
    "a table without a list",
    () => door.withTables({}),
    "bad-argument: What withTables was given is an object that does not fit.",
  ],
  [
    "tables that are names",
    () => door.withTables(["diaries"]),
    "bad-argument: The table that withTables was given is a text.",
  ],
  [
    "a row of no table",
    () => door.insertInto("diaries", {}),
    "bad-argument: The table that insertInto was given is a text.",
  ],
  ["a row of nothing", () => door.insertInto(diaries), "bad-argument: The row that insertInto was given is missing."],
  ["a record of no row", () => door.recordOf(diaries), "bad-argument: The row that recordOf was given is missing."],
  ["nobody as a counterpart", () => door.counterpart(), "bad-argument: What counterpart was given is missing."],
  [
    "the digest of bytes",
    () => door.sha256(Uint8Array.of(1)),
    "bad-argument: What sha256 was given is an object that does not fit.",
  ],
  ["the characters of a number", () => door.countCharacters(5), "bad-argument: What countCharacters was given is 5."],
  ["tokens of nothing", () => door.unescapeTokens(), "bad-argument: What unescapeTokens was given is missing."],
  ["an override in nothing", () => door.findOverride(), "bad-argument: What findOverride was given is missing."],
  [
    "a guard that is called in the list",
    () => door.needsApproval(),
    "bad-argument: The change that needsApproval was given is missing.",
  ],
  [
    "another that is",
    () => door.allowedHand(charter),
    "bad-argument: The change that allowedHand was given is an object that does not fit.",
  ],
  [
    "a sentence about nothing",
    () => door.unshownSentence(),
    "bad-argument: What unshownSentence was given is missing.",
  ],
  ["a question about nothing", () => door.questionOf(), "bad-argument: What questionOf was given is missing."],
  [
    "a question about a tool's name",
    () => door.questionOf("look"),
    "bad-argument: What questionOf was given is a text.",
  ],
  [
    "a core memory of nothing",
    () => door.openCoreMemory(),
    "bad-argument: What openCoreMemory was given is no store, no name or no place: missing, missing, missing.",
  ],
  [
    "a core memory without a place",
    () => door.openCoreMemory({ store }, "ada"),
    "bad-argument: What openCoreMemory was given is no store, no name or no place: an object that does not fit, a text, missing.",
  ],
  [
    "a message to sign of nothing",
    () => door.inboxTypedData(),
    "bad-argument: What inboxTypedData was given is missing.",
  ],
  [
    "a message to sign without a body",
    () => door.inboxTypedData({ service: "x", agent: "a", sender: "b", id: "1" }),
    "bad-argument: The `body` that inboxTypedData was given is missing.",
  ],
  [
    "a fault without its receiver",
    () => door.faultFrom(new Error("x")),
    "bad-argument: The receiver that faultFrom was given is missing.",
  ],
  ["a preview of nobody", () => schedulerHost.preview(), "bad-argument: What host.preview was given is missing."],
  [
    "a tool call of a host without the tool",
    () => schedulerHost.callTool({ agent: "librarian" }),
    "bad-argument: The `tool` that host.callTool was given is missing.",
  ],
]);

testMistakes("what would go by unsaid", [
  [
    "words for an instant",
    () => door.gather(charter, { ...turn, now: "yesterday" }),
    "bad-argument: The `now` of the turn is a text that is no instant.",
  ],
  [
    "a live section without sources",
    () => door.defineCharter(withSection({ name: "a" })),
    "charter-invalid: The charter “x” cannot be used: “a” is generated per turn, and has neither sources nor words.",
  ],
  [
    "an agent with a misspelt field",
    () => store.agents.put({ name: "ada", charter: "assistant", setings: {} }),
    "bad-argument: store.agents.put takes no “setings”.",
  ],
  [
    "an agent changed with a misspelt field",
    () => store.agents.update("librarian", async () => ({ charter: "x", modell: "y" })),
    "bad-argument: store.agents.update takes no “modell”.",
  ],
  [
    "a coder with a misspelt field",
    () => door.coder({ instructions: "x" }),
    "bad-argument: coder takes no “instructions”.",
  ],
  [
    "a memory tool with a misspelt field",
    () => door.readMemory({ instruction: "x" }),
    "bad-argument: readMemory takes no “instruction”.",
  ],
  [
    "a model that hangs with a misspelt field",
    () => door.hangsUntilAborted({ onstart() {} }),
    "bad-argument: hangsUntilAborted takes no “onstart”.",
  ],
]);
