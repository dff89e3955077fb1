import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent, scopeOf } from "../event.ts";
import { type Page, pageOf } from "../home/page.ts";
import { lockAgainstErasure } from "../home/query.ts";
import { reachOf } from "../home/reach.ts";
import { listOf, raw, sql } from "../home/sql.ts";
import { timeOf } from "../home/time.ts";
import { endOfLease } from "../lease.ts";
import { announceSent, type SentInto } from "../turns/announce-sent.ts";
import { type Dispatch, type DispatchRow, dispatchOf, type NewDispatch, writeDispatches } from "./dispatch-row.ts";

/**
 * `store.dispatches`: what is to be sent over channels, each piece until it is sent or given up, in order within a
 * chat. For channels of your own.
 */
export type Dispatches = {
  readonly add: (dispatches: readonly NewDispatch[]) => Promise<Dispatch[]>;
  /**
   * Takes those that are due, the oldest of each address: the next of it waits until this one is sent or dead. If the
   * process dies, they are free again when the lease ends; that counts as a try.
   */
  readonly claim: (
    agent: string,
    channel: string,
    about?: { readonly limit?: number; readonly leaseMs?: number },
  ) => Promise<Dispatch[]>;
  /** It was sent. What a schedule sends into a chat is in that chat's history from the first piece on. */
  readonly markSent: (id: string, into?: SentInto) => Promise<void>;
  /** It could not be sent, and is tried again then. `undefined`: it is no longer wanted. */
  readonly retryAt: (id: string, because: string, at: string) => Promise<Dispatch | undefined>;
  /** Gives it up. */
  readonly markDead: (id: string, because: string) => Promise<Dispatch | undefined>;
  /** Newest first. */
  readonly list: (
    about: Page & { readonly agent?: string; readonly user?: string; readonly state?: Dispatch["state"] },
  ) => Promise<Dispatch[]>;
};

export function createDispatches({ home, now, newId }: StoreDeps): Dispatches {
  return {
    add: (dispatches) =>
      home.write("everything", async (db) => {
        await lockAgainstErasure(db);
        for (const agent of new Set(dispatches.map(({ scope }) => scope.agent))) await requireAgent(db, agent);
        return writeDispatches(db, { now, newId }, dispatches);
      }),
    claim: (agent, channel, { limit = 20, leaseMs = 60_000 } = {}) =>
      home.write("everything", async (db) => {
        const at = now();
        const until = endOfLease(at, leaseMs);
        // Two who look at the same moment would each find the first of an address free.
        const lock = db.dialect.lock(JSON.stringify(["dispatches", agent, channel]));
        if (lock) await db.all(lock);
        const free = await db.all<{ id: string }>(sql`select d.id from dispatches d
          where d.agent = ${agent} and d.channel = ${channel} and d.state = 'waiting'
            and (d.next_try_at is null or d.next_try_at <= ${at}) and (d.leased_until is null or d.leased_until <= ${at})
            and not exists (select 1 from dispatches e where e.agent = d.agent and e.channel = d.channel
              and e.state = 'waiting' and e.address = d.address and (e.at < d.at or (e.at = d.at and e.id < d.id)))
          order by d.at, d.id limit ${limit}`);
        if (free.length === 0) return [];
        const rows = await db.all<DispatchRow>(sql`update dispatches set leased_until = ${until},
            tries = case when leased_until is null then tries else tries + 1 end
          where id in ${listOf(free.map(({ id }) => id))} and state = 'waiting' returning *`);
        const place = new Map(free.map(({ id }, index) => [id, index]));
        return rows.map(dispatchOf).sort((one, other) => Number(place.get(one.id)) - Number(place.get(other.id)));
      }),
    markSent: (id, into = {}) =>
      home.write("everything", async (db) => {
        await lockAgainstErasure(db);
        const row = await db.one<DispatchRow>(sql`update dispatches set state = 'sent', sent_at = ${now()},
          leased_until = ${null}, next_try_at = ${null}, failure = ${null}
          where id = ${id} and state = 'waiting' returning *`);
        if (row?.turn) await announceSent(db, { now, newId }, { ...into, turn: row.turn, channel: row.channel });
      }),
    retryAt: async (id, because, at) => {
      const next = timeOf(at);
      return home.write("everything", async (db) => {
        const row = await db.one<DispatchRow>(sql`update dispatches set tries = tries + 1, next_try_at = ${next},
          leased_until = ${null}, failure = ${because} where id = ${id} and state = 'waiting' returning *`);
        return row && dispatchOf(row);
      });
    },
    markDead: (id, because) =>
      home.write("everything", async (db) => {
        const row = await db.one<DispatchRow>(sql`update dispatches set state = 'dead', tries = tries + 1,
          next_try_at = ${null}, leased_until = ${null}, failure = ${because}
          where id = ${id} and state = 'waiting' returning *`);
        if (!row) return undefined;
        const { channel, turn, tries } = row;
        const detail = { dispatch: id, channel, tries };
        await recordEvent(db, now(), { scope: scopeOf(row), kind: "dispatch-dead", turn, detail });
        return dispatchOf(row);
      }),
    list: ({ agent, user, state, ...page }) =>
      home.read(reachOf(agent, user), async (db) => {
        const { limit, offset } = pageOf(page);
        const rows = await db.all<DispatchRow>(sql`select * from dispatches where 1 = 1
          ${agent === undefined ? raw("") : sql`and agent = ${agent}`}
          ${user === undefined ? raw("") : sql`and user_id = ${user}`}
          ${state === undefined ? raw("") : sql`and state = ${state}`}
          order by at desc, id desc limit ${limit} offset ${offset}`);
        return rows.map(dispatchOf);
      }),
  };
}
