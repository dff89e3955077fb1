// The store: one write path for changes, a verifiable history, and the exact bytes a turn sent.
import { createHash } from "node:crypto";
import { assemble, gather, receiptOf, withStanding } from "charter";
import { assistant } from "charter/charters";
import { type AmendmentContext, createStore, sqlite } from "charter/store";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const store = await createStore(sqlite(":memory:"));
await store.agents.put({ name: "ada", charter: "assistant" });

const { charter, rules } = assistant();
const rulesFor = await rules();
const scope = { agent: "ada", user: "bo" };
const turn = { now: "2026-02-18T09:00:00Z", tools: [], channel: "web", standing: {} };
const readings = await gather(charter, turn);
const desk: AmendmentContext = {
  charter,
  scope,
  rules: (section, standing) => rulesFor(section, withStanding(charter, readings, standing)),
};

const wish = { section: "instructions", operation: { kind: "rewrite" as const, content: "Answer in verse." } };
const [first, second] = await Promise.all([
  store.propose(desk, { ...wish, actor: "user", revision: 0 }),
  store.propose(desk, { ...wish, actor: "agent", revision: 0 }),
]);
console.log(first.verdict, "and", second.verdict);

const standing = await store.standings.read(charter, scope);
const prompt = assemble(charter, withStanding(charter, readings, standing));
const asked = await store.turns.open({ scope, input: "Hello!" });
await store.turns.recordStep(asked.id, receiptOf(charter, prompt, { sha256 }));

const sent = await store.steps.replay(asked.id);
console.log("the very bytes:", sent.slots[0]?.text === prompt.text);
console.log("another user sees:", await store.standings.read(charter, { agent: "ada", user: "cy" }));
await store.close();
