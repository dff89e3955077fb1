import { Problem } from "../../prompt/problem.ts";
import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import { type EventRow, type NewEvent, recordEvent, recordEvents } from "../event.ts";
import type { Database } from "../home/database.ts";
import { countRows, insertInto, matching, type Page, pageOf, recordOf } from "../home/query.ts";
import { listOf, type Query, sql, timeOf } from "../home/sql.ts";
import { code, count, id, json, name, type RecordOf, type RowOf, table, time } from "../home/table.ts";
import { checkName } from "../scope.ts";
import { type Claimant, endOfLease, releaseLease, renewLease, takeLease } from "../work.ts";

/** Kinds of work there are for an agent to do by itself. Calls of users do not count: they wait for the user's next turn. */
export type PendingWork = { readonly waiting: boolean; readonly taken: boolean; readonly approved: boolean };

/** Cost of an agent's turns, in millionths of a dollar. */
export type TurnCosts = {
  /** Costs of the newest 50 turns that have ended, newest first; null if the model had no price. */
  readonly last: readonly (number | null)[];
  /** Sum of all turns that ended since the given time. */
  readonly since: number;
};

/** `store.automata`: agents that live by themselves: their state, and what they may spend. */
export type Automata = {
  readonly find: (agent: string) => Promise<Automaton | undefined>;
  /** Tells what there is for it to do: messages that wait or were taken, calls that a person approved. */
  readonly findWork: (agent: string) => Promise<PendingWork>;
  /** Takes charge of an agent, if no other process has it. */
  readonly claim: (agent: string, about: Claimant) => Promise<Automaton | undefined>;
  /** Renews the lease; false if another process is in charge by now. */
  readonly renew: (agent: string, runner: string, leaseMs: number) => Promise<boolean>;
  readonly release: (agent: string, runner: string) => Promise<void>;
  /** Records changes of its state, and sets what goes with them. */
  readonly record: (
    agent: string,
    changes: readonly StateChange[],
    set?: { readonly tier?: string; readonly goodChecks?: number; readonly ownTurnAt?: string },
  ) => Promise<void>;
  /** Lists the last changes of its state, newest first, faults among them. */
  readonly listChanges: (agent: string, page?: Page) => Promise<StateChange[]>;
  /** Grants millionths of a dollar to spend; a negative amount takes back what is left. */
  readonly grant: (agent: string, micros: number, by: string) => Promise<Automaton>;
  /** Puts the agent to sleep: it takes no turns until then, or until it is woken. */
  readonly sleep: (agent: string, until: string | undefined, by: string) => Promise<Automaton>;
  readonly wake: (agent: string, by: string) => Promise<Automaton>;
  readonly costs: (agent: string, since: string) => Promise<TurnCosts>;
};

const forEver = "9999-12-31T23:59:59.999Z";

export function createAutomata({ home, now }: StoreDeps): Automata {
  const change = (agent: string, by: string, work: (db: Database, at: string) => Promise<Omit<NewEvent, "scope">>) =>
    home.write("everything", async (db) => {
      checkName("person", by);
      const at = now();
      await makeRow(db, agent, at);
      recordEvent(db, at, { scope: { agent }, ...(await work(db, at)) });
      return (await findAutomaton(db, agent)) as Automaton;
    });
  return {
    find: (agent) => home.read("everything", (db) => findAutomaton(db, agent)),
    findWork: (agent) =>
      home.read("everything", async (db) => {
        const some = (where: Query) => sql`case when exists (select 1 from ${where}) then 1 else 0 end`;
        const inbox = (status: string) => sql`inbox where agent = ${agent} and status = ${status}`;
        const held = sql`held_calls where agent = ${agent} and status = 'approved'
          and (user_id = '' or substr(user_id, 1, 12) = 'counterpart:')`;
        const row = await db.one<Record<keyof PendingWork, number>>(sql`select ${some(inbox("waiting"))} as waiting,
          ${some(inbox("taken"))} as taken, ${some(held)} as approved`);
        return { waiting: row?.waiting === 1, taken: row?.taken === 1, approved: row?.approved === 1 };
      }),
    claim: (agent, about) =>
      home.write("everything", async (db) => {
        const at = now();
        await makeRow(db, agent, at);
        return (await takeLease(db, "automata", matching({ agent }), at, about)) ? findAutomaton(db, agent) : undefined;
      }),
    renew: (agent, runner, leaseMs) =>
      home.write("everything", (db) =>
        renewLease(db, "automata", matching({ agent, runner }), endOfLease(now(), leaseMs)),
      ),
    release: (agent, runner) =>
      home.write("everything", (db) => releaseLease(db, "automata", matching({ agent, runner }))),
    record: async (agent, changes, { tier, goodChecks, ownTurnAt } = {}) => {
      await home.write("everything", async (db) => {
        const at = now();
        await makeRow(db, agent, at);
        await recordChanges(db, agent, changes);
        const before = (await findAutomaton(db, agent)) as Automaton;
        if (tier !== undefined && tier !== before.tier) {
          const detail = { from: before.tier, to: tier };
          recordEvent(db, at, { scope: { agent }, kind: "automaton-tier", detail });
        }
        await db.run(sql`update automata set tier = coalesce(${tier ?? null}, tier),
          good_checks = coalesce(${goodChecks ?? null}, good_checks),
          own_turn_at = coalesce(${ownTurnAt ?? null}, own_turn_at) where agent = ${agent}`);
      });
    },
    listChanges: (agent, page = {}) => home.read("everything", (db) => readChanges(db, agent, pageOf(page))),
    grant: async (agent, micros, by) => {
      if (!Number.isSafeInteger(micros) || micros === 0)
        throw new Problem(
          "bad-grant",
          `${String(micros)} cannot be granted.`,
          "Give a whole number of millionths of a dollar; below 0 they are taken back.",
        );
      return change(agent, by, async (db) => {
        if (micros < 0) checkLeft((await findAutomaton(db, agent)) as Automaton, -micros);
        await db.run(sql`update automata set
            spent_before = case when granted is null then (select micros from totals where totals.agent = automata.agent)
              else spent_before end,
            granted = coalesce(granted, 0) + ${micros} where agent = ${agent}`);
        return { kind: "automaton-granted", detail: { micros, by } };
      });
    },
    sleep: (agent, until, by) => {
      const end = until === undefined ? forEver : timeOf(until);
      return change(agent, by, async (db) => {
        await db.run(sql`update automata set asleep_until = ${end} where agent = ${agent}`);
        return { kind: "automaton-asleep", detail: { ...(until === undefined ? {} : { until: end }), by } };
      });
    },
    wake: (agent, by) =>
      change(agent, by, async (db) => {
        await db.run(sql`update automata set asleep_until = ${null} where agent = ${agent}`);
        return { kind: "automaton-woken", detail: { by } };
      }),
    costs: (agent, since) =>
      home.read("everything", async (db) => {
        const last = await db.all<{ micros: number | null }>(sql`select micros from turns where agent = ${agent}
          and ended_at is not null order by started_at desc, id desc limit ${50}`);
        const row = await db.one<{ micros: number | null }>(sql`select sum(micros) as micros from turns
          where agent = ${agent} and started_at >= ${since}`);
        return { last: last.map(({ micros }) => micros), since: Number(row?.micros ?? 0) };
      }),
  };
}

/** Refuses to take back more than is left. */
function checkLeft({ agent, granted, spent }: Automaton, micros: number): void {
  const left = Math.max(0, (granted ?? spent) - spent);
  if (micros <= left) return;
  throw new Problem(
    "bad-grant",
    `“${agent}” has ${left} millionths of a dollar left, and ${micros} were to be taken back.`,
    left === 0 ? "There is nothing to take back." : `Take back ${left} at most.`,
  );
}

/** Starts an agent's counts of turns and costs; what was before is counted now. */
async function makeRow(db: Database, agent: string, at: string): Promise<void> {
  await requireAgent(db, agent);
  const first = { agent, state: "Bootstrapping", stateAt: at, tier: "Normal" };
  const made = await db.run(sql`${insertInto(automata, first)} on conflict (agent) do nothing`);
  if (made === 0) return;
  // Lock so that no turn is opened and nothing is spent between the counting and the row.
  const alone = db.dialect.lockTable("totals");
  if (alone) await db.run(alone);
  const spent = await db.one<{ micros: number | null }>(
    sql`select sum(micros) as micros from spending where agent = ${agent}`,
  );
  const turns = await countRows(db, "turns", matching({ agent }));
  const before = { agent, micros: Number(spent?.micros ?? 0), turns };
  await db.run(sql`${insertInto(totals, before)} on conflict (agent) do nothing`);
}

/** Time since when an agent's model has given no answer, and the last reason. */
export type ModelAway = {
  readonly since: string;
  readonly because: string;
  /** Turn that failed, while nothing else was asked since: it is not known yet whether its messages were at fault. */
  readonly turn: string | null;
};

/** State and means of agents that live by themselves. */
export const automata = table(
  "automata",
  { of: "agent", key: ["agent"], isByKey: true },
  {
    state: code(),
    stateAt: time(),
    /** Turn that brought it into that state. */
    turn: id().nullable(),
    tier: code(),
    /** Number of checks in a row that found it better off than its tier says. */
    goodChecks: count().usual(0),
    /** Sum of its grants, in millionths of a dollar; null if it never had one. */
    granted: count().nullable(),
    /** Amount that it had spent before its first grant. */
    spentBefore: count().usual(0).hidden(),
    asleepUntil: time().nullable(),
    /** Start of its last turn by itself. */
    ownTurnAt: time().nullable(),
    /** Outage of its model when it was last asked; null if it answered. */
    away: json<ModelAway>().nullable(),
    /** The process in charge of it (“host:pid”), and the end of its lease. */
    runner: name().nullable().passing(),
    leasedUntil: time().nullable().passing(),
    earnedOn: time().nullable().hidden(),
    earned: count().usual(0).hidden(),
  },
);

/** Sums over the whole life of each automaton: its costs, and the number of its turns. */
export const totals = table(
  "totals",
  {
    of: "agent",
    key: ["agent"],
    isByKey: true,
    // A user's turn adds to these sums of its agent, and changes nothing else of the agent's means.
    fence: { change: "agent = {agent}" },
    erase: { blank: "keep" },
  },
  { micros: count(), turns: count() },
);

/** Life of an agent, as it was last recorded. */
export type Automaton = RecordOf<typeof automata> & {
  /** Amount spent since the first grant; without one, ever. */
  readonly spent: number;
  /** Number of turns it has begun, its users' among them. */
  readonly turns: number;
  /** Address of the agent on its chain, from the settings it was last started with. */
  readonly address: string | null;
};

type AutomatonRow = RowOf<typeof automata> & { micros: number; turns: number; address: string | null };

export async function findAutomaton(db: Database, agent: string): Promise<Automaton | undefined> {
  const row = await db.one<AutomatonRow>(sql`select a.*, t.micros, t.turns, (select min(c.address) from chain_cursors c
      where c.agent = a.agent) as address from automata a
    join totals t on t.agent = a.agent where a.agent = ${agent}`);
  if (!row) return undefined;
  const { micros, spent_before, turns, address } = row;
  return { ...recordOf(automata, row), spent: micros - spent_before, turns, address };
}

/** Tells whether this process is in charge of an agent, according to its row. */
export async function isInCharge(db: Database, agent: string, runner: string): Promise<boolean> {
  const row = await db.one<{ runner: string | null }>(sql`select runner from automata where agent = ${agent}`);
  return row?.runner === runner;
}

/** A step of an agent's state machine. */
export type StateChange = {
  readonly from: string;
  readonly to: string;
  /** Event that caused the step. */
  readonly cause: string;
  readonly turn: string | null;
  readonly at: string;
  /** Present if the event was not expected in that state. */
  readonly fault?: true;
};

const kinds = { change: "automaton-state", fault: "automaton-fault" } as const;

/** Records changes of an agent's state in the caller's transaction; the last one is its present state. */
export async function recordChanges(db: Database, agent: string, changes: readonly StateChange[]): Promise<void> {
  recordEvents(
    db,
    changes.map(({ from, to, cause, turn, at, fault }) => {
      const kind = fault ? kinds.fault : kinds.change;
      return { at, scope: { agent }, kind, turn, detail: { from, to, cause } };
    }),
  );
  const last = changes.at(-1);
  if (last)
    await db.run(sql`update automata set state = ${last.to}, state_at = ${last.at}, turn = ${last.turn}
      where agent = ${agent}`);
}

/** Lists the recorded changes, newest first. */
async function readChanges(db: Database, agent: string, { limit, offset }: Required<Page>): Promise<StateChange[]> {
  const rows = await db.all<
    Pick<EventRow, "at" | "kind" | "turn" | "detail">
  >(sql`select at, kind, turn, detail from events
    where agent = ${agent} and user_id = '' and kind in ${listOf(Object.values(kinds))}
    order by id desc limit ${limit} offset ${offset}`);
  return rows.map(({ at, kind, turn, detail }) => {
    const { from, to, cause }: Record<string, unknown> = JSON.parse(detail);
    const change = { from: String(from), to: String(to), cause: String(cause), turn, at };
    return kind === kinds.fault ? { ...change, fault: true } : change;
  });
}
