import { inDollars, microsOf } from "../delivery/cost.ts";
import type { Host } from "../host/host.ts";
import type { KnownModels } from "../host/models/known-models.ts";
import type { GroupSpending } from "../store/overview.ts";
import { agent, list, number, object, oneOf, text, time, user, whole } from "./field.ts";
import { operation } from "./operation.ts";
import { day, lastDays, sums } from "./turns/cost.ts";

const most = 20;

const failure = object({
  turn: text(),
  agent: text(),
  user: text("Empty: nobody's."),
  at: time(),
  input: text("Its beginning."),
  because: object({ code: text(), message: text() }).nullable(),
});

const deadLetter = object({
  agent: text(),
  id: text(),
  sender: text(),
  at: time(),
  body: text("Its beginning."),
  because: text("Why the last try failed.").nullable(),
});

const lateSchedule = object({
  agent: text(),
  user: text("Empty: the agent's own."),
  id: text(),
  title: text(),
  nextAt: time(),
});

const showHome = operation({
  name: "home.show",
  says: "Get what needs an operator, of all agents",
  about:
    "Turns of the last seven days that failed and that nobody got an answer after, messages that could not be answered, schedules that nobody ran, models without a key; and what was spent this month. Approvals are listed by themselves.",
  route: "GET /home",
  who: "operator",
  input: {},
  answer: object({
    failures: object({ rows: list(failure), total: whole() }),
    deadLetters: object({ rows: list(deadLetter), total: whole() }),
    lateSchedules: object({ rows: list(lateSchedule), total: whole() }),
    models: list(
      object({ model: text(), agents: list(text()), problem: object({ code: text(), message: text(), hint: text() }) }),
      "Models of agents that cannot be asked.",
    ),
    month: object(
      { from: text("Its first day (UTC)."), cost: number("In dollars."), saved: number().nullable() },
      "This month; `saved` is what caching saved, at today's prices.",
    ),
  }).named("Home", "What needs an operator, of all agents, the latest of each kind first."),
  statuses: { 200: "At most 20 of each kind, and how many there are." },
  run: async ({ store, host, clock }) => {
    const now = clock();
    const late = new Date(now.getTime() - 5 * 60_000).toISOString();
    const from = `${now.toISOString().slice(0, 8)}01`;
    const [needs, agents, money, { knownModels }] = await Promise.all([
      store.overview.needs({ since: lastDays(now)[0], late, limit: most }),
      store.agents.list({}),
      store.overview.money({ from }),
      host(),
    ]);
    const known = await knownModels.list();
    const usual = knownModels.usual()[0];
    const models = known.flatMap(({ name, key, problem }) => {
      const own = agents.filter(({ model }) => (model ?? usual) === name).map((one) => one.name);
      const lacks = key === "missing" && problem !== null;
      return lacks && own.length > 0 ? [{ model: name, agents: own, problem }] : [];
    });
    const cost = inDollars(money.models.reduce((sum, { micros }) => sum + micros, 0));
    return { ...needs, models, month: { from, cost, saved: savedBy(money.models, pricesOf(known)) } };
  },
});

const group = { cost: sums.cost, input: sums.input, read: sums.read, written: sums.written, output: sums.output };
const keptTurns = { turns: whole(), cost: number("In dollars, of the turns that are kept.") };

/** What was spent when, by which agent and for whom: the fields of every question about money. */
export const moneyRange = {
  agent: agent.says("Only of this agent.").optional(),
  user: user.says("Only of this user."),
  from: day("The first day (UTC); left out, from the beginning."),
  to: day("The last day (UTC), included; left out, until today."),
};

const showMoney = operation({
  name: "money.show",
  says: "Get what was spent, over all agents",
  about:
    "By agent, user, model and day: all that was spent. By channel and schedule: what turns that are kept cost; `unexplained` is the rest, of turns that were erased, of second opinions and trials, and of turns that began on another day.",
  route: "GET /money",
  who: "operator",
  input: moneyRange,
  answer: object({
    from: text().nullable(),
    to: text().nullable(),
    total: object({
      turns: whole("Turns that are kept."),
      priced: whole("Of those, how many have a price."),
      ...group,
      saved: number("What caching saved, at today's prices, in dollars; null where none is known.").nullable(),
    }),
    agents: list(object({ agent: text(), ...group })),
    users: list(object({ user: text("Empty: nobody's, or of people who were erased."), ...group })),
    models: list(object({ model: text(), ...group, saved: number().nullable() })),
    days: list(object({ day: text(), ...group })),
    channels: list(object({ channel: text().nullable(), ...keptTurns })),
    schedules: list(
      object({
        agent: text(),
        schedule: text("Null: runs that are no longer kept.").nullable(),
        title: text("Null: it is gone.").nullable(),
        input: whole(),
        read: whole(),
        ...keptTurns,
      }),
    ),
    unexplained: number("In dollars: what the total has and no kept turn does."),
    limits: list(
      object({
        agent: text(),
        per: oneOf(["agent", "user"]),
        user: text("Of a limit for each user: who spent most of it today. Empty: nobody's.").nullable(),
        dollars: number("What may be spent on a day (UTC)."),
        spent: number("What was spent today, in dollars."),
        reachedAt: time("When all of it is spent, at today's rate; null: not today, or it is already.").nullable(),
      }),
      "Limits of a day, whatever the range: of each agent that has one, and of its users.",
    ),
    budgets: list(
      object({
        agent: text(),
        granted: number("In dollars."),
        left: number("In dollars; null: its model has no price.").nullable(),
        emptyAt: time("When nothing is left, at the rate of the last 24 hours; null: unknown.").nullable(),
      }),
      "Agents that live on what they were granted. None, if a user was asked for.",
    ),
  }).named("Money", "What was spent. Each list comes to the total; those of channels and schedules with the rest."),
  statuses: { 200: "The dearest first; days in order." },
  run: async ({ store, host: opened, clock }, { agent, user, from, to }) => {
    const [money, host] = await Promise.all([store.overview.money({ agent, user, from, to }), opened()]);
    const prices = pricesOf(await host.knownModels.list());
    const total = money.models.reduce(
      (sum, one) => ({
        ...{ micros: sum.micros + one.micros, input: sum.input + one.input, read: sum.read + one.read },
        ...{ written: sum.written + one.written, output: sum.output + one.output },
      }),
      { micros: 0, input: 0, read: 0, written: 0, output: 0 },
    );
    const kept = money.channels.reduce((sum, { micros }) => sum + micros, 0);
    return {
      from: from ?? null,
      to: to ?? null,
      total: { turns: money.turns, priced: money.priced, ...billOf(total), saved: savedBy(money.models, prices) },
      agents: money.agents.map(({ name, ...one }) => ({ agent: name, ...billOf(one) })),
      users: money.users.map(({ name, ...one }) => ({ user: name, ...billOf(one) })),
      models: money.models.map((one) => ({ model: one.name, ...billOf(one), saved: savedBy([one], prices) })),
      days: money.days.map(({ name, ...one }) => ({ day: name, ...billOf(one) })),
      channels: money.channels.map(({ name, turns, micros }) => ({ channel: name, turns, cost: inDollars(micros) })),
      schedules: money.schedules.map(({ name, agent, title, turns, input, read, micros }) => ({
        ...{ agent, schedule: name, title, input, read, turns, cost: inDollars(micros) },
      })),
      unexplained: inDollars(total.micros - kept),
      limits: await limitsOf(host, { agent, user }, clock()),
      budgets: user === undefined ? await budgetsOf(host, agent, clock()) : [],
    };
  },
});

type Whose = { readonly agent: string | undefined; readonly user: string | undefined };

/** Limits of a day, how much of each is spent, and until when it lasts. */
async function limitsOf({ store, spendingLimits }: Host, { agent, user }: Whose, now: Date) {
  const limits = (await spendingLimits()).filter((one) => agent === undefined || one.agent === agent);
  const day = now.toISOString().slice(0, 10);
  const spent = await store.overview.spentOn(
    day,
    limits.map((one) => one.agent),
  );
  return limits.flatMap(({ agent, agentDollarsPerDay, userDollarsPerDay }) => {
    const own = spent.filter((one) => one.agent === agent);
    const used = (dollars: number, micros: number) => {
      return { dollars, spent: inDollars(micros), reachedAt: reachedAt(dollars, inDollars(micros), now) };
    };
    const all = own.reduce((sum, { micros }) => sum + micros, 0);
    const most = user === undefined ? own[0] : (own.find((one) => one.user === user) ?? { user, micros: 0 });
    return [
      ...(agentDollarsPerDay === undefined
        ? []
        : [{ agent, per: "agent" as const, user: null, ...used(agentDollarsPerDay, all) }]),
      ...(userDollarsPerDay === undefined
        ? []
        : [{ agent, per: "user" as const, user: most?.user ?? null, ...used(userDollarsPerDay, most?.micros ?? 0) }]),
    ];
  });
}

/** When a day's limit is reached, if spending goes on as it did since midnight (UTC); null if not on this day, or already. */
export function reachedAt(dollars: number, spent: number, now: Date): string | null {
  const midnight = Date.parse(`${now.toISOString().slice(0, 10)}T00:00:00Z`);
  const at = midnight + ((now.getTime() - midnight) * dollars) / spent;
  return at > now.getTime() && at < midnight + 86_400_000 ? new Date(at).toISOString() : null;
}

/** Ten years: nobody knows what is spent until then. */
const maxRunwayHours = 87_600;

async function budgetsOf({ store, survivalOf }: Host, agent: string | undefined, now: Date) {
  const granted = await store.overview.granted();
  return Promise.all(
    granted
      .filter((one) => agent === undefined || one.agent === agent)
      .map(async ({ agent, micros }) => {
        const { balance, runwayHours } = await survivalOf(agent);
        const hours = runwayHours !== null && runwayHours < maxRunwayHours ? runwayHours : null;
        return {
          ...{ agent, granted: inDollars(micros), left: balance === null ? null : inDollars(balance) },
          emptyAt: hours === null ? null : new Date(now.getTime() + hours * 3_600_000).toISOString(),
        };
      }),
  );
}

type Prices = ReadonlyMap<string, NonNullable<Awaited<ReturnType<KnownModels["list"]>>[number]["price"]>>;

function pricesOf(known: Awaited<ReturnType<KnownModels["list"]>>): Prices {
  return new Map(known.flatMap(({ name, price }) => (price === null ? [] : [[name, price]])));
}

/** Savings: the cost of the same tokens without a cache, less their cost with it; of models whose price is known. */
function savedBy(models: readonly GroupSpending[], prices: Prices): number | null {
  const each = models.flatMap(({ name, read, written }) => {
    const price = prices.get(name);
    return price ? [microsOf(price, { fresh: read + written }) - microsOf(price, { read, written })] : [];
  });
  return each.length === 0 ? null : inDollars(each.reduce((sum, one) => sum + one, 0));
}

function billOf({ micros, input, read, written, output }: Omit<GroupSpending, "name">) {
  return { cost: inDollars(micros), input, read, written, output };
}

export const operations = [showHome, showMoney];
