import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent/index.ts";
import { factsOf } from "../../src/charters/facts.ts";
import { sovereignFromFacts } from "../../src/charters/sovereign/sovereign.ts";
import { fixedLayers } from "../../src/charters/sovereign/words.ts";
import { loadTokenizer } from "../../src/delivery/tokenizer.ts";
import { createHost } from "../../src/host/index.ts";
import { countCharacters } from "../../src/index.ts";
import { createStore, sqlite } from "../../src/store/index.ts";
import { calls, scripted, spoken } from "../agent/model.ts";
import { stateAmong } from "../agent/on-wire.ts";
import { promptOf, show } from "../cli.ts";

/** Layer 10 of a sovereign: what it counts, and what is left of it in little room. */

const now = "2026-02-18T15:04:00.000Z";
const given = (facts: object = {}) => sovereignFromFacts(factsOf({ now, ...facts }), () => new Date(0));
const tokenizer = await loadTokenizer("o200k_base");
/** The lines under one of layer 10's headings. */
const under = (title: string, text: string) => text.split(`### ${title}\n`)[1]?.split("\n\n")[0];

const message = { id: "m1", sender: "0xaaa", body: "hi" };
const obligations: [what: string, facts: object, lines: string][] = [
  [
    "of this turn and those that wait",
    { inbox: [message], waiting: 4000 },
    'Messages in this turn: 1\nMessages waiting: 4000\n- [m1] from 0xaaa: "hi"',
  ],
  [
    "of a turn that took the last",
    { inbox: [message], waiting: 0 },
    'Messages in this turn: 1\nMessages waiting: 0\n- [m1] from 0xaaa: "hi"',
  ],
  ["in a turn without any", { waiting: 12 }, "Messages waiting: 12"],
  ["of which there are none", { waiting: 0 }, "(none)"],
  ["that nobody counted", { inbox: [message] }, 'Messages in this turn: 1\n- [m1] from 0xaaa: "hi"'],
];
for (const [what, facts, lines] of obligations)
  test(`messages ${what}`, async () =>
    expect(under("Pending Obligations", (await promptOf(given(facts))).text)).toBe(lines));

test("a count that is none is named", () => {
  expect(() => given({ waiting: -1 })).toThrow("The fact “waiting” should be a whole number from 0 up, not number -1.");
});

test("in a turn, the state is the phase the model is in, and the calls left go down with each call", async () => {
  const store = await createStore(sqlite(":memory:"));
  const model = scripted([calls(["read_memory"], ["read_prompt"]), calls(["update_prompt_layer"]), "Done."]);
  const agent = createAgent({ charter: given({ state: { state: "Sleeping" } }), model, store });
  await agent.runTurn({ input: "Go.", user: "mia", limits: { toolCalls: 12 } });
  const texts = (request: (typeof model.requests)[number]) =>
    spoken(request).map((text) => text.replace(/^system: /, ""));
  const state = model.requests.map((request) => stateAmong(texts(request), "Layer 10: Dynamic Context"));
  expect(state.map((text) => under("Current State", text)?.split("\n").at(-1))).toEqual(
    Array(3).fill("- state: Inferring"),
  );
  const tools = (left: number, layers: number) =>
    `Calls left in this turn: ${left}\n- update_prompt_layer (${layers} left)\n- read_memory\n- save_memory\n- update_memory\n- forget_memory\n- read_prompt`;
  expect(state.map((text) => under("Available Tools", text))).toEqual([tools(12, 1), tools(10, 1), tools(9, 1)]);
  await store.close();
});

describe("in 8,000 characters", () => {
  const address = (index: number) => `0x${String(index).padStart(40, "0")}`;
  const five = [1, 2, 3, 4, 5];
  const facts = {
    inbox: five.map((n) => ({ id: `m${n}`, sender: address(n), body: `Order ${n}` })),
    waiting: 31,
    conversations: Object.fromEntries(
      five.map((n) => [
        address(n),
        five.map((e) => ({ sender_body: `Ask ${e} ${"q".repeat(60)}`, agent_reply: `Say ${e} ${"a".repeat(60)}` })),
      ]),
    ),
    memory: Array.from({ length: 20 }, (_, index) => ({ key: `fact-${index + 1}`, value: "v".repeat(80) })),
    turn: { callsLeft: 12 },
    tools: Array.from({ length: 15 }, (_, index) => ({ name: `tool_${index + 1}`, left: 3 })),
  };
  const because = "The prompt may have 8,000 characters.";
  const said = (who: string, n: number, end: (letter: string) => string) =>
    `  [${who}]: "Ask ${n} ${"q".repeat(54)}${end("q")}"\n  [you]: "Say ${n} ${"a".repeat(54)}${end("a")}"`;
  const short = (n: number) => said("them", n, () => "…");
  const talk = (who: number, first: number) => {
    const older = [1, 2, 3, 4].filter((n) => n >= first).map(short);
    return [...older, said(address(who), 5, (letter) => letter.repeat(6))].join("\n");
  };

  test("five counterparts, twenty facts and fifteen tools give way in the declared order, each cut counted", async () => {
    const prompt = await promptOf(given(facts));
    expect(countCharacters(prompt.text)).toBeLessThanOrEqual(8000);
    for (const { words } of fixedLayers({})) expect(prompt.text).toContain(words);
    expect(prompt.cuts).toEqual([
      { section: "now", form: "shorter", kept: 0, missing: 20, unit: "fact", because },
      { section: "now", form: "shortened", kept: 0, missing: 16, unit: "older-exchange", because },
      { section: "now", form: "shorter", kept: 16, missing: 4, unit: "older-exchange", because },
    ]);
    expect(under("Conversation History", prompt.text)).toBe(
      `#### Conversation with ${address(1)}
(older exchanges cut: 4)
(older exchanges shortened: 16)
${talk(1, 2)}
${[2, 3, 4, 5].map((n) => `#### Conversation with ${address(n)}\n${talk(n, n === 5 ? 1 : 2)}`).join("\n")}`,
    );
    expect(under("Recent Memory", prompt.text)).toBe("(older facts cut: 20)");
    expect(under("Available Tools", prompt.text)).toBe(
      `Calls left in this turn: 12\n${facts.tools.map(({ name }) => `- ${name} (3 left)`).join("\n")}`,
    );
  });

  test("a thousand messages: the previews cut and the messages cut are counted apart", async () => {
    const inbox = Array.from({ length: 1000 }, (_, index) => ({
      id: `m${index}`,
      sender: "shop/bo",
      body: "b".repeat(99),
    }));
    const prompt = await promptOf(given({ inbox, waiting: 5000 }));
    const lines = under("Pending Obligations", prompt.text)?.split("\n") ?? [];
    const shown = lines.filter((line) => /^- \[m\d+\] from shop\/bo$/.test(line)).length;
    expect(lines.filter((line) => !line.startsWith("- "))).toEqual([
      "Messages in this turn: 1000",
      "Messages waiting: 5000",
      `(obligation previews cut: ${shown})`,
      `(obligations cut: ${1000 - shown})`,
    ]);
    expect(prompt.cuts.map(({ form, kept, missing, unit }) => [form, kept, missing, unit])).toEqual([
      ["shortened", 0, shown, "obligation"],
      ["shorter", shown, 1000 - shown, "obligation"],
    ]);
    expect(shown).toBeGreaterThan(50);
  });
});

describe("the edition", () => {
  test("of the facts is that of the prompt, unless the command says otherwise", async () => {
    const compact = (await promptOf(given(), { edition: "compact", tokenizer })).text;
    const full = (await promptOf(given())).text;
    expect(show("sovereign", { now, edition: "compact" }).stdout).toBe(compact);
    expect(show("sovereign", { now, edition: "compact" }, "--edition", "full").stdout).toBe(full);
    expect(show("sovereign", { now, edition: "small" })).toMatchObject({
      code: 2,
      stderr: "bad-facts: The fact “edition” is “small”.\n  It can be full, compact.\n",
    });
  });

  test("of an agent's settings is that of its previews and its turns, whatever room the model has", async () => {
    const store = await createStore(sqlite(":memory:"));
    const clock = () => new Date(now);
    const editions = async (settings: Record<string, unknown>, window: number) => {
      const model = scripted(["Fine."], { window });
      const host = createHost({ store, clock, loadModel: async () => model });
      await store.agents.put({ name: "ada", charter: "sovereign", settings });
      await host.runTurn({ agent: "ada", input: "Hi.", user: "mia", session: "none" });
      const [{ receipt } = {}] = await store.steps.of((await store.turns.list({ agent: "ada" }))[0]?.id ?? "");
      return [(await host.preview({ agent: "ada" })).prompt.edition, receipt?.edition];
    };
    expect(await editions({}, 1500)).toEqual(["compact", "compact"]);
    expect(await editions({ edition: "full" }, 8000)).toEqual(["full", "full"]);
    expect(await editions({ edition: "compact" }, 200_000)).toEqual(["compact", "compact"]);
    expect(await editions({}, 200_000)).toEqual(["full", "full"]);
    await store.close();
  });
});
