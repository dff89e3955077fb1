import { existsSync, readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Problem } from "../../../src/index.ts";
import { raw } from "../../../src/store/home/sql.ts";
import type { Store } from "../../../src/store/index.ts";
import { storeTables } from "../../../src/store/schema.ts";
import { verifyStore } from "../../../src/store/verify/verify.ts";
import { copyOf, homes, newPlace, type Place, queryAsOwner } from "../../homes.ts";
import { answerMessage } from "../answer-message.ts";
import { everyRow } from "../declared-rows.ts";
import { charter, deskOf, newStore, openAt, rewrite } from "../desk.ts";
import { live, longWords, promptFor, take } from "../lived.ts";

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "fine",
    (error) => (error instanceof Problem ? error.code : error),
  );

describe.each(homes)("one user's data on %s", (name) => {
  let store: Store;
  let place: Place;
  let filled: Place;
  let turns: string[];
  beforeAll(async () => {
    filled = await newPlace(name);
    const first = await newStore(filled.open());
    turns = await live(first);
    await first.close();
  });
  afterAll(() => filled?.remove());
  beforeEach(async () => {
    place = await copyOf(filled);
    store = await openAt(12, place.open());
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
  });

  const rows = (table: string, where: string) =>
    store.home.read("everything", (db) =>
      db.all<Record<string, unknown>>(raw(`select * from ${table} where ${where}`)),
    );
  /** Every word of the database, unpacked. */
  const everything = async () => (await everyRow(store.home)).map(({ words }) => words).join("\n");

  test("is gone, and what is left proves that it was there", async () => {
    await store.erase({ user: "bo" });
    expect(await rows("texts", "owner = 'bo'")).toEqual([]);
    const deleted = storeTables.filter(({ of, erase }) => of === "user" && erase?.blank === undefined);
    for (const { name: table } of deleted)
      expect([table, (await rows(table, "user_id = 'bo'")).length]).toEqual([table, 0]);
    expect((await rows("standings", "user_id = 'bo'")).map(({ words }) => words)).toEqual(["", ""]);
    expect(await store.users.find("bo")).toBeUndefined();
    expect(await everything()).not.toMatch(/blackbird[^"]* bo|bo (?:ada|eve)/);

    const history = await store.history.listWhole({ agent: "ada", user: "bo" }, "wishes");
    expect(history.length).toBe(4);
    for (const one of history)
      expect(one).toMatchObject({ before: null, after: null, reason: null, erasedAt: expect.stringMatching(/^2026/) });
    expect(await store.turns.get(turns[0] as string)).toMatchObject({ input: "", reply: null, state: "erased" });
    expect(await codeOf(store.steps.replay(turns[0] as string))).toBe("erased");
    expect(
      (await store.events.list({ agent: "ada", user: "bo" })).every(({ detail }) => Object.keys(detail).length === 0),
    ).toBe(true);
    expect(await store.events.list({ kind: "user-erased" })).toMatchObject([
      { scope: { agent: "eve" }, detail: { user: "bo" } },
      { scope: { agent: "ada" }, detail: { user: "bo" } },
    ]);
    expect(await verifyStore(store.home)).toMatchObject({ faults: [], erased: 16, orphans: 0 });
  });

  test("of another user is as it was", async () => {
    const before = await promptFor(store, "ada", "cy");
    const exported = await store.export({ user: "cy" });
    await store.erase({ user: "bo" });
    expect((await promptFor(store, "ada", "cy")).text).toBe(before.text);
    expect({ ...(await store.export({ user: "cy" })), exportedAt: "" }).toEqual({ ...exported, exportedAt: "" });
    expect((await store.steps.replay(turns[1] as string)).slots[0]?.text).toContain("blackbird cy ada");
  });

  test("begins anew from the original, on the same chain", async () => {
    await store.erase({ user: "bo" });
    const scope = { agent: "ada", user: "bo" };
    expect(await store.standings.read(charter, scope)).toEqual({
      goals: { text: longWords("goals of ada", 3), revision: 4 },
      wishes: { text: "", revision: 0 },
    });
    const [last] = await store.history.list(scope, "wishes", { limit: 1 });
    const outcome = await store.propose(
      deskOf({ scope }),
      rewrite("Be kind.", { section: "wishes", actor: "user", revision: 0 }),
    );
    expect(outcome).toMatchObject({
      verdict: "accepted",
      before: "",
      after: "Be kind.",
      revision: 5,
      amendment: { previous: last?.digest },
    });
    expect((await promptFor(store, "ada", "bo")).text).toContain("Be kind.");
    await take(store, "ada", "bo", "hello again");
    expect(await verifyStore(store.home)).toMatchObject({ faults: [], erased: 16 });
  });

  test("with one agent goes, and what another agent knows stays", async () => {
    // The same words with both agents are one text; what eve's are packed against may be ada's alone.
    for (const agent of ["ada", "eve"])
      for (const words of agent === "ada" ? [longWords("shared", 1), longWords("shared", 2)] : [longWords("shared", 2)])
        await store.propose(deskOf({ scope: { agent, user: "bo" } }), rewrite(words, { section: "wishes" }));
    const before = await store.export({ user: "bo", agent: "eve" });
    const erased = await store.erase({ user: "bo", agent: "ada" });
    expect(erased).toMatchObject({
      agents: ["ada"],
      rows: { amendments: 6, steps: 4, turns: 4, memories: 2, held: 1 },
    });
    expect(erased.rows).not.toHaveProperty("users");
    expect(await everything()).not.toMatch(/bo ada|The shared of day 1/);
    expect({ ...(await store.export({ user: "bo", agent: "eve" })), exportedAt: "" }).toEqual({
      ...before,
      exportedAt: "",
    });
    expect(await store.users.find("bo")).toMatchObject({ zone: "Europe/Berlin" });
    expect(await verifyStore(store.home)).toMatchObject({ faults: [], orphans: 0 });
    await store.erase({ user: "bo", agent: "eve" });
    expect(await store.users.find("bo")).toBeUndefined();
    expect(await rows("texts", "owner = 'bo'")).toEqual([]);
  });

  test("goes from the turns in which an agent worked on their letter, too", async () => {
    await store.agents.put({ name: "sol", charter: "test" });
    await store.inbox.post({ agent: "sol", sender: " Nightjar ", body: "nightjar's secret", id: "n1" });
    const turn = await store.turns.open({ scope: { agent: "sol" }, input: "one letter: nightjar's secret" });
    const quiet = await take(store, "sol", undefined, "a quiet turn");
    const text = `## Inbox\n\n> nightjar's secret\n${longWords("letters", 1)}`;
    const prompt = await promptFor(store, "sol");
    const { sha256 } = await import("../../../src/store/texts/packing.ts");
    const { receiptOf } = await import("../../../src/index.ts");
    const { receipt, texts } = receiptOf(charter, prompt, { sha256 });
    const section = { ...receipt.slots[0]?.sections[0], name: "inbox", whose: "user" as const, digest: sha256(text) };
    const slots = [...receipt.slots, { slot: "end", digest: sha256(text), sections: [section], breakpoints: [] }];
    const kept = [...texts, { section: "inbox", whose: "user" as const, digest: sha256(text), text }];
    await store.turns.recordStep(turn.id, { receipt: { ...receipt, slots } as never, texts: kept });
    await store.inbox.claim("sol", turn.id);
    await answerMessage(store.inbox, { agent: "sol", message: "n1", reply: "I keep nightjar's secret", turn: turn.id });
    await store.turns.close(turn.id, { reply: "I keep nightjar's secret" });
    expect(await everything()).toContain("nightjar's secret");
    expect(await store.erase({ user: "counterpart:nightjar" })).toMatchObject({
      agents: ["sol"],
      rows: { turns: 1, steps: 1, inbox: 1 },
    });
    expect(await everything()).not.toContain("nightjar's secret");
    expect((await store.steps.replay(quiet)).slots[0]?.text).toContain("Grow.");
    expect(await verifyStore(store.home)).toMatchObject({ faults: [], orphans: 0 });
  });

  test("is told before it goes, and nothing is changed by asking", async () => {
    const before = await everything();
    expect(await store.erasable({ user: "bo", agent: "ada" })).toEqual({
      agents: ["ada"],
      rows: {
        amendments: 4,
        turns: 4,
        steps: 4,
        events: 18,
        standings: 1,
        held: 1,
        held_calls: 2,
        spending: 1,
        memories: 2,
        sessions: 1,
        schedules: 2,
        runs: 1,
        links: 1,
        identities: 1,
        tokens: 1,
        link_codes: 1,
        updates: 3,
        dispatches: 2,
        attachments: 4,
      },
      shared: [],
    });
    expect(await everything()).toBe(before);
    expect(await store.erasable({ user: "nobody" })).toEqual({ agents: [], rows: {}, shared: [] });
    expect(await codeOf(store.erasable({ user: "bo", agent: "mia" }))).toBe("unknown-agent");
    expect(await codeOf(store.erase({ user: "" }))).toBe("bad-name");
  });

  test("can be taken along whole", async () => {
    const { agents, ...about } = await store.export({ user: "bo" });
    expect(about).toMatchObject({ user: "bo", zone: "Europe/Berlin" });
    expect(about.tokens).toMatchObject(["ada", "eve"].map((agent) => ({ agent, kind: "invitation" })));
    expect(agents[0]?.identities).toEqual([
      { issuer: "https://id.example.com", subject: expect.any(String), at: expect.any(String) },
    ]);
    const [ada] = agents;
    expect(agents.map(({ agent }) => agent)).toEqual(["ada", "eve"]);
    expect(ada?.standing).toMatchObject([
      {
        section: "wishes",
        revision: 4,
        words: longWords("blackbird bo ada", 3),
        history: [{ revision: 1, before: "", reason: "blackbird why", actor: "user" }, {}, {}, {}],
      },
    ]);
    expect(ada?.memories).toMatchObject([{ text: "blackbird note of bo", key: "tea", tainted: false }, { key: null }]);
    expect([ada?.conversation, ada?.messages, ada?.replies]).toEqual([[], [], []]);
    expect(ada?.held).toMatchObject([{ proposal: { section: "wishes" }, after: "blackbird held" }]);
    expect(ada?.sessions).toMatchObject([{ baseline: { words: "blackbird baseline" } }]);
    expect(ada?.schedules).toMatchObject([{ title: "blackbird title" }, { title: "blackbird past" }]);
    expect(ada?.runs).toMatchObject([{ state: "missed", reason: "blackbird slept" }]);
    expect(ada?.links).toMatchObject([{ channel: "telegram", address: "blackbird chat of bo" }]);
    expect(ada?.linkCodes).toEqual([
      { channel: "telegram", at: expect.any(String), expiresAt: expect.any(String), usedAt: null },
    ]);
    expect(ada?.updates.map(({ id, body, failure }) => [id, body, failure]).sort()).toEqual([
      ["dead-bo", "blackbird dead of bo ada", "blackbird failure"],
      ["done-bo", "", null],
      ["waits-bo", "blackbird waits of bo ada", null],
    ]);
    expect(ada?.dispatches).toMatchObject([
      { body: "blackbird sent", state: "sent", extra: { buttons: ["blackbird yes"] } },
      { body: "blackbird later", state: "waiting", failure: "blackbird down" },
    ]);
    expect(ada?.spending).toEqual([
      { day: "2026-02-18", receiver: "m1", micros: 1200, input: 12, read: 5, written: 0, output: 3 },
    ]);
    expect(ada?.calls).toMatchObject([
      { tool: "send_mail", input: { to: "blackbird address" }, status: "done", result: "blackbird was sent" },
      { tool: "acp:execute", input: { title: "blackbird make", input: { command: "blackbird all" } } },
    ]);
    expect(ada?.turns.length).toBe(4);
    expect(ada?.turns[0]).toMatchObject({
      input: "blackbird input bo 0",
      reply: "You said: blackbird input bo 0",
      steps: [
        {
          sent: [{ slot: "system", text: expect.stringContaining("blackbird bo ada") }],
          identity: { slot: "first-message", sent: true },
          result: {
            usage: { input: 12 },
            ownTools: [
              {
                ...{ id: "t1", title: "Read blackbird input bo 0", kind: "read", status: "done" },
                paths: ["/home/bo/blackbird input bo 0"],
              },
            ],
          },
        },
      ],
    });
    expect(JSON.stringify(agents)).not.toContain(" cy");
    await store.erase({ user: "bo" });
    const after = await store.export({ user: "bo" });
    // A counterpart of the same name is someone else, and so are what they wrote and were told.
    const [other] = (await store.export({ user: "counterpart:bo" })).agents;
    expect(other?.conversation).toMatchObject([{ senderBody: "blackbird letter", agentReply: "blackbird answer" }]);
    expect(other?.messages).toMatchObject([{ sender: "bo", body: "blackbird letter", failures: [] }]);
    expect(other?.replies).toMatchObject([{ body: "blackbird answer" }]);
    expect(JSON.stringify(after)).not.toContain("blackbird");
    expect(after.agents[0]?.turns[0]).toMatchObject({ state: "erased", steps: [{ sent: null }] });
  });

  test("receipts and events are let go by their age, and the chains hold", async () => {
    const all = await store.steps.of(turns[15] as string);
    const last = Date.parse(all[0]?.at as string);
    const days = 2;
    const clock = new Date(last + days * 86_400_000).toISOString();
    const { retain } = await import("../../../src/store/lifecycle/retain.ts");
    const { createTexts } = await import("../../../src/store/texts/text.ts");
    const parts = { home: store.home, texts: createTexts(), now: () => clock };
    const before = await everything();
    const tried = await retain(parts, { receipts: days, events: days }, { dryRun: true });
    expect(await everything()).toBe(before);
    const went = await retain(parts, { receipts: days, events: days });
    expect(went).toEqual(tried);
    expect(went).toMatchObject({ receipts: 15, events: expect.any(Number) });
    expect(went.bytes).toBeGreaterThan(0);
    expect(await codeOf(store.steps.replay(turns[0] as string))).toBe("erased");
    expect((await store.steps.replay(turns[15] as string)).slots[0]?.text).toContain("blackbird cy eve");
    const [gone, kept] = [turns[0], turns[15]].map((turn) => store.steps.of(turn as string));
    expect(await gone).toMatchObject([{ result: null }]);
    expect(await kept).toMatchObject([
      { receipt: { identity: { slot: "first-message" } }, result: { ownTools: [{ kind: "read", status: "done" }] } },
    ]);
    expect((await store.history.listWhole({ agent: "ada", user: "bo" }, "wishes")).map(({ after }) => after)).toEqual(
      [3, 2, 1, 0].map((index) => longWords("blackbird bo ada", index)),
    );
    const old = (await store.events.list({ limit: 1000 })).filter(({ at }) => Date.parse(at) < last);
    expect(new Set(old.map(({ kind }) => kind))).toEqual(new Set(["message-taken"]));
    expect(await verifyStore(store.home)).toMatchObject({ faults: [], erased: 15, orphans: 0 });
    expect(await retain(parts, { receipts: days })).toEqual({
      receipts: 0,
      events: 0,
      deliveries: 0,
      attachments: 0,
      texts: 0,
      bytes: 0,
    });
    await take(store, "eve", "cy", "and on it goes");
    expect(await verifyStore(store.home)).toMatchObject({ faults: [] });
  });

  test("what came, went and ran is let go by its age, and what is open stays", async () => {
    const { retain } = await import("../../../src/store/lifecycle/retain.ts");
    const { createTexts } = await import("../../../src/store/texts/text.ts");
    const counted = async () =>
      Object.fromEntries(
        await Promise.all(
          ["updates", "dispatches", "runs", "link_codes", "links"].map(
            async (table) => [table, (await rows(table, "1 = 1")).length] as const,
          ),
        ),
      );
    const after = (now: string, deliveries: number, dryRun = false) =>
      retain({ home: store.home, texts: createTexts(), now: () => now }, { deliveries }, { dryRun });
    const all = { updates: 12, dispatches: 8, runs: 4, link_codes: 4, links: 4 };
    expect(await counted()).toEqual(all);
    expect(await after("2026-02-19T00:00:00.000Z", 2)).toMatchObject({ deliveries: 0 });
    expect(await after("2026-02-19T00:00:00.000Z", 0, true)).toMatchObject({ deliveries: 12, receipts: 0, events: 0 });
    expect(await counted()).toEqual(all);
    // What came is known for two days at least: a channel may tell of it again.
    expect(await after("2026-02-19T00:00:00.000Z", 0)).toMatchObject({ deliveries: 12 });
    expect(await counted()).toEqual({ updates: 12, dispatches: 4, runs: 0, link_codes: 0, links: 4 });
    expect(await after("2026-03-19T00:00:00.000Z", 0)).toMatchObject({ deliveries: 16, bytes: expect.any(Number) });
    expect(await counted()).toEqual({ updates: 4, dispatches: 4, runs: 0, link_codes: 0, links: 4 });
    expect(await rows("updates", "state in ('done', 'dead')")).toEqual([]);
    expect(await rows("dispatches", "state in ('sent', 'dead')")).toEqual([]);
  });

  if (name === "postgres")
    test("is neither in what the server learned for its plans nor in its index of words", async () => {
      await store.home.vacuum();
      const learned = async (words: string) =>
        (await rows("pg_stats", `schemaname = 'charter' and pg_stats::text like '%${words}%'`)).map(
          ({ tablename, attname }) => `${tablename}.${attname}`,
        );
      expect(await learned("wishes,goals")).toContain("amendments.section");
      expect(await learned("blackbird")).toEqual([]);
      await store.memory.save({ agent: "ada", user: "bo" }, { text: "zanzibar77" });
      const indexed = async () => {
        await queryAsOwner(place.url, "checkpoint");
        const file = "pg_read_binary_file(pg_relation_filepath('charter.memories_search'))";
        return queryAsOwner(place.url, `select position('zanzibar77'::bytea in ${file}) > 0 as there`);
      };
      expect(await indexed()).toEqual([{ there: true }]);
      await store.erase({ user: "bo" });
      expect(await indexed()).toEqual([{ there: false }]);
    });

  if (name === "sqlite")
    test("cannot be found in the bytes of the file or its log", async () => {
      const words = "Zanzibar77 quetzal";
      const scope = { agent: "ada", user: "bo" };
      const note = await store.memory.save(scope, { text: `${words} forgotten` });
      await store.memory.forget(scope, note.id);
      for (let index = 0; index < 30; index++) {
        await store.memory.save(scope, { text: `${words} ${index}` });
        await store.propose(deskOf({ scope }), rewrite(`${words} wish ${index}`, { section: "wishes" }));
      }
      await take(store, "ada", "bo", words);
      const found = () =>
        [place.url, `${place.url}-wal`]
          .filter(existsSync)
          .some((file) => readFileSync(file).toString("latin1").toLowerCase().includes("zanzibar77"));
      expect(found()).toBe(true);
      expect(await store.erase({ user: "bo" })).toMatchObject({ scrubbed: true });
      expect(found()).toBe(false);
    });
});
