import { expect, test } from "vitest";
import { assemble, gather, receiptOf } from "../../../src/index.ts";
import { sha256 } from "../../../src/store/texts/packing.ts";
import { tier } from "../../tiers/tier.ts";
import { answerMessage } from "../answer-message.ts";
import { charter, deskOf, rewrite } from "../desk.ts";
import { type Given, onEveryHome, problemOf } from "./given.ts";

/** A tenth of it in the first tier, where each megabyte takes a second. */
const million = "0123456789abcdef “é” 😀 ".repeat(45_000).slice(0, tier === "logic" ? 100_000 : 1_000_000);

/** Texts that went wrong somewhere, sometime. Each is kept as it is, wherever words are kept. */
const odd: readonly [what: string, text: string][] = [
  ["emoji", "👩🏽‍🚀🏳️‍🌈 😀"],
  ["quotes", `'single' "double" \`back\` ''''`],
  ["parameters", "$1 $2 ? ?1 :name @name {} %s %(a)s"],
  ["backslashes", "\\ \\\\ \\' \\n \\x00 E'\\'"],
  ["SQL", "'); drop table amendments; --"],
  ["JSON", '{"a": "\\u0000", "b": [null]}'],
  ["every kind of white space", "\t a\r\nb\n\u00a0\u2003\u3000 "],
  ["only white space", " "],
  ["controls", "\u0001\u0002\u001b[31mred\u007f"],
  ["marks that are not seen", "a\u200bb\ufeffc\u202ed\u2028e\u0085f"],
  ["combining marks in either form", "é e\u0301 \u1e9b\u0323"],
  ["the last character of all", "\u{10ffff}\ufffe\uffff"],
  ["right to left", "שלום مرحبا"],
  ["nothing", ""],
  ["very many characters", million],
];

/** Every door words come in by, and what comes back out of it. */
const doors: readonly [door: string, through: (given: Given, agent: string, text: string) => Promise<unknown>][] = [
  [
    "an amendment's words",
    async ({ store }, agent, text) => {
      await store.propose({ ...deskOf({ scope: { agent } }), rules: () => ({ guards: [] }) }, rewrite(text));
      const { goals } = await store.standings.read(charter, { agent });
      expect(goals).toEqual({ text, revision: 1 });
      return (await store.history.at({ agent }, "goals", 1))?.after;
    },
  ],
  [
    "an amendment's reason",
    async ({ store }, agent, text) => {
      await store.propose(deskOf({ scope: { agent } }), rewrite("x", { reason: text }));
      return (await store.history.list({ agent }, "goals"))[0]?.reason;
    },
  ],
  [
    "a message and its reply",
    async ({ store }, agent, text) => {
      // A message has a word or more and 4,096 bytes at most; a reply may be as long as it likes.
      const asked = text === "" || text === million ? "x" : text;
      const { id } = await store.inbox.post({ agent, sender: "bo", body: asked });
      await store.inbox.claim(agent, "t");
      const { body } = await answerMessage(store.inbox, { agent, message: id, reply: text, turn: "t" });
      expect((await store.inbox.list(agent, "answered"))[0]?.body).toBe(asked);
      const shown = [...text].slice(0, 500).join("");
      const [exchange] = (await store.conversations.read(agent, "bo"))?.exchanges ?? [];
      expect(exchange).toMatchObject({ sender_body: asked === text ? shown : asked, agent_reply: shown });
      return body;
    },
  ],
  [
    "a turn's input and reply",
    async ({ store }, agent, text) => {
      const { id } = await store.turns.open({ scope: { agent }, input: text, channel: text, session: text });
      const { input, channel, session, reply } = await store.turns.close(id, { reply: text });
      expect({ channel, session, reply }).toEqual({ channel: text, session: text, reply: text });
      return input;
    },
  ],
  [
    "a schedule",
    async ({ store }, agent, text) => {
      const nextAt = "2030-01-01T00:00:00Z";
      const { title, input } = await store.schedules.add({ scope: { agent }, title: text, input: text, nextAt });
      expect(title).toBe(text);
      return input;
    },
  ],
  [
    "an agent's charter and model",
    async ({ store }, agent, text) => {
      const { charter: kept, model } = await store.agents.put({ name: agent, charter: text, model: text });
      expect(model).toBe(text);
      return kept;
    },
  ],
  [
    "a token's name",
    async ({ store }, _agent, text) => {
      const { id } = await store.tokens.create({ name: text, kind: "operator" });
      return (await store.tokens.list()).find((token) => token.id === id)?.name;
    },
  ],
  [
    "a receiver",
    async ({ store }, agent, text) => {
      await store.sessions.open({ scope: { agent }, receiver: text });
      return (await store.sessions.latest({ agent }))?.receiver;
    },
  ],
];

/** Where values are kept as JSON, which has a way to write anything. */
const values: readonly [door: string, through: (given: Given, agent: string, value: unknown) => Promise<unknown>][] = [
  [
    "an agent's settings",
    async ({ store }, agent, value) =>
      (await store.agents.put({ name: agent, charter: "test", settings: { value } })).settings.value,
  ],
  [
    "an event's detail",
    async ({ store }, agent, value) => {
      await store.events.record({ scope: { agent }, kind: "odd", detail: { value } });
      return (await store.events.list({ agent, kind: "odd" }))[0]?.detail.value;
    },
  ],
  [
    "a session's baseline",
    async ({ store }, agent, value) =>
      (await store.sessions.open({ scope: { agent }, receiver: "r", baseline: { value } })).baseline,
  ],
];

onEveryHome("odd texts", (given) => {
  for (const [what, text] of odd)
    test(`${what} is kept as it is, by whichever door it came`, async () => {
      for (const [door, through] of doors) {
        const agent = await given.agent();
        const kept = await through(given, agent, text);
        expect([door, kept === text]).toEqual([door, true]);
      }
      for (const [, through] of values) {
        const kept = await through(given, await given.agent(), text);
        expect(kept === text || (kept as { value: unknown }).value === text).toBe(true);
      }
    });

  for (const [what, text, at] of [
    ["a NUL character", "ab\0c", 2],
    ["half a character (a lone surrogate)", "ab\ud83d c", 2],
    ["half a character (a lone surrogate)", "ab\udc00", 2],
  ] as const)
    test(`${JSON.stringify(text)} is refused by every door, and nothing of it is kept`, async () => {
      const hint = "Fix the text where it comes from; Charter never repairs words silently.";
      const expected = `malformed-text: A text to be kept or looked for holds ${what} at index ${at}: ${JSON.stringify(text)}. ${hint}`;
      for (const [door, through] of doors) {
        const agent = await given.agent();
        expect([door, await problemOf(through(given, agent, text))]).toEqual([door, expected]);
        expect([door, await given.store.history.list({ agent }, "goals")]).toEqual([door, []]);
      }
      for (const [, through] of values) {
        const kept = await through(given, await given.agent(), text);
        expect(kept === text || (kept as { value: unknown }).value === text).toBe(true);
      }
      const agent = await given.agent();
      const { memory, history, conversations, users, standings } = given.store;
      expect(await problemOf(memory.search({ agent }, text))).toBe(expected);
      expect(await problemOf(memory.save({ agent }, { text }))).toMatch(/^bad-note: /);
      expect(await problemOf(history.list({ agent }, text))).toBe(expected);
      expect(await problemOf(history.list({ agent: text }, "goals"))).toBe(expected);
      expect(await problemOf(conversations.read(agent, text))).toBe(expected);
      expect(await problemOf(users.find(text))).toBe(expected);
      expect(await problemOf(standings.read(charter, { agent, user: text }))).toBe(expected);
    });

  test("words a prompt was made of are kept to the byte, also where they are not a user's to see", async () => {
    const agent = await given.agent();
    for (const [, text] of odd) {
      const words = text.replace(/[\u0085\uFEFF]/g, "");
      const standing = { goals: { text: words, revision: 1 }, wishes: { text: words, revision: 1 } };
      const readings = await gather(charter, { now: given.clock.text(), tools: [], standing });
      const prompt = assemble(charter, readings);
      const { id } = await given.store.turns.open({ scope: { agent, user: "bo" }, input: "x" });
      await given.store.turns.recordStep(id, receiptOf(charter, prompt, { sha256 }));
      const { slots } = await given.store.steps.replay(id);
      expect(slots[0]?.text === prompt.text).toBe(true);
    }
  });

  test("a receipt's text that is half a character is not repaired silently", async () => {
    const agent = await given.agent();
    const readings = await gather(charter, { now: given.clock.text(), tools: [], standing: {} });
    const kept = receiptOf(charter, assemble(charter, readings), { sha256 });
    const half = { section: "goals", whose: "agent", digest: sha256("a\ud800"), text: "a\ud800" } as const;
    const { id } = await given.store.turns.open({ scope: { agent }, input: "x" });
    const step = given.store.turns.recordStep(id, { ...kept, texts: [half] });
    expect(await problemOf(step)).toMatch(/^malformed-text: /);
    expect(await given.store.steps.of(id)).toEqual([]);
  });

  test("ids that are longer than any name are refused, and those that are not are kept letter by letter", async () => {
    const agent = await given.agent();
    const longest = "語".repeat(200);
    const { propose, turns, inbox, memory } = given.store;
    const wish = rewrite("x", { section: "wishes", actor: "user", turn: longest });
    const scope = { agent, user: longest };
    expect((await propose(deskOf({ scope, idempotencyKey: longest }), wish)).verdict).toBe("accepted");
    expect((await propose(deskOf({ scope, idempotencyKey: longest }), wish)).repeated).toBe(true);
    expect((await turns.open({ scope, input: "x", id: `${agent}${longest}`.slice(0, 200) })).scope).toEqual(scope);
    expect((await inbox.post({ agent, sender: longest.slice(12), body: "x", id: longest })).id).toBe(longest);
    expect((await memory.save(scope, { text: "x", key: longest })).key).toBe(longest);
    const tooLong = `${longest}語`;
    const bad = /^bad-name: /;
    expect(await problemOf(propose(deskOf({ scope: { agent, user: tooLong } }), wish))).toMatch(bad);
    expect(await problemOf(propose(deskOf({ scope, idempotencyKey: tooLong }), wish))).toMatch(bad);
    expect(await problemOf(propose(deskOf({ scope }), { ...wish, turn: tooLong }))).toMatch(bad);
    expect(await problemOf(turns.open({ scope, input: "x", id: tooLong }))).toMatch(bad);
    expect(await problemOf(inbox.post({ agent, sender: "bo", body: "x", id: tooLong }))).toMatch(bad);
    expect(await problemOf(memory.save(scope, { text: "x", key: tooLong }))).toMatch(bad);
  });

  test("names that differ in case, form or a backslash are different users", async () => {
    const agent = await given.agent();
    const users = [
      "bo",
      "Bo",
      "BO",
      "é",
      "e\u0301",
      "a\\",
      "a\\\\",
      "a'",
      "a''",
      "a\\'b",
      "%",
      "_",
      "$1",
      "'||'",
      "--",
    ];
    for (const user of users) {
      await given.store.memory.save({ agent, user }, { text: user, key: "k" });
      const wish = rewrite(user, { section: "wishes", actor: "user" });
      await given.store.propose(deskOf({ scope: { agent, user } }), wish);
    }
    for (const user of users) {
      expect((await given.store.memory.list({ agent, user })).map(({ text: words }) => words)).toEqual([user]);
      expect((await given.store.standings.read(charter, { agent, user })).wishes).toEqual({ text: user, revision: 1 });
    }
  });
});
