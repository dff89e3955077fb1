import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadTokenizer } from "../../src/delivery/tokenizer.ts";
import { receiptOf, type Scope } from "../../src/index.ts";
import { type Query, raw, sql } from "../../src/store/home/sql.ts";
import { sha256 } from "../../src/store/texts/packing.ts";
import { bothHomes, homes } from "../homes.ts";
import { type Json, newServed, type Served } from "../server/served.ts";
import { charter } from "../store/desk.ts";
import { promptFor } from "../store/lived.ts";
import { runs } from "../tiers/search.ts";
import { tier } from "../tiers/tier.ts";
import { alwaysAsync } from "./generate.ts";

/** Whatever happened, what lists say it comes to is what plain sums over the rows come to. */

const tokenizer = await loadTokenizer("estimate");
/** Who is asked besides the turns. */
const adviser = "mistral/small";
const users = ["bo", "cy", "di", undefined];
const channels = ["web", "telegram", undefined];
const count = fc.option(fc.nat(5000), { freq: 5 });
const step = fc.record({
  model: fc.constantFrom("openai/gpt-5", "anthropic/claude"),
  usage: fc.record({ input: count, read: count, written: count, output: count }),
  micros: fc.option(fc.nat(2_000_000), { nil: undefined }),
});
const act = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant("turn" as const),
      agent: fc.nat(1),
      user: fc.constantFrom(...users),
      session: fc.constantFrom("own", "last", "none"),
      channel: fc.constantFrom(...channels),
      steps: fc.array(step, { maxLength: 2 }),
      ends: fc.constantFrom("answered" as const, "failed" as const, "interrupted" as const, undefined),
      hours: fc.nat(60),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constant("message" as const), agent: fc.nat(1), sender: fc.nat(1) }),
  },
  {
    // A second opinion, or a trial: no turn has it.
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant("spend" as const),
      agent: fc.nat(1),
      user: fc.constantFrom(...users),
      micros: fc.nat(2_000_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant("run" as const),
      agent: fc.nat(1),
      user: fc.constantFrom(...users),
      tries: fc.array(fc.nat(2_000_000), { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant("hold" as const),
      agent: fc.nat(1),
      user: fc.constantFrom("bo", "cy"),
      decided: fc.boolean(),
    }),
  },
);
type Act = typeof act extends fc.Arbitrary<infer One> ? One : never;
type Taken = Extract<Act, { act: "turn" }>;

/** Erasing rewrites a home's files: once in a history is often enough. */
const histories = fc.record({
  before: fc.array(act, { minLength: 3, maxLength: 8 }),
  erased: fc.option(fc.constantFrom("bo", "cy"), { freq: 2 }),
  removed: fc.option(fc.boolean(), { freq: 2 }),
  retained: fc.boolean(),
  after: fc.array(act, { maxLength: 3 }),
});

const tokens = `sum(s.input) as input, sum(s.read) as read, sum(s.written) as written, sum(s.output) as output`;
/** Each turn beside the sums of its steps. */
const turnsOf = (agent: string, group: string, where = "1 = 1"): Query => ({
  texts: [
    `select ${group} as key, count(*) as turns, sum(t.micros) as micros, ${tokens},
      count(case when t.state = 'failed' then 1 end) as failed, count(distinct nullif(t.user_id, '')) as users
    from turns t left join (select turn, sum(input_tokens) as input, sum(read_tokens) as read,
      sum(written_tokens) as written, sum(output_tokens) as output from steps group by turn) s on s.turn = t.id
    where t.agent = `,
    ` and ${where} group by 1`,
  ],
  values: [agent],
});

/** What a list is asked for, and the same in plain SQL. What was erased has no words any more. */
const filters: Readonly<Record<string, string>> = {
  "user=bo": "t.user_id = 'bo'",
  "state=failed": "t.state = 'failed'",
  "state=erased": "t.state = 'erased'",
  "event=failed": "t.state = 'failed'",
  "event=nothing-cached": "t.read_tokens = 0",
  "event=held": "exists (select 1 from events e where e.turn = t.id and e.kind = 'tool-held')",
  "channel=telegram": "t.channel = 'telegram'",
  "model=openai/gpt-5": "t.model = 'openai/gpt-5'",
  "minCost=1": "t.micros >= 1000000",
  "maxCost=1": "t.micros <= 1000000",
  "words=refund": "t.input like '%refund%'",
  "user=bo&words=refund": "t.user_id = 'bo' and t.input like '%refund%'",
  "from=2026-02-20T00:00:00Z": "t.started_at >= '2026-02-20T00:00:00.000Z'",
  "to=2026-02-20T00:00:00Z": "t.started_at < '2026-02-20T00:00:00.000Z'",
};

const known = (value: unknown) => (value === null ? null : Number(value));
const dollars = (micros: unknown) => (micros === null ? null : Number(micros) / 1e6);
const usageOf = ({ input, read, written, output }: Json) => ({
  input: known(input),
  read: known(read),
  written: known(written),
  output: known(output),
});
const sumsOf = (row: Json) => ({ cost: dollars(row.micros), usage: usageOf(row), failed: Number(row.failed) });

describe.each(tier === "search" ? bothHomes : homes)("the sums of lists, on %s", (home) => {
  let served: Served;
  let lives = 0;
  beforeAll(async () => {
    served = await newServed({ home });
  });
  afterAll(() => served.close());

  const rows = (query: Query): Promise<Json[]> => served.store.home.read("everything", (db) => db.all<Json>(query));
  const get = async (path: string) => {
    const { status, body } = await served.operator(`GET ${path}`);
    expect([path, status]).toEqual([path, 200]);
    expect(body.more).toBe(false);
    return body;
  };

  const today = () => served.house.clock().toISOString().slice(0, 10);

  const now = () => served.house.clock().toISOString();

  async function take(scope: Scope, told: Taken, last: Map<string, string>): Promise<number> {
    const { store, wait } = served;
    wait(told.hours * 3600);
    const whose = `${scope.agent} ${scope.user}`;
    if (told.session === "own" || (told.session === "last" && !last.has(whose)))
      last.set(whose, (await store.sessions.open({ scope, receiver: "openai/gpt-5" })).id);
    const session = told.session === "none" ? undefined : last.get(whose);
    const where = { ...(session ? { session } : {}), ...(told.channel ? { channel: told.channel } : {}) };
    const { id } = await store.turns.open({ scope, input: "Where is my refund?", ...where });
    const prompt = await promptFor(store, scope.agent, scope.user);
    let spent = 0;
    for (const { model, usage, micros } of told.steps) {
      const predicted = { read: 0, written: 0, fresh: prompt.tokens(tokenizer).total + 40 };
      const receipt = receiptOf(charter, prompt, { sha256, receiver: model, tokenizer, predicted });
      const { step: number } = await store.turns.recordStep(id, { ...receipt, scope });
      const paid = micros === undefined ? {} : { spent: { day: today(), receiver: model, micros, usage } };
      await store.turns.recordResult(id, number, { usage }, { scope, ...paid });
      spent += micros ?? 0;
    }
    if (told.ends) await store.turns.close(id, { reply: null, state: told.ends, scope });
    return spent;
  }

  /** A schedule that is due once; all tries but the last fail. */
  async function run(scope: Scope, tries: readonly number[]): Promise<void> {
    const { store, house } = served;
    const { id } = await store.schedules.add({ scope, title: "Digest", input: "Do it.", nextAt: now() });
    const plan = { runs: [{ dueAt: now(), state: "waiting" as const }], nextAt: null };
    await store.schedules.plan((one) => (one.id === id ? plan : { runs: [], nextAt: one.nextAt }));
    for (const [index, micros] of tries.entries()) {
      const [due] = await store.runs.list({ schedule: id });
      const claimed = await store.runs.claim(due?.id as string, { runner: "test", leaseMs: 60_000 });
      if (!claimed) throw new Error("The run was not given out.");
      const { id: turn } = await store.turns.open({
        scope,
        input: "Do it.",
        channel: "scheduled",
        id: claimed.turn as string,
      });
      const usage = { input: 9, read: 5, written: null, output: 2 };
      const isLast = index === tries.length - 1;
      const spent = { day: today(), receiver: "openai/gpt-5", micros, usage };
      await store.turns.close(turn, { reply: null, state: isLast ? "answered" : "failed", scope, spent });
      const again = { state: "waiting", reason: "It failed.", nextTryAt: house.clock().toISOString() } as const;
      await store.runs.finishTry(claimed, isLast ? { state: "answered" } : again);
    }
  }

  async function play(acts: readonly Act[], agents: readonly string[], last: Map<string, string>, spent: number[]) {
    for (const [index, one] of acts.entries()) {
      const agent = agents[one.agent] as string;
      if (one.act === "turn") {
        const scope = { agent, ...(one.user === undefined ? {} : { user: one.user }) };
        spent[one.agent] = (spent[one.agent] as number) + (await take(scope, one, last));
      } else if (one.act === "spend") {
        const scope = { agent, ...(one.user === undefined ? {} : { user: one.user }) };
        const usage = { input: 7, read: 3, written: 1, output: null };
        await served.store.spending.add(scope, { day: today(), receiver: adviser, micros: one.micros, usage });
        spent[one.agent] = (spent[one.agent] as number) + one.micros;
      } else if (one.act === "run") {
        await run({ agent, ...(one.user === undefined ? {} : { user: one.user }) }, one.tries);
        spent[one.agent] = one.tries.reduce((sum, micros) => sum + micros, spent[one.agent] as number);
      } else if (one.act === "hold") {
        const scope = { agent, user: one.user };
        const { id: turn } = await served.store.turns.open({ scope, input: "Send it." });
        const call = { turn, step: 1, call: "c1", tool: "send_mail", input: {}, reason: "foreign words" };
        const held = await served.store.calls.hold(scope, call);
        if (one.decided) await served.store.calls.reject(held.id, "olga");
      } else {
        const exchange = { message: `m${index}-${++lives}`, body: "Hi.", reply: "Hello.", turn: "none" };
        await served.store.conversations.record(agent, `shop/${one.sender}`, exchange);
      }
    }
  }

  async function expectTurns(agent: string): Promise<void> {
    const { turns, total } = await get(`/agents/${agent}/turns?limit=100`);
    const expected = (await rows(turnsOf(agent, "t.id"))).map((row) => [row.key, sumsOf(row)]).sort();
    const told = turns.map(({ id, cost, usage, events }: Json) => {
      return [id, { cost, usage, failed: events.includes("failed") ? 1 : 0 }];
    });
    expect([told.sort(), total]).toEqual([expected, expected.length]);
    for (const [filter, matches] of Object.entries(filters)) {
      const { turns: some, total: all } = await get(`/agents/${agent}/turns?limit=100&${filter}`);
      const found = await rows(turnsOf(agent, "t.id", matches));
      expect([filter, all, some.map(({ id }: Json) => id).sort()]).toEqual([
        filter,
        found.length,
        found.map(({ key }) => key).sort(),
      ]);
    }
  }

  async function expectSessions(agent: string): Promise<void> {
    const { sessions, total } = await get(`/agents/${agent}/sessions?limit=100`);
    const ids = await rows(sql`select id from sessions where agent = ${agent}`);
    expect([sessions.map(({ id }: Json) => id).sort(), total]).toEqual([ids.map(({ id }) => id).sort(), ids.length]);
    const sums = new Map((await rows(turnsOf(agent, "t.session"))).map((row) => [row.key, row]));
    for (const { id, turns, cost, usage, failed, models } of sessions) {
      const row = sums.get(id);
      const none = { turns: 0, micros: null, input: null, read: null, written: null, output: null, failed: 0 };
      expect({ turns, cost, usage, failed }).toEqual({ turns: Number(row?.turns ?? 0), ...sumsOf(row ?? none) });
      const asked = await rows(sql`select distinct model from turns where session = ${id} and model is not null`);
      expect(models).toEqual(asked.map(({ model }) => model).sort());
    }
    for (const filter of ["state=failed", "event=failed", "words=refund", "user=bo&words=refund"]) {
      const matches = filters[filter];
      const some = await get(`/agents/${agent}/sessions?limit=100&${filter}`);
      const found = await rows(turnsOf(agent, "t.session", `t.session is not null and ${matches}`));
      const keys = found.map(({ key }) => key).sort();
      expect([filter, some.sessions.map(({ id }: Json) => id).sort(), some.total]).toEqual([filter, keys, keys.length]);
    }
  }

  async function expectCounterparts(agent: string): Promise<void> {
    const { counterparts, total } = await get(`/agents/${agent}/counterparts?limit=100`);
    const spoken = await rows(turnsOf(agent, "t.user_id", "t.user_id <> '' and t.state <> 'erased'"));
    const wrote = await rows(sql`select user_id, exchanges from conversations where agent = ${agent}`);
    const nothing = { input: null, read: null, written: null, output: null };
    const expected = [
      ...spoken.map((row) => ({ user: row.key, turns: Number(row.turns), messages: 0, ...sumsOf(row) })),
      ...wrote.map(({ user_id, exchanges }) => {
        return { user: user_id, turns: 0, messages: Number(exchanges), cost: null, usage: nothing, failed: 0 };
      }),
    ];
    const told = counterparts.map(({ channels: _, lastAt: __, lastInput: ___, ...sums }: Json) => sums);
    const byUser = (one: Json, other: Json) => (one.user < other.user ? -1 : 1);
    expect([told.sort(byUser), total]).toEqual([expected.sort(byUser), expected.length]);
  }

  async function expectWeek(agent: string): Promise<void> {
    const { agents } = await get(`/agents?query=${agent}`);
    const since = new Date(served.house.clock().getTime() - 6 * 86_400_000).toISOString().slice(0, 10);
    const [row] = await rows(turnsOf(agent, "t.agent", `t.started_at >= '${since}'`));
    const began = await rows(turnsOf(agent, "substr(t.started_at, 1, 10)"));
    const days = Array.from({ length: 7 }, (_, index) => {
      const day = new Date(served.house.clock().getTime() - (6 - index) * 86_400_000).toISOString().slice(0, 10);
      return Number(began.find(({ key }) => key === day)?.turns ?? 0);
    });
    const counts = await Promise.all(
      [sql`held`, sql`held_calls`, sql`tool_pins`].map((table) =>
        rows(sql`select count(*) as count from ${table} where agent = ${agent} and status = 'waiting'`),
      ),
    );
    const waits = counts.reduce((sum, [row]) => sum + Number(row?.count), 0);
    expect(agents.map(({ waiting }: Json) => waiting)).toEqual([waits]);
    expect(agents.map(({ week }: Json) => week)).toEqual([
      {
        turns: Number(row?.turns ?? 0),
        users: Number(row?.users ?? 0),
        cost: dollars(row?.micros ?? null),
        failed: Number(row?.failed ?? 0),
        days,
      },
    ]);
  }

  /** What was paid stays paid, whoever was erased. */
  async function expectCost(agent: string, spent: number): Promise<void> {
    const { body } = await served.operator(`GET /agents/${agent}/cost`);
    const [row] = await rows(turnsOf(agent, "t.agent"));
    const [besides] = await rows(sql`select sum(micros) as micros from spending
      where agent = ${agent} and receiver = ${adviser}`);
    const paid = Number(row?.micros ?? 0) + Number(besides?.micros ?? 0);
    expect([body.total.turns, body.total.cost, paid]).toEqual([Number(row?.turns ?? 0), spent / 1e6, spent]);
  }

  /** Every table of Money comes to the same, which is what SQL says was spent; and Home says the same of its ranges. */
  async function expectMoney(agents: readonly string[], total: readonly number[]): Promise<void> {
    const money = async (query: string) => (await served.operator(`GET /money?${query}`)).body;
    const micros = (list: readonly Json[]) => Math.round(list.reduce((sum, { cost }) => sum + cost, 0) * 1e6);
    const [first = ""] = agents;
    const [day, month] = [today(), `${today().slice(0, 8)}01`];
    const ranges: Readonly<Record<string, string>> = {
      "": "1 = 1",
      "user=bo": "user_id = 'bo'",
      "user=cy": "user_id = 'cy'",
      [`agent=${first}`]: `agent = '${first}'`,
      [`agent=${first}&user=bo`]: `agent = '${first}' and user_id = 'bo'`,
      [`to=${day}`]: `day <= '${day}'`,
      [`from=${month}&to=${day}`]: `day >= '${month}' and day <= '${day}'`,
      [`agent=${first}&from=${day}&to=${day}`]: `agent = '${first}' and day = '${day}'`,
    };
    for (const [query, where] of Object.entries(ranges)) {
      const told = await money(query);
      const [row] = await rows(
        raw(`select coalesce(sum(micros), 0) as micros, coalesce(sum(input), 0) as input,
        coalesce(sum(read), 0) as read, coalesce(sum(written), 0) as written, coalesce(sum(output), 0) as output
        from spending where ${where}`),
      );
      const all = Object.fromEntries(Object.entries(row ?? {}).map(([key, value]) => [key, Number(value)]));
      for (const table of ["agents", "users", "models", "days"]) {
        const tokens = (key: string) => told[table].reduce((sum: number, one: Json) => sum + one[key], 0);
        const sums = {
          input: tokens("input"),
          read: tokens("read"),
          written: tokens("written"),
          output: tokens("output"),
        };
        expect([query, table, { micros: micros(told[table]), ...sums }]).toEqual([query, table, all]);
      }
      expect([query, micros([told.total])]).toEqual([query, all.micros]);
      for (const turns of [1, 500]) {
        const { body } = await served.operator(`GET /money/sections?turns=${turns}&${query}`);
        const rest = [{ cost: body.others }, { cost: body.unexplained }];
        expect([query, micros([{ cost: body.total }]), micros([...body.parts, ...rest])]).toEqual([
          ...[query, all.micros, all.micros],
        ]);
        expect([query, [...body.parts, { cost: body.others }].filter(({ cost }: Json) => cost < 0)]).toEqual([
          query,
          [],
        ]);
      }
      expect([query, micros([...told.channels, { cost: told.unexplained }])]).toEqual([query, all.micros]);
      expect([query, told.channels.reduce((sum: number, { turns }: Json) => sum + turns, 0)]).toEqual([
        query,
        told.total.turns,
      ]);
      const scheduled = told.channels.filter(({ channel }: Json) => channel === "scheduled");
      expect([query, micros(told.schedules)]).toEqual([query, micros(scheduled)]);
    }
    const { agents: each } = await money("");
    expect(agents.map((agent) => micros(each.filter((one: Json) => one.agent === agent)))).toEqual(total);
    const { body: home } = await served.operator("GET /home");
    const { total: ofMonth } = await money(`from=${month}`);
    expect([home.month.cost, home.month.saved]).toEqual([ofMonth.cost, ofMonth.saved]);
    const week = new Date(served.house.clock().getTime() - 6 * 86_400_000).toISOString().slice(0, 10);
    for (const { name, week: told } of (await get(`/agents?query=${first}`)).agents) {
      const { total: same } = await money(`agent=${name}&from=${week}`);
      const [erased] = await rows(turnsOf(name, "t.agent", `t.state = 'erased' and t.started_at >= '${week}'`));
      expect([name, told.turns - Number(erased?.turns ?? 0)]).toEqual([name, same.turns]);
    }
  }

  test("turns, sessions, counterparts, an agent's week, its cost and all money are the sums of their rows", () =>
    alwaysAsync(
      histories,
      async ({ before, erased, removed, retained, after }) => {
        const life = ++lives;
        const agents = [`a-life-${life}-long`, `b-life-${life}-long`];
        for (const name of agents) await served.store.agents.add({ name, charter: "assistant" });
        const last = new Map<string, string>();
        const spent = [0, 0];
        await play(before, agents, last, spent);
        const [first = ""] = agents;
        if (erased !== null && (await served.store.turns.count({ agent: first, user: erased })) > 0) {
          await served.store.erase({ user: erased, agent: first });
          last.delete(`${first} ${erased}`);
        }
        await play(after, agents, last, spent);
        for (const [index, agent] of agents.entries()) {
          await expectTurns(agent);
          await expectSessions(agent);
          await expectCounterparts(agent);
          await expectWeek(agent);
          await expectCost(agent, spent[index] as number);
        }
        await expectMoney(agents, spent);
        if (retained) await served.store.retain({ receipts: 0, events: 0, deliveries: 0 });
        if (removed !== null) await served.store.remove(first, { erase: removed });
        if (retained || removed !== null) await expectMoney(agents, spent);
      },
      runs(4, 100),
    ));
});
