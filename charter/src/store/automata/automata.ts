import { Problem } from "../../prompt/problem.ts";
import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import { type NewEvent, recordEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import { countRows, insertInto, matching, type Page, pageOf } from "../home/query.ts";
import { type Query, sql, timeOf } from "../home/sql.ts";
import { type Claimant, endOfLease, releaseLease, renewLease, takeLease } from "../lease.ts";
import { checkName } from "../scope.ts";
import {
  type Automaton,
  automata,
  findAutomaton,
  readChanges,
  recordChanges,
  type StateChange,
  totals,
} from "./automaton.ts";

/** What there is for an agent to do by itself. Calls of users are not among them: those wait for the user's next turn. */
export type PendingWork = { readonly waiting: boolean; readonly taken: boolean; readonly approved: boolean };

/** What an agent's turns cost, in millionths of a dollar. */
export type TurnCosts = {
  /** Of the newest 50 that are over, newest first; null where the model had no price. */
  readonly last: readonly (number | null)[];
  /** Of all that ended since the time asked for. */
  readonly since: number;
};

/** `store.automata`: agents that live by themselves: their state, and what they may spend. */
export type Automata = {
  readonly find: (agent: string) => Promise<Automaton | undefined>;
  /** Whether there is something for it to do: messages that wait or were taken, calls that a person approved. */
  readonly findWork: (agent: string) => Promise<PendingWork>;
  /** Takes charge of an agent, if nobody else has it. */
  readonly claim: (agent: string, about: Claimant) => Promise<Automaton | undefined>;
  /** Stays in charge; false if another is by now. */
  readonly renew: (agent: string, runner: string, leaseMs: number) => Promise<boolean>;
  readonly release: (agent: string, runner: string) => Promise<void>;
  /** Records changes of its state, and sets what goes with them. */
  readonly record: (
    agent: string,
    changes: readonly StateChange[],
    set?: { readonly tier?: string; readonly goodChecks?: number; readonly ownTurnAt?: string },
  ) => Promise<void>;
  /** The last changes of its state, newest first, faults among them. */
  readonly listChanges: (agent: string, page?: Page) => Promise<StateChange[]>;
  /** Grants millionths of a dollar to spend; below 0 they are taken back, as far as they are there. */
  readonly grant: (agent: string, micros: number, by: string) => Promise<Automaton>;
  /** It takes no turns until then, or until it is woken. */
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
      await recordEvent(db, at, { scope: { agent }, ...(await work(db, at)) });
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
          await recordEvent(db, at, { scope: { agent }, kind: "automaton-tier", detail });
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
          and ended_at is not null order by ended_at desc limit ${50}`);
        const row = await db.one<{ micros: number | null }>(sql`select sum(micros) as micros from turns
          where agent = ${agent} and ended_at >= ${since}`);
        return { last: last.map(({ micros }) => micros), since: Number(row?.micros ?? 0) };
      }),
  };
}

/** Nobody is left with less than nothing by what is taken back. */
function checkLeft({ agent, granted, spent }: Automaton, micros: number): void {
  const left = Math.max(0, (granted ?? spent) - spent);
  if (micros <= left) return;
  throw new Problem(
    "bad-grant",
    `“${agent}” has ${left} millionths of a dollar left, and ${micros} were to be taken back.`,
    left === 0 ? "There is nothing to take back." : `Take back ${left} at most.`,
  );
}

/** From then on its turns and what they cost are counted; what was before is counted now. */
async function makeRow(db: Database, agent: string, at: string): Promise<void> {
  await requireAgent(db, agent);
  const first = { agent, state: "Bootstrapping", stateAt: at, tier: "Normal" };
  const made = await db.run(sql`${insertInto(automata, first)} on conflict (agent) do nothing`);
  if (made === 0) return;
  // Nobody may open a turn or spend anything between the counting and the row.
  const alone = db.dialect.lockTable("totals");
  if (alone) await db.run(alone);
  const spent = await db.one<{ micros: number | null }>(
    sql`select sum(micros) as micros from spending where agent = ${agent}`,
  );
  const turns = await countRows(db, "turns", matching({ agent }));
  const before = { agent, micros: Number(spent?.micros ?? 0), turns };
  await db.run(sql`${insertInto(totals, before)} on conflict (agent) do nothing`);
}
