import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadTokenizer } from "../../src/delivery/tokenizer.ts";
import { receiptOf, type Scope } from "../../src/index.ts";
import { raw } from "../../src/store/home/sql.ts";
import { sha256 } from "../../src/store/texts/packing.ts";
import { homes } from "../homes.ts";
import { type Json, newServed, type Served } from "../server/served.ts";
import { charter } from "../store/desk.ts";
import { promptFor } from "../store/lived.ts";

/**
 * Every figure that the studio shows, and the same from plain SQL over the same database, written without a look at how the
 * server finds it: one that is wrong is told by its name.
 */

const [gpt, claude] = ["openai/gpt-5", "anthropic/claude"];
const usage = { input: 900, read: 500, written: 100, output: 40 };
const tokenizer = await loadTokenizer("estimate");
const hour = 3600;

type Told = {
  readonly agent: string;
  readonly user?: string;
  readonly channel?: string;
  readonly model?: string;
  readonly micros?: number | null;
  readonly state?: "answered" | "failed" | "interrupted";
  readonly session?: string;
  readonly id?: string;
  readonly input?: string;
  readonly read?: number;
};

async function take({ store, house, wait }: Served, told: Told): Promise<string> {
  wait(60);
  const { agent, user, channel, model = gpt, micros = 100, state = "answered", session, id: given, read = 500 } = told;
  const usage = { input: 900, read, written: 100, output: 40 };
  const scope: Scope = { agent, ...(user === undefined ? {} : { user }) };
  const named = { ...(channel ? { channel } : {}), ...(session ? { session } : {}), ...(given ? { id: given } : {}) };
  const { id } = await store.turns.open({ scope, input: told.input ?? "Where is my refund?", ...named });
  const prompt = await promptFor(store, agent, user);
  // What the sections do not have are tools.
  const predicted = { read: 0, written: 0, fresh: prompt.tokens(tokenizer).total + 40 };
  const receipt = receiptOf(charter, prompt, { sha256, receiver: model, tokenizer, predicted });
  const { step } = await store.turns.recordStep(id, { ...receipt, scope });
  const day = house.clock().toISOString().slice(0, 10);
  const spent = {
    day,
    receiver: model,
    micros: micros ?? 0,
    usage,
    ...(micros === null ? { unpriced: true as const } : {}),
  };
  await store.turns.recordResult(id, step, { usage }, { scope, spent });
  await store.turns.close(id, { reply: state === "answered" ? "It is on its way." : null, state, scope });
  return id;
}

/** A schedule whose only run was tried so often; the last try is answered. */
async function runSchedule(served: Served, scope: Scope, title: string, tries: number): Promise<string> {
  const { store, house } = served;
  const nextAt = house.clock().toISOString();
  const { id } = await store.schedules.add({ scope, title, input: "Do it.", nextAt, cron: "0 8 * * *" });
  await store.schedules.plan(({ nextAt }) => ({ runs: [{ dueAt: nextAt as string, state: "waiting" }], nextAt: null }));
  for (let number = 1; number <= tries; number++) {
    const [due] = (await store.runs.list({ schedule: id })).filter(({ state }) => state === "waiting");
    const run = await store.runs.claim(due?.id as string, { runner: "test", leaseMs: 600_000 });
    if (!run) throw new Error(`The run of “${title}” was not given out.`);
    const state = number === tries ? "answered" : "failed";
    await take(served, {
      ...scope,
      channel: "scheduled",
      micros: 1000 * number,
      state,
      id: run.turn as string,
      read: 0,
    });
    const again = { state: "waiting", reason: "It failed.", nextTryAt: house.clock().toISOString() } as const;
    await store.runs.finishTry(run, number === tries ? { state: "answered" } : again);
  }
  return id;
}

/** Three weeks with four agents: one lives by an inbox, one was removed. */
async function live(served: Served): Promise<void> {
  const { store, wait, house } = served;
  await store.agents.add({ name: "sol", charter: "sovereign", model: claude });
  await store.automata.grant("sol", 5000, "olga");
  await store.agents.add({ name: "old", charter: "assistant", model: claude });
  for (const id of ["bo", "cy", "di", "eli"]) await store.users.put({ id });
  for (let day = 0; day < 22; day++) {
    const user = ["bo", "cy", "di"][day % 3] as string;
    const session = (await store.sessions.open({ scope: { agent: "ada", user }, receiver: gpt })).id;
    await take(served, { agent: "ada", user, channel: "web", session, micros: 50 + day });
    await take(served, {
      agent: "ada",
      user,
      channel: "telegram",
      session,
      model: claude,
      micros: day === 9 ? null : 70,
    });
    if (day % 4 === 0) await take(served, { agent: "eve", user, channel: "slack", state: "failed", micros: 5 });
    if (day % 5 === 0) await take(served, { agent: "sol", channel: "automaton", model: claude, micros: 300 });
    if (day % 7 === 0) await take(served, { agent: "old", user: "bo", channel: "web", state: "failed" });
    if (day === 12) await store.spending.add({ agent: "ada", user }, expense(served, claude, 11));
    if (day === 13) await store.spending.add({ agent: "ada" }, expense(served, "openai/gpt-5-mini", 13));
    wait(24 * hour);
  }
  await runSchedule(served, { agent: "ada", user: "bo" }, "Digest", 3);
  await runSchedule(served, { agent: "sol" }, "Look around", 1);
  for (const agent of ["ada", "old"]) {
    const nextAt = new Date(house.clock().getTime() - hour * 1000).toISOString();
    await store.schedules.add({ scope: { agent, user: "cy" }, title: "Late", input: "Do it.", nextAt });
    await store.inbox.post({ agent, sender: "shop/ida", body: "Hello?", id: "m1" });
    await die(served, agent);
  }
  await store.conversations.record("sol", "shop/ida", { message: "m7", body: "Hi.", reply: "Hello.", turn: "none" });
  await served.holdProposal("bo");
  await served.holdCall("cy");
  await take(served, { agent: "eve", user: "eli", channel: "web", micros: 900 });
  await store.erase({ user: "eli" });
  await take(served, { agent: "eve", user: "di", state: "interrupted", micros: null });
  await take(served, { agent: "eve", user: "cy", channel: "web", state: "failed", input: "Is it broken?" });
  const { id: turn } = await store.turns.open({ scope: { agent: "old", user: "bo" }, input: "Write to Ida." });
  const call = { turn, step: 1, call: "c1", tool: "send_mail", input: {}, reason: "Foreign words." };
  await store.calls.hold({ agent: "old", user: "bo" }, call);
  await store.remove("old");
  wait(17 * hour);
  await take(served, { agent: "eve", user: "cy", channel: "web", micros: 40 });
}

function expense({ house }: Served, receiver: string, micros: number) {
  return { day: house.clock().toISOString().slice(0, 10), receiver, micros, usage };
}

/** Whoever takes the message never comes back, three times. */
async function die({ store, wait }: Served, agent: string): Promise<void> {
  for (let number = 1; number <= 4; number++) {
    await store.inbox.claim(agent, `t${number}`, { leaseMs: 60_000 });
    wait(120);
  }
}

const since = "'2026-02-01'";
const inMonth = `day >= ${since}`;
const weekDay = "'2026-02-14'";
const alive = "agent in (select name from agents where removed_at is null)";
const kept = "state <> 'erased'";
const spent = (where: string) => `select sum(micros) as n from spending where ${where}`;
const taken = (where: string) => `select count(*) as n from turns where ${where}`;
/** Turns of a schedule's runs, every try of each. */
const tried = (title: string) => `from turns t where exists (select 1 from runs r join schedules s on s.id = r.schedule
  where s.title = '${title}' and t.id like r.id || '-run-%')`;
const unanswered = `from turns t where state = 'failed' and ${alive} and started_at >= ${weekDay} and not exists
  (select 1 from turns o where o.session = t.session and o.state = 'answered' and o.started_at > t.started_at)`;
const by = (rows: Json[], key: string, name: string) => rows.find((one) => one[key] === name);
const costOf = (rows: Json[]) => rows.reduce((all, { cost }) => all + cost, 0);
const unit = 1e-6;

/** What it is called, where the API says it, and what SQL says; `unit`: money is kept in millionths of a dollar. */
const figures: readonly (readonly [
  name: string,
  path: string,
  find: (body: Json) => unknown,
  sql: string,
  unit?: number,
])[] = [
  ["Home: spent this month", "/home", (home) => home.month.cost, spent(inMonth), unit],
  ["Home: failures", "/home", (home) => home.failures.total, `select count(*) as n ${unanswered}`],
  [
    "Home: dead letters",
    "/home",
    (home) => home.deadLetters.total,
    `select count(*) as n from inbox where status = 'dead' and ${alive}`,
  ],
  [
    "Home: late schedules",
    "/home",
    (home) => home.lateSchedules.total,
    `select count(*) as n from schedules where ended_at is null and next_at < '2026-02-20' and ${alive}`,
  ],
  ["Home: agents", "/agents", (list) => list.total, "select count(*) as n from agents where removed_at is null"],
  [
    "Home: an agent's turns of a week",
    "/agents",
    (list) => by(list.agents, "name", "ada").week.turns,
    taken(`agent = 'ada' and started_at >= ${weekDay}`),
  ],
  [
    "Home: the line of a week",
    "/agents",
    (list) => by(list.agents, "name", "ada").week.days.reduce((sum: number, one: number) => sum + one, 0),
    taken(`agent = 'ada' and started_at >= ${weekDay}`),
  ],
  [
    "Home: an agent's users of a week",
    "/agents",
    (list) => by(list.agents, "name", "ada").week.users,
    `select count(distinct user_id) as n from turns where agent = 'ada' and user_id <> '' and started_at >= ${weekDay}`,
  ],
  [
    "Home: an agent's cost of a week",
    "/agents",
    (list) => by(list.agents, "name", "ada").week.cost,
    `select sum(micros) as n from turns where agent = 'ada' and started_at >= ${weekDay}`,
    unit,
  ],
  [
    "Home: an agent's errors of a week",
    "/agents",
    (list) => by(list.agents, "name", "eve").week.failed,
    taken(`agent = 'eve' and state = 'failed' and started_at >= ${weekDay}`),
  ],
  [
    "Home: what waits for an agent",
    "/agents",
    (list) => by(list.agents, "name", "ada").waiting,
    `select (select count(*) from held where status = 'waiting' and agent = 'ada')
      + (select count(*) from held_calls where status = 'waiting' and agent = 'ada') as n`,
  ],
  [
    "Approvals: all that wait",
    "/approvals",
    (list) => list.total,
    `select (select count(*) from held where status = 'waiting') + (select count(*) from held_calls where status = 'waiting' and agent <> 'old') as n`,
  ],
  ["People: how many", "/users", (list) => list.total, "select count(*) as n from users"],
  ["People: turns of one", "/users", (list) => by(list.users, "id", "bo").turns, taken(`user_id = 'bo' and ${kept}`)],
  ["People: cost of one", "/users", (list) => by(list.users, "id", "bo").cost, spent("user_id = 'bo'"), unit],
  [
    "People: errors of one",
    "/users",
    (list) => by(list.users, "id", "bo").failed,
    taken("user_id = 'bo' and state = 'failed'"),
  ],
  [
    "People: agents of one",
    "/users",
    (list) => by(list.users, "id", "bo").agents.length,
    `select count(distinct agent) as n from turns where user_id = 'bo' and ${kept}`,
  ],
  [
    "a person: turns with an agent",
    "/users/bo",
    (one) => by(one.with, "agent", "ada").turns,
    taken("user_id = 'bo' and agent = 'ada'"),
  ],
  [
    "a person: cost with an agent",
    "/users/bo",
    (one) => by(one.with, "agent", "ada").cost,
    spent("user_id = 'bo' and agent = 'ada'"),
    unit,
  ],
  [
    "a person: errors with an agent",
    "/users/bo",
    (one) => by(one.with, "agent", "old").failed,
    taken("user_id = 'bo' and agent = 'old' and state = 'failed'"),
  ],
  [
    "a person: channels with an agent",
    "/users/bo",
    (one) => by(one.with, "agent", "ada").channels.length,
    "select count(distinct channel) as n from turns where user_id = 'bo' and agent = 'ada'",
  ],
  ["Money: all that was spent", "/money", (money) => money.total.cost, spent("1 = 1"), unit],
  [
    "Money: of a range",
    "/money?from=2026-02-02&to=2026-02-09",
    (money) => money.total.cost,
    spent("day >= '2026-02-02' and day <= '2026-02-09'"),
    unit,
  ],
  ["Money: input tokens", "/money", (money) => money.total.input, "select sum(input) as n from spending"],
  ["Money: tokens read from the cache", "/money", (money) => money.total.read, "select sum(read) as n from spending"],
  ["Money: turns that are kept", "/money", (money) => money.total.turns, taken(kept)],
  ["Money: turns with a price", "/money", (money) => money.total.priced, taken(`${kept} and micros is not null`)],
  ["Money: of an agent", "/money", (money) => by(money.agents, "agent", "ada").cost, spent("agent = 'ada'"), unit],
  [
    "Money: of an agent that was removed",
    "/money",
    (money) => by(money.agents, "agent", "old").cost,
    spent("agent = 'old'"),
    unit,
  ],
  ["Money: of a person", "/money", (money) => by(money.users, "user", "bo").cost, spent("user_id = 'bo'"), unit],
  [
    "Money: of nobody, and of who was erased",
    "/money",
    (money) => by(money.users, "user", "").cost,
    spent("user_id = ''"),
    unit,
  ],
  [
    "Money: of a model",
    "/money",
    (money) => by(money.models, "model", claude).cost,
    spent(`receiver = '${claude}'`),
    unit,
  ],
  [
    "Money: of a model that only gave a second opinion",
    "/money",
    (money) => by(money.models, "model", "openai/gpt-5-mini").cost,
    spent("receiver = 'openai/gpt-5-mini'"),
    unit,
  ],
  ["Money: of a day", "/money", (money) => by(money.days, "day", "2026-02-10").cost, spent("day = '2026-02-10'"), unit],
  [
    "Money: of a channel",
    "/money",
    (money) => by(money.channels, "channel", "telegram").cost,
    `select sum(micros) as n from turns where channel = 'telegram' and ${kept}`,
    unit,
  ],
  [
    "Money: turns of a channel",
    "/money",
    (money) => by(money.channels, "channel", "web").turns,
    taken(`channel = 'web' and ${kept}`),
  ],
  [
    "Money: of a schedule, with every try",
    "/money",
    (money) => by(money.schedules, "title", "Digest").cost,
    `select sum(micros) as n ${tried("Digest")}`,
    unit,
  ],
  [
    "Money: turns of a schedule",
    "/money",
    (money) => by(money.schedules, "title", "Digest").turns,
    `select count(*) as n ${tried("Digest")}`,
  ],
  [
    "Money: tokens a schedule read from the cache",
    "/money",
    (money) => by(money.schedules, "title", "Digest").read,
    `select sum(read_tokens) as n ${tried("Digest")}`,
  ],
  [
    "Money: what no kept turn explains",
    "/money",
    (money) => money.unexplained,
    `select (select sum(micros) from spending) - (select sum(micros) from turns where ${kept}) as n`,
    unit,
  ],
  [
    "Money: of one person with one agent",
    "/money?agent=ada&user=bo",
    (money) => money.total.cost,
    spent("agent = 'ada' and user_id = 'bo'"),
    unit,
  ],
  [
    "Money: a schedule of one person",
    "/money?user=bo",
    (money) => by(money.schedules, "title", "Digest").cost,
    `select sum(micros) as n ${tried("Digest")}`,
    unit,
  ],
  [
    "Money: nothing of who was erased",
    "/money?user=eli",
    (money) => money.total.turns + money.channels.length + money.unexplained,
    "select 0 as n",
  ],
  [
    "Money by section: all of it, with what was not looked at and what nothing explains",
    "/money/sections?turns=30",
    (money) => money.others + money.unexplained + costOf(money.parts),
    spent("1 = 1"),
    unit,
  ],
  [
    "Money by section: what was not looked at",
    "/money/sections?turns=30",
    (money) => money.others,
    `select sum(micros) as n from turns where ${kept} and id not in
      (select id from turns where ${kept} order by started_at desc, id desc limit 30)`,
    unit,
  ],
  [
    "Money by section: what the parts of an agent's requests cost, whose model has a price",
    "/money/sections?turns=500",
    (money) => costOf(money.parts.filter(({ agent }: Json) => agent === "ada")),
    `select sum(micros) as n from turns where agent = 'ada' and model = '${gpt}' and ${kept}`,
    unit,
  ],
  [
    "Money by section: tokens of an agent's requests",
    "/money/sections?turns=500&agent=ada",
    (money) => money.parts.reduce((all: number, { read, written, fresh }: Json) => all + read + written + fresh, 0),
    `select sum(s.input_tokens) as n from steps s join turns t on t.id = s.turn
      where t.agent = 'ada' and t.model = '${gpt}' and t.${kept}`,
  ],
  [
    "Money by section: turns that read nothing from the cache",
    "/money/sections",
    (money) => money.unread.reduce((all: number, { turns }: Json) => all + turns, 0),
    taken(`read_tokens = 0 and ${kept}`),
  ],
  [
    "Money by section: cost of an agent's that read nothing",
    "/money/sections?agent=ada",
    (money) => costOf(money.unread),
    `select sum(micros) as n from turns where agent = 'ada' and read_tokens = 0 and ${kept}`,
    unit,
  ],
  [
    "Turns: that read nothing from the cache",
    "/agents/ada/turns?event=nothing-cached",
    (list) => list.total,
    taken("agent = 'ada' and read_tokens = 0"),
  ],
  [
    "Money: what is used of an agent's limit of the day",
    "/money",
    (money) => money.limits.find(({ agent, per }: Json) => agent === "eve" && per === "agent").spent,
    spent("agent = 'eve' and day = '2026-02-20'"),
    unit,
  ],
  [
    "Money: what is used of a person's limit of the day",
    "/money?user=cy",
    (money) => money.limits.find(({ agent, per }: Json) => agent === "eve" && per === "user").spent,
    spent("agent = 'eve' and user_id = 'cy' and day = '2026-02-20'"),
    unit,
  ],
  [
    "Money: what is left of a budget",
    "/money",
    (money) => by(money.budgets, "agent", "sol").left,
    `select 5000 - (select sum(micros) from turns where agent = 'sol') as n`,
    unit,
  ],
  ["an agent: cost", "/agents/ada/cost", (cost) => cost.total.cost, spent("agent = 'ada'"), unit],
  [
    "an agent: cost of a person in a range",
    "/agents/ada/cost?user=bo&from=2026-02-01&to=2026-02-10",
    (cost) => cost.total.cost,
    spent("agent = 'ada' and user_id = 'bo' and day >= '2026-02-01' and day <= '2026-02-10'"),
    unit,
  ],
  [
    "an agent: turns of a day",
    "/agents/ada/cost",
    (cost) => by(cost.days, "day", "2026-02-10").turns,
    taken("agent = 'ada' and started_at >= '2026-02-10' and started_at < '2026-02-11'"),
  ],
  ["Turns: of an agent", "/agents/ada/turns", (list) => list.total, taken("agent = 'ada'")],
  [
    "Turns: that failed",
    "/agents/eve/turns?event=failed",
    (list) => list.total,
    taken("agent = 'eve' and state = 'failed'"),
  ],
  [
    "Turns: of a model",
    `/agents/ada/turns?model=${encodeURIComponent(claude)}`,
    (list) => list.total,
    taken(`agent = 'ada' and model = '${claude}'`),
  ],
  [
    "Turns: cost of the dearest",
    "/agents/ada/turns?sort=cost",
    (list) => list.turns[0].cost,
    "select max(micros) as n from turns where agent = 'ada'",
    unit,
  ],
  [
    "Sessions: how many",
    "/agents/ada/sessions",
    (list) => list.total,
    "select count(*) as n from sessions where agent = 'ada'",
  ],
  [
    "Sessions: cost of the dearest",
    "/agents/ada/sessions?sort=cost",
    (list) => list.sessions[0].cost,
    "select max(cost) as n from (select sum(micros) as cost from turns where agent = 'ada' and session is not null group by session) as sums",
    unit,
  ],
  [
    "Conversations: how many",
    "/agents/ada/counterparts",
    (list) => list.total,
    `select count(distinct user_id) as n from turns where agent = 'ada' and user_id <> '' and ${kept}`,
  ],
  [
    "Conversations: turns with one",
    "/agents/ada/counterparts",
    (list) => by(list.counterparts, "user", "bo").turns,
    taken("agent = 'ada' and user_id = 'bo'"),
  ],
  [
    "Conversations: cost of one",
    "/agents/ada/counterparts",
    (list) => by(list.counterparts, "user", "bo").cost,
    "select sum(micros) as n from turns where agent = 'ada' and user_id = 'bo'",
    unit,
  ],
  [
    "Conversations: messages of a sender",
    "/agents/sol/counterparts",
    (list) => by(list.counterparts, "user", "counterpart:shop/ida").messages,
    "select sum(exchanges) as n from conversations where agent = 'sol'",
  ],
  [
    "Schedules: of an agent",
    "/agents/ada/schedules",
    (list) => list.schedules.length,
    "select count(*) as n from schedules where agent = 'ada' and ended_at is null",
  ],
];

describe.each(homes)("the figures of the studio, on %s", (home) => {
  let served: Served;
  beforeAll(async () => {
    const spending = { userDollarsPerDay: 1, agentDollarsPerDay: 2 };
    served = await newServed({ home, spending, now: new Date("2026-01-28T12:00:00Z") });
    await live(served);
  });
  afterAll(() => served.close());

  test.for(figures)("%s", async ([, path, find, words, unit = 1]) => {
    const { status, body } = await served.operator(
      `GET ${path}${/\?|\/(?:home|money|sections|cost|users\/\w+)$/.test(path) ? "" : "?limit=100"}`,
    );
    expect(status).toBe(200);
    const [row] = await served.store.home.read("everything", (db) => db.all<{ n: unknown }>(raw(words)));
    expect(find(body)).toBeCloseTo(Number(row?.n) * unit, 9);
  });
});
