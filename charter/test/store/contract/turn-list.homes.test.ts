import { expect, test } from "vitest";
import { receiptOf, type Scope } from "../../../src/index.ts";
import { sql } from "../../../src/store/home/sql.ts";
import type { ListTurnsOptions, TurnEvent } from "../../../src/store/index.ts";
import { rebuildSearch, rebuildStore } from "../../../src/store/lifecycle/restore.ts";
import { sha256 } from "../../../src/store/texts/packing.ts";
import { charter } from "../desk.ts";
import { promptFor } from "../lived.ts";
import { type Given, onEveryHome, problemOf } from "./given.ts";

type Told = {
  readonly input?: string;
  readonly reply?: string;
  readonly state?: "answered" | "failed" | "interrupted";
  readonly session?: string;
  readonly channel?: string;
  readonly ms?: number;
  readonly micros?: number;
  /** One for each step: its model, and what it read from and wrote to the cache. */
  readonly steps?: readonly {
    readonly model?: string;
    readonly read?: number;
    readonly written?: number;
    readonly tool?: true;
  }[];
};

/** A turn as it was told; the clock moves a second before it. */
async function take({ store, clock }: Given, scope: Scope, told: Told): Promise<string> {
  clock.move(1000);
  const { input = "?", reply, state = "answered", session, channel, ms = 0, micros, steps = [] } = told;
  const { turns } = store;
  const where = { ...(session === undefined ? {} : { session }), ...(channel === undefined ? {} : { channel }) };
  const { id } = await turns.open({ scope, input, ...where });
  for (const [index, { model = "m1", read = 0, written = 0, tool }] of steps.entries()) {
    const prompt = await promptFor(store, scope.agent, scope.user);
    await turns.recordStep(id, { ...receiptOf(charter, prompt, { sha256, receiver: model }), scope });
    const usage = { input: 100, read, written, output: 10 };
    const answer = { text: "", calls: tool ? [{ id: "c", name: "look", input: "{}" }] : [] };
    // Twice, as it happens: before a tool runs, and after.
    for (let times = 0; times < 2; times++) await turns.recordResult(id, index + 1, { usage, answer }, { scope });
  }
  clock.move(ms);
  const usage = { input: 0, read: 0, written: 0, output: 0 };
  const spent = micros === undefined ? {} : { spent: { day: "2026-02-18", receiver: "m1", micros, usage } };
  const because = state === "failed" ? { because: { code: "model-failed", message: "It said no." } } : {};
  await turns.close(id, { reply: reply ?? null, state, scope, ...because, ...spent });
  return id;
}

onEveryHome("lists of turns", (given) => {
  const found = async (about: ListTurnsOptions) => {
    const { sort: _, limit: __, offset: ___, ...filter } = about;
    const listed = async () => (await given.store.turns.list(about)).map(({ id }) => id);
    const ids = await listed();
    expect(await given.store.turns.count(filter)).toBe(ids.length);
    const { agent, words } = about;
    if (agent === undefined || words === undefined) return ids;
    // What the texts of turns that just ended say, the index says too.
    await given.store.home.write("everything", (db) => rebuildSearch(db, agent));
    expect(await listed()).toEqual(ids);
    return ids;
  };

  test("are found by words while they run, by their reply once they ended, and when their process died", async () => {
    const agent = await given.agent();
    const { turns } = given.store;
    const open = async (runner: string) =>
      (await turns.open({ scope: { agent, user: "bo" }, input: "Plant the magnolia", runner })).id;
    const [killed, answered] = [await open("gone:1"), await open("here:1")];
    const words = async () => [
      await found({ agent, words: "magnol" }),
      await found({ agent, words: "april magnolia" }),
    ];
    expect(await words()).toEqual([[answered, killed], []]);
    await turns.interruptAbandoned({ agent, isGone: (runner) => runner === "gone:1" });
    await turns.close(answered, { reply: "In April." });
    expect(await words()).toEqual([[answered, killed], [answered]]);
    expect(await found({ agent, user: "cy", words: "magnolia" })).toEqual([]);
  });

  test("are found as soon as they ended; the index gets the words of 64 at a time, and none of who was erased", async () => {
    const agent = await given.agent();
    const { store } = given;
    const scopes = [
      { agent, user: "bo" },
      { agent, user: "cy" },
    ] as const;
    const find = async (words: string) => (await store.turns.list({ agent, words, limit: 100 })).length;
    const indexed = async () => {
      const rows = await store.home.read("everything", (db) =>
        db.all<{ user_id: string }>(sql`select user_id from turn_words where agent = ${agent} order by number`),
      );
      return Object.fromEntries(
        scopes.map(({ user }) => [user, rows.filter(({ user_id }) => user_id === user).length]),
      );
    };
    const takeSome = async (count: number) => {
      for (let turn = 0; turn < count; turn++)
        await take(given, scopes[turn % 2] as Scope, { input: "Plant the magnolia", reply: `In row ${turn}.` });
    };
    await takeSome(40);
    expect(await find("magnolia row")).toBe(40);
    await store.erase({ agent, user: "bo" });
    expect([await find("magnolia row"), (await indexed()).bo]).toEqual([20, 0]);
    await takeSome(64);
    await expect.poll(async () => (await indexed()).cy).toBeGreaterThanOrEqual(20);
    expect(await find("magnolia row")).toBe(84);
    await store.erase({ agent, user: "bo" });
    expect([await find("magnolia row"), (await indexed()).bo]).toEqual([52, 0]);
  });

  test("are found by the beginnings of words of input and reply, all of them, in any script", async () => {
    const agent = await given.agent();
    const [bo, cy] = [
      { agent, user: "bo" },
      { agent, user: "cy" },
    ];
    const refund = await take(given, bo, { input: "Where is my REFUND?", reply: "It was sent to Zürich." });
    const order = await take(given, cy, { input: "refunds, please", reply: "Which order?" });
    const east = await take(given, bo, { input: "東京の天気は", reply: "晴れ" });
    const running = (await given.store.turns.open({ scope: bo, input: "Anything about refunding" })).id;
    expect(await found({ agent, words: "refund" })).toEqual([running, order, refund]);
    expect(await found({ agent, words: "zurich refund" })).toEqual([refund]);
    expect(await found({ agent, words: "REFUND, order!" })).toEqual([order]);
    expect(await found({ agent, words: "fund" })).toEqual([]);
    expect(await found({ agent, words: "天気" })).toEqual([east]);
    expect(await found({ agent, user: "cy", words: "refund" })).toEqual([order]);
    expect(await found({ agent, user: "cy", words: "zurich" })).toEqual([]);
    expect(await found({ agent: await given.agent(), words: "refund" })).toEqual([]);
    expect(await found({ words: "refund zurich" })).toEqual([refund]);
    for (const odd of [`"`, "'; drop", "a* OR b", "NEAR(a b)", "-x", ":*", "x'y:*&!z"]) {
      const outcome = await given.store.turns.count({ agent, words: odd }).catch(({ code }) => code);
      expect([odd, outcome]).toEqual([odd, /[a-z]/i.test(odd) ? 0 : "usage"]);
    }
    expect(await problemOf(given.store.turns.list({ agent, words: "?!" }))).toBe(
      "usage: There is no word in “?!” to look for. Give one or more words, or beginnings of words.",
    );
  });

  test("are found by state, channel, model, times and cost, and come in the order asked for", async () => {
    const agent = await given.agent();
    const bo = { agent, user: "bo" };
    const cheap = await take(given, bo, { channel: "web", ms: 300, micros: 10_000, steps: [{ model: "m1" }] });
    const from = given.clock.text();
    const dear = await take(given, bo, { channel: "telegram", ms: 100, micros: 250_000, steps: [{}, { model: "m2" }] });
    const to = given.clock.text();
    const free = await take(given, { agent }, { state: "failed", ms: 200 });
    expect(await found({ agent, state: "failed" })).toEqual([free]);
    expect(await found({ agent, channel: "telegram" })).toEqual([dear]);
    expect(await found({ agent, model: "m1" })).toEqual([cheap]);
    expect(await found({ agent, model: "m2" })).toEqual([dear]);
    expect(await found({ agent, from, to })).toEqual([dear]);
    expect(await found({ agent, minCost: 0.01 })).toEqual([dear, cheap]);
    expect(await found({ agent, maxCost: 0.2 })).toEqual([cheap]);
    expect(await found({ agent, minCost: 0.02, maxCost: 0.25, channel: "telegram", user: "bo" })).toEqual([dear]);
    expect(await found({ agent })).toEqual([free, dear, cheap]);
    expect(await found({ agent, sort: "oldest" })).toEqual([cheap, dear, free]);
    expect(await found({ agent, sort: "cost" })).toEqual([dear, cheap, free]);
    expect(await found({ agent, sort: "duration" })).toEqual([cheap, free, dear]);
    expect(await problemOf(given.store.turns.list({ agent, from: "yesterday" }))).toBe(
      "usage: “yesterday” of from is no time. Write it as in 2026-02-18T15:04:00Z.",
    );
    expect(await problemOf(given.store.turns.count({ agent, minCost: -1 }))).toBe(
      "usage: -1 of minCost is no number of dollars. Give a number from 0 up, as in 0.05.",
    );
  });

  test("tell what each used, and are found by what happened in it", async () => {
    const agent = await given.agent();
    const bo = { agent, user: "bo" };
    const { id: session } = await given.store.sessions.open({ scope: bo, receiver: "m1" });
    const first = await take(given, bo, { session, steps: [{ written: 80 }, { read: 80, written: 10, tool: true }] });
    const missed = await take(given, bo, { session, steps: [{ read: 20, written: 70 }], state: "failed" });
    const hit = await take(given, bo, { session, steps: [{ read: 85 }] });
    const nothing = await take(given, { agent }, {});
    const record = (kind: string, turn: string, scope: Scope = bo) =>
      given.store.events.record({ scope, kind, turn, detail: {} });
    // A common text that a user's turn changed is the agent's, and so is what says so.
    await record("amended", hit, { agent });
    await record("amended", hit);
    await record("amendment-refused", hit);
    await record("amendment-held", first);
    await record("tool-held", missed);
    await record("turn-late", nothing);
    const happened = async (event: TurnEvent) => found({ agent, event });
    expect(await happened("amended")).toEqual([hit]);
    expect(await happened("refused")).toEqual([hit]);
    expect(await happened("held")).toEqual([missed, first]);
    expect(await happened("cache-miss")).toEqual([missed]);
    expect(await happened("tool")).toEqual([first]);
    expect(await happened("failed")).toEqual([missed]);
    expect(await found({ agent, session, event: "held", state: "answered" })).toEqual([first]);
    const none = { input: null, read: null, written: null, output: null };
    expect([...(await given.store.turns.factsOf([first, missed, hit, nothing]))].sort()).toEqual(
      [
        [
          first,
          {
            model: "m1",
            cost: null,
            usage: { input: 200, read: 80, written: 90, output: 20 },
            because: null,
            events: ["held", "tool"],
          },
        ],
        [
          missed,
          {
            model: "m1",
            cost: null,
            usage: { input: 100, read: 20, written: 70, output: 10 },
            because: { code: "model-failed", message: "It said no." },
            events: ["held", "cache-miss", "failed"],
          },
        ],
        [
          hit,
          {
            model: "m1",
            cost: null,
            usage: { input: 100, read: 85, written: 0, output: 10 },
            because: null,
            events: ["amended", "refused"],
          },
        ],
        [nothing, { model: null, cost: null, usage: none, because: null, events: [] }],
      ].sort(),
    );
    const [row] = await given.store.sessions.list({ agent });
    expect(row).toMatchObject({
      id: session,
      turns: 3,
      failed: 1,
      cost: null,
      models: ["m1"],
      usage: { input: 400, read: 185, written: 160, output: 40 },
    });
    expect(await given.store.turns.sums([agent], "2026-02-18T00:00:00.000Z")).toEqual(
      new Map([[agent, { turns: 4, users: 1, cost: null, failed: 1 }]]),
    );
    expect(await given.store.turns.sums([agent], given.clock.text())).toEqual(
      new Map([[agent, { turns: 1, users: 0, cost: null, failed: 0 }]]),
    );
  });

  test("sessions are found by what a turn in them is, and by what all of them cost", async () => {
    const agent = await given.agent();
    const bo = { agent, user: "bo" };
    const open = async () => (await given.store.sessions.open({ scope: bo, receiver: "m1", channel: "web" })).id;
    const [one, other] = [await open(), await open()];
    await take(given, bo, { session: one, input: "a parcel", micros: 300_000, steps: [{}] });
    await take(given, bo, {
      session: one,
      reply: "It is late.",
      micros: 300_000,
      state: "failed",
      steps: [{ model: "m2" }],
    });
    await take(given, bo, { session: other, input: "a late parcel", micros: 400_000 });
    const sessions = async (about: object) => {
      const ids = (await given.store.sessions.list({ agent, ...about })).map(({ id }) => id);
      expect(await given.store.sessions.count({ agent, ...about })).toBe(ids.length);
      return ids.map((id) => (id === one ? "one" : "other")).sort();
    };
    expect(await sessions({})).toEqual(["one", "other"]);
    expect(await given.store.sessions.countSingle({ agent })).toBe(0);
    const { id: single } = await given.store.sessions.open({
      scope: bo,
      receiver: "m1",
      channel: "scheduled",
      ended: true,
    });
    await take(given, bo, { session: single, input: "a digest" });
    expect(await sessions({})).toEqual(["one", "other"]);
    const singles = (about: object) => given.store.sessions.countSingle({ agent, ...about });
    expect([await singles({}), await singles({ words: "digest" }), await singles({ channel: "web" })]).toEqual([
      1, 1, 0,
    ]);
    expect(await singles({ open: true })).toBe(0);
    expect(await sessions({ words: "late" })).toEqual(["one", "other"]);
    expect(await sessions({ words: "parcel late" })).toEqual(["other"]);
    expect(await sessions({ state: "failed" })).toEqual(["one"]);
    expect(await sessions({ model: "m2" })).toEqual(["one"]);
    expect(await sessions({ minCost: 0.5 })).toEqual(["one"]);
    expect(await sessions({ maxCost: 0.5, channel: "web" })).toEqual(["other"]);
    expect(await sessions({ user: "cy" })).toEqual([]);
    const dearest = await given.store.sessions.list({ agent, sort: "cost" });
    expect(dearest.map(({ cost, models }) => [cost, models])).toEqual([
      [0.6, ["m1", "m2"]],
      [0.4, []],
    ]);
  });

  test("find no word of who was erased, and what was worked out anew is what stood there", async () => {
    const agent = await given.agent();
    const [bo, cy] = [
      { agent, user: "bo" },
      { agent, user: "cy" },
    ];
    const { id: session } = await given.store.sessions.open({ scope: bo, receiver: "m1" });
    const steps = [{ written: 50 }, { read: 5, tool: true as const, model: "m2" }];
    const his = await take(given, bo, { input: "blackbird", reply: "sings", session, ms: 50, micros: 7, steps });
    const hers = await take(given, cy, { input: "blackbird", reply: "flies", ms: 20, steps });
    const rows = () =>
      given.store.home.read("everything", (db) =>
        db.all(sql`select id, model, duration_ms, input_tokens, read_tokens, written_tokens, output_tokens, tools, missed
          from turns where agent = ${agent} order by id`),
      );
    const before = await rows();
    await given.store.home.write("everything", async (db) => {
      await db.run(sql`update turns set model = null, duration_ms = null, input_tokens = null, read_tokens = null,
        written_tokens = null, output_tokens = null, tools = 0, missed = 0, worded = 1 where agent = ${agent}`);
      await db.run(sql`update steps set input_tokens = null, read_tokens = null, written_tokens = null,
        output_tokens = null where agent = ${agent}`);
      await db.run(sql`delete from turn_words where agent = ${agent}`);
    });
    expect(await given.store.turns.list({ agent, words: "blackbird" })).toEqual([]);
    await rebuildStore(given.store.home);
    expect(await found({ agent, words: "blackbird", model: "m2" })).toEqual([hers, his]);
    expect(await rows()).toEqual(before);
    await given.store.erase({ user: "bo", agent });
    expect(await found({ agent, words: "blackbird" })).toEqual([hers]);
    expect(await found({ agent, words: "sings" })).toEqual([]);
    expect(await found({ agent, user: "bo" })).toEqual([his]);
    const kept = await given.store.home.read("everything", (db) =>
      db.all(sql`select turn from turn_words where agent = ${agent}`),
    );
    expect(kept).toEqual([{ turn: hers }]);
  });
});
